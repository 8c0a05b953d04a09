"""The same sentence pairs as a file of each format that ``s2s prepare`` reads."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from xml.sax.saxutils import escape

from tests.corpora import pair_lines

Pairs = Sequence[tuple[str, str]]


def some_pairs(count: int) -> list[tuple[str, str]]:
    """Pairs, some with the marks that tables need."""
    pairs = [(src, tgt) for src, _, tgt in (line.partition("\t") for line in pair_lines(count))]
    pairs[3] = '"Hello," he said.', "„Hallo“, sagte er; und ging."
    pairs[5] = "a < b & c; d, e, f.", 'Er sagte: "Nein."'
    return pairs


def delimited(rows: Sequence[Sequence[str]], separator: str, *, quote_all: bool = False) -> str:
    written = io.StringIO()
    csv.writer(written, delimiter=separator, quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL).writerows(rows)
    return written.getvalue()


def tmx(pairs: Pairs) -> str:
    units = (
        f'<tu tuid="{number}">\n<tuv xml:lang="en-US"><seg>{escape(src)}<ph x="1">&lt;br&gt;</ph></seg></tuv>\n'
        f'<tuv xml:lang="de"><seg><hi>{escape(tgt)}</hi></seg></tuv></tu>\n'
        for number, (src, tgt) in enumerate(pairs)
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4">'
    return f'{head}<header srclang="en"/><body>\n{"".join(units)}</body></tmx>\n'


def parquet(columns: Mapping[str, object]) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet as pq

    written = io.BytesIO()
    pq.write_table(pa.table(columns), written)
    return written.getvalue()


def spreadsheet(rows: Sequence[Sequence[object]]) -> bytes:
    from openpyxl import Workbook

    book, written = Workbook(), io.BytesIO()
    for row in rows:
        book.worksheets[0].append(list(row))
    book.save(written)
    return written.getvalue()


def files(pairs: Pairs, *names: str) -> dict[str, bytes]:
    """The content of a file by its name, which says the format; a program tells it by the content."""
    objects = [{"id": number, "translation": {"en": src, "de": tgt}} for number, (src, tgt) in enumerate(pairs)]
    with_ids = [[str(number), src, str(number + 900), tgt] for number, (src, tgt) in enumerate(pairs)]
    makers: dict[str, Callable[[], str | bytes]] = {
        "pairs.csv": lambda: delimited([["en", "de"], *pairs], ","),
        "no_header.csv": lambda: delimited(pairs, ","),
        "exported.csv": lambda: "\ufeff" + delimited([["Englisch", "Deutsch"], *pairs], ";"),
        "named.tsv": lambda: "English\tGerman\n" + "".join(f"{src}\t{tgt}\n" for src, tgt in pairs),
        "quoted.tsv": lambda: delimited(pairs, "\t", quote_all=True),
        "tatoeba.tsv": lambda: "".join("\t".join(row) + "\n" for row in with_ids),
        "pairs.jsonl": lambda: "".join(json.dumps({"en": src, "de": tgt}) + "\n" for src, tgt in pairs),
        "dataset.json": lambda: "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects),
        "list.json": lambda: json.dumps([{"source": src, "target": tgt} for src, tgt in pairs], indent=1),
        "memory.tmx": lambda: tmx(pairs),
        "unicode.txt": lambda: delimited([["English", "German"], *pairs], "\t").encode("utf-16"),
        "dataset.parquet": lambda: parquet(
            {"id": list(range(len(pairs))), "translation": [each["translation"] for each in objects]}
        ),
        "sheet.xlsx": lambda: spreadsheet([["English", "German"], *pairs]),
    }
    contents = {name: makers[name]() for name in names or makers}
    return {name: text if isinstance(text, bytes) else text.encode("utf-8") for name, text in contents.items()}
