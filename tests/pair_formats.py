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


def catalogue(pairs: Pairs) -> str:
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    return head + "".join(f"#: a:1\nmsgid {json.dumps(src)}\nmsgstr {json.dumps(tgt)}\n\n" for src, tgt in pairs)


def interlinear(pairs: Pairs) -> str:
    units = (
        f'<phrase><item type="txt" lang="en">{escape(src)}</item>'
        f'<item type="gls" lang="de">{escape(tgt)}</item></phrase>'
        for src, tgt in pairs
    )
    return f'<?xml version="1.0"?><document version="2">{"".join(units)}</document>'


def tiers(pairs: Pairs) -> str:
    def tier(name: str, texts: Sequence[str], begin: str, end: str) -> str:
        values = (f"<ANNOTATION_VALUE>{escape(text)}</ANNOTATION_VALUE>" for text in texts)
        inside = "".join(begin.format(n) + value + f"</{end}>" for n, value in enumerate(values))
        return f'<TIER TIER_ID="{name}">{inside}</TIER>'

    of_times = '<ALIGNABLE_ANNOTATION ANNOTATION_ID="a{0}" TIME_SLOT_REF1="b{0}" TIME_SLOT_REF2="e{0}">'
    of_others = '<REF_ANNOTATION ANNOTATION_ID="r{0}" ANNOTATION_REF="a{0}">'
    src, tgt = zip(*pairs, strict=True)
    first, second = tier("tx", src, of_times, "ALIGNABLE_ANNOTATION"), tier("ft", tgt, of_others, "REF_ANNOTATION")
    return f'<?xml version="1.0"?><ANNOTATION_DOCUMENT>{first}{second}</ANNOTATION_DOCUMENT>'


def xliff(pairs: Pairs) -> str:
    units = (f"<trans-unit><source>{escape(s)}</source><target>{escape(t)}</target></trans-unit>" for s, t in pairs)
    languages = 'source-language="en" target-language="de"'
    return f'<?xml version="1.0"?><xliff version="1.2"><file {languages}>{"".join(units)}</file></xliff>'


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
        "catalogue.po": lambda: catalogue(pairs),
        "texts.sfm": lambda: "".join(f"\\ref {n}\n\\tx {src}\n\\ft {tgt}\n\n" for n, (src, tgt) in enumerate(pairs)),
        "memory.xliff": lambda: xliff(pairs),
        "phrases.flextext": lambda: interlinear(pairs),
        "tiers.eaf": lambda: tiers(pairs),
        "unicode.txt": lambda: delimited([["English", "German"], *pairs], "\t").encode("utf-16"),
        "dataset.parquet": lambda: parquet(
            {"id": list(range(len(pairs))), "translation": [each["translation"] for each in objects]}
        ),
        "sheet.xlsx": lambda: spreadsheet([["English", "German"], *pairs]),
    }
    contents = {name: makers[name]() for name in names or makers}
    return {name: text if isinstance(text, bytes) else text.encode("utf-8") for name, text in contents.items()}
