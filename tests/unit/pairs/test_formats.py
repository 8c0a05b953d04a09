"""Each format, right or refused in one line that says where and what to do; through the command ``s2s prepare``."""

import gzip
import io
import json
import sys
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.pairs import archives
from seq2seq_cli.pairs.pair_files import local_pair_files, read_blocks
from seq2seq_cli.pairs.recognise import recognise
from tests.commands import Done, s2s_here
from tests.pair_formats import delimited, files, parquet, some_pairs, spreadsheet, tmx

PAIRS = some_pairs(20)
FILES = files(PAIRS)
WHOLE = ("--set", "data.valid_sources=0", "--set", "data.test_sources=0", "--set", "text.src.min_count=1")
TAKEN = {
    "pairs.csv": "a table with ',' between its columns; its columns en and de are taken; line 1 is a header",
    "no_header.csv": "a table with ',' between its columns; its columns 1 and 2 are taken; line 1 is taken as a pair",
    "exported.csv": "a table with ';' between its columns; its columns Englisch and Deutsch are taken; line 1 is",
    "named.tsv": "a table with tabs between its columns; its columns English and German are taken; line 1 is a",
    "quoted.tsv": "a table with tabs between its columns; its columns 1 and 2 are taken; line 1 is taken as a pair",
    "tatoeba.tsv": "a table with tabs between its columns; its columns 2 and 4 are taken; line 1 is taken as a pair",
    "pairs.jsonl": "JSON; its columns en and de are taken",
    "dataset.json": "JSON; its columns translation.en and translation.de are taken",
    "list.json": "JSON; its columns source and target are taken",
    "memory.tmx": "TMX; its columns en-US and de are taken",
    "unicode.txt": "a table with tabs between its columns; its columns English and German are taken; line 1 is a",
    "dataset.parquet": "Parquet; its columns translation.en and translation.de are taken",
    "sheet.xlsx": "the first sheet of a spreadsheet; its columns English and German are taken; line 1 is a",
}


def prepare(folder: Path, *arguments: str, text: str = "") -> Done:
    # Characters need no rules of spaCy's, which take seconds to load.
    return s2s_here(folder, "prepare", *arguments, "--out", "new", "--set", "text.unit=character", text=text)


def write(folder: Path, **contents: bytes | str) -> None:
    for name, content in contents.items():
        content = content.encode("utf-8") if isinstance(content, str) else content
        (folder / name.replace("_dot_", ".")).write_bytes(content)


def trained_on(folder: Path, *arguments: str, text: str = "") -> list[tuple[str, str]]:
    done = prepare(folder, *arguments, *WHOLE, text=text)
    assert done.returncode == 0, done.stderr
    return PreparedCorpus.open(folder / "new").sentences("train")


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_same_pairs_and_says_how_it_is_read(tmp_path: Path, name: str) -> None:
    # The format is told by the content, not by the name.
    (tmp_path / "some file").write_bytes(FILES[name])
    done = prepare(tmp_path, "some file", *WHOLE)
    assert PreparedCorpus.open(tmp_path / "new").sentences("train") == PAIRS
    assert done.stderr.startswith(f"s2s: some file: {TAKEN[name]}")
    assert len(done.stderr.splitlines()) == 1
    assert "lines read          20" in done.stdout


def test_two_files_of_sentences_are_source_and_target(tmp_path: Path) -> None:
    src, tgt = ("\n".join(side) for side in zip(*PAIRS, strict=True))
    write(tmp_path, talk_dot_en=src, talk_dot_de=gzip.compress(tgt.encode("utf-16")))
    assert trained_on(tmp_path, "talk.en", "talk.de") == PAIRS
    assert prepare(tmp_path, "talk.en").stderr.startswith("s2s: error: talk.en:1: one column only: separate")


def test_packed_files_and_pipes_are_told_by_their_content_too(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("pairs.csv", FILES["pairs.csv"])
    write(tmp_path, a=packed.getvalue(), b=gzip.compress(FILES["memory.tmx"]))
    assert trained_on(tmp_path, "a", "--overwrite") == PAIRS
    assert trained_on(tmp_path, "b", "--overwrite") == PAIRS
    assert trained_on(tmp_path, "-", "--overwrite", text=FILES["list.json"].decode()) == PAIRS


def test_the_texts_of_an_archive_that_are_not_read_are_named(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("train.txt", "Cat.\tKatze.\n" * 200)
        archive.writestr("valid.txt", "Dog.\tHund.\n")
        archive.writestr("_about.txt", "Who wrote it.")
    write(tmp_path, split_dot_zip=packed.getvalue())
    done = prepare(tmp_path, "split.zip", *WHOLE)
    assert done.stderr == "s2s: split.zip: train.txt in it is read, but not valid.txt\n"


def test_the_texts_of_aligned_archives_that_are_not_read_are_named(tmp_path: Path) -> None:
    for name, sentence in (("c.en.zip", "Cat.\n"), ("c.de.zip", "Katze.\n")):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("train.txt", sentence * 200)
            archive.writestr("valid.txt", sentence)
    unread = "; ".join(f"{name}: train.txt in it is read, but not valid.txt" for name in ("c.en.zip", "c.de.zip"))
    assert prepare(tmp_path, "--src", "c.en.zip", "--tgt", "c.de.zip", *WHOLE).stderr == f"s2s: {unread}\n"
    done = prepare(tmp_path, "c.en.zip", "c.de.zip", *WHOLE, "--overwrite")
    assert done.stderr == f"s2s: c.en.zip and c.de.zip: taken as two columns, line by line; {unread}\n"


def test_given_splits_have_any_format(tmp_path: Path) -> None:
    write(
        tmp_path,
        train=FILES["no_header.csv"],
        valid_dot_en="One.\nTwo.\n",
        valid_dot_de="Eins.\nZwei.\n",
        test=tmx([("Three & four.", "Drei & vier.")]),
    )
    done = prepare(tmp_path, "train", "--valid", "valid.en", "--valid", "valid.de", "--test", "test")
    assert done.returncode == 0, done.stderr
    corpus = PreparedCorpus.open(tmp_path / "new")
    assert corpus.sentences("valid") == [("One.", "Eins."), ("Two.", "Zwei.")]
    assert corpus.sentences("test") == [("Three & four.", "Drei & vier.")]


def changed(name: str, old: str, new: str, count: int = 1) -> bytes:
    """A valid file with something else in the place of a text."""
    assert old.encode() in FILES[name]
    return FILES[name].replace(old.encode(), new.encode(), count)


def cut(name: str, end: int) -> bytes:
    return FILES[name][:end]


def sheet(change: Callable[[bytes], bytes], member: str = "xl/worksheets/sheet1.xml") -> bytes:
    """A spreadsheet with another member of that name."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(FILES["sheet.xlsx"])) as archive, zipfile.ZipFile(written, "w") as other:
        for name in archive.namelist():
            content = archive.read(name)
            other.writestr(name, change(content) if name == member else content)
    return written.getvalue()


def coded(text: str, encoding: str = "utf-16") -> bytes:
    return text.encode(encoding)


UTF16 = FILES["unicode.txt"]
NOTES = ["Tier", "Person", "Ort", "Zeit"]
SEMI = [
    ["Thema", "Vorne", "Hinten", "Notiz"],
    *([NOTES[number % 4], *pair, NOTES[number % 3]] for number, pair in enumerate(PAIRS)),
]
TSV = FILES["named.tsv"].decode()
DOCTYPE = '<!DOCTYPE tmx SYSTEM "tmx14.dtd">'
MALFORMED: Mapping[str, Sequence[tuple[bytes, str]]] = {
    "CSV": [
        (changed("pairs.csv", "Tom sees 0", '"Tom sees 0'), ":2: a cell in quotation marks does not end with"),
        (
            changed("pairs.csv", '"""Hello,"" he said."', '"Hello," he said.'),
            ":5: a cell in quotation marks does not end with",
        ),
        (changed("pairs.csv", "Tom sees 0", "Tom, sees 0"), ":2: the line has fewer or more columns than the"),
        (b"en,de\nHi.,Hallo.\nHo.,He.\nRun!\n", ":4: the line has fewer or more columns than the"),
        (b"en,de\nHi.,Hallo.\nRun!,\n", ":3: the line has an empty source or target: fill it"),
        (b"en,de\n", ": no sentence pair in it: give one per line, source"),
        (
            FILES["pairs.csv"].replace("„".encode(), b"").replace("“".encode(), b"").decode().encode("cp1252"),
            ":3:28: byte 0xf6 is not UTF-8: name the file's",
        ),
        (b"en de\nHi. Hallo.\n", ":1: one column only: separate source and target by"),
        (b"en,text,de,fr\nHi.,Hm.,Hallo.,Salut.\n", ": columns en, text, de, fr may be meant: choose two"),
        (b"en,de\n" + b"Good morning, Tom,Guten Morgen\n" * 9, ": most rows have more cells than the first has names"),
    ],
    "a spreadsheet's CSV": [
        (delimited(SEMI, ";").encode(), ": 4 columns have text; they begin with Thema,"),
        (changed("exported.csv", "Tom sees 0", "x" * 140_000), ":2: the line has more than 100,000 characters:"),
        (
            changed("exported.csv", "Tom sees 0", '"' + "x\n" * 70_000),
            ":2: a cell in quotation marks does not end with",
        ),
        (changed("exported.csv", "Lisa", "Lisa;"), ":6: the line has fewer or more columns than the"),
        (
            FILES["exported.csv"].replace(b"findet", b"f\x84ndet", 1),
            ":4:26: byte 0x84 is not UTF-8: the file is damaged:",
        ),
        (b"\xef\xbb\xbfsep=;\r\nEnglish;German\r\n", ": no sentence pair in it: give one per line, source"),
        (changed("exported.csv", "Maria", "Mar\0ia"), ":3:4: a zero byte: no text file: unpack an archive,"),
        (b"sep=;\r\nHallo.;\r\nHi.;\r\n", ":2: the line has an empty source or target: fill it"),
    ],
    "UTF-16": [
        (UTF16[2:], ":1:2: a zero byte: the text looks like UTF-16"),
        (UTF16[:-1], ":22:1: byte 0x0a is not UTF-16-LE: the file is"),
        (UTF16[:146] + b"\x00\xd8" + UTF16[146:], ":3:37: byte 0x00 is not UTF-16-LE: the file is"),
        (UTF16[:2], ": the file is empty: give one with a sentence pair"),
        (UTF16[:21], ":1:19: byte 0x65 is not UTF-16-LE: the file is"),
        (
            coded(delimited([["English", "German"], *PAIRS], "\t", quote_all=True).replace("Lisa", '"Lisa', 1)),
            ":6: a cell in quotation marks does not end with",
        ),
        (coded("en\tde\nHi.\tHallo.\nRun!\t\n"), ":3: the line has an empty source or target: fill it"),
        (coded("English\tGerman\n"), ": no sentence pair in it: give one per line, source"),
        (b"\xff\xfe" + FILES["named.tsv"], ":1: one column only: separate source and target by"),
    ],
    "TSV": [
        (b"English\tGerman\n", ": no sentence pair in it: give one per line, source"),
        (TSV.replace("\t", "    ").encode(), ":1: one column only: separate source and target by"),
        (
            TSV.replace("Tom sees 0 cats.\t", "Tom sees 0 cats. ").encode(),
            ":2: the line has no tab between source and target:",
        ),
        (TSV.replace("Tom sees 0 cats.", "").encode(), ":2: the line has an empty source or target: fill it"),
        (b"\n\n\n", ": no sentence pair in it: give one per line, source"),
        (TSV.encode() + b"\xff", ":22:1: byte 0xff is not UTF-8: correct or delete this line; the text"),
        (TSV.encode() + b"\0", ":22:1: a zero byte: no text file: unpack an"),
        (TSV.encode("utf-16-be"), ":1:1: a zero byte: the text looks like UTF-16"),
    ],
    "quoted TSV": [
        (
            changed("quoted.tsv", 'Tom sees 0 cats."', "Tom sees 0 cats."),
            ":1: a cell in quotation marks does not end with",
        ),
        (changed("quoted.tsv", "sees 0", 'sees "0"'), ":1: a cell in quotation marks does not end with"),
        (cut("quoted.tsv", -4), ":20: a cell in quotation marks does not end with"),
        (changed("quoted.tsv", "Lisa", '"Lisa'), ":5: a cell in quotation marks does not end with"),
        (b'"Hi."\t"Hallo."\n"Run!"\t""\n', ":2: the line has an empty source or target: fill it"),
        (b'"Hi."\t"Hallo."\n"Run!"\n"Ho.\t"He."\n', ":3: a cell in quotation marks does not end with"),
        (changed("quoted.tsv", "Anna", "An\0na"), ":3:4: a zero byte: no text file: unpack an archive,"),
        (cut("quoted.tsv", 30), ":1: a cell in quotation marks does not end with"),
    ],
    "TSV with more columns": [
        (FILES["tatoeba.tsv"] + b"7\tHi.\n", ":21: the line has fewer or more columns than the"),
        (FILES["tatoeba.tsv"] + b"7\tHi.\t8\t\n", ":21: the line has an empty source or target: fill"),
        (
            FILES["tatoeba.tsv"] + b"7\tHi.\t8\tH\xe4.\n",
            ":21:10: byte 0xe4 is not UTF-8: correct or delete this line; the text",
        ),
        (FILES["tatoeba.tsv"] + b"7\t\t8\tHallo.\n", ":21: the line has an empty source or target: fill"),
        (FILES["tatoeba.tsv"] + b"Hi.\n", ":21: the line has fewer or more columns than the"),
        (b"1\tHi.\t2\tHallo.\n" * 9 + b"7\t\t8\tHallo.\n", ":10: the line has an empty source or target: fill"),
        (b"1\tHi.\t2\tHallo.\n" * 9 + b"\xff\xfe", ":10:1: byte 0xff is not UTF-8: name the file's"),
        (b"7\tThree.\t3\n" * 9, ": fewer than two of 3 columns have text; they begin with 7, Three., 3: choose"),
        (b"s1\tThree.\t3\n" * 12, ": fewer than two of 3 columns have text; they begin with s1, Three., 3: ch"),
        (b"1\tHi.\t2\tHallo.\0\n" * 9, ":1:15: a zero byte: the text looks like UTF-16"),
    ],
    "JSON lines": [
        (cut("pairs.jsonl", -20), ":20:48: not JSON: invalid \\uxxxx escape: correct it,"),
        (changed("pairs.jsonl", '{"en": "Lisa', '{en: "Lisa'), ":5:2: not JSON: expecting property name enclosed"),
        (
            changed("pairs.jsonl", '{"en": "Lisa', 'text {"en": "Lisa'),
            ":5:1: not JSON: neither an object nor a list: correct",
        ),
        (changed("pairs.jsonl", '"Tom sees 0 cats."', "null"), ":1: the line has an empty source or target: fill it"),
        (b'{"text": "Hi."}\n' * 9, ": there is only the column text ("),
        (b'{"en": ["Hi."], "de": ["Hallo."]}\n' * 9, ": there is no column of text ("),
        (changed("pairs.jsonl", "Tom sees 0", "Tom\n0"), ":1:12: not JSON: invalid control character: correct"),
        (b'{"a":' * 50_000, ":1:1: not JSON: a list in a list in a list, too"),
        (b'{"a": "x", "b": "y", "c": "z"}\n' * 9, ": columns a, b, c may be meant: choose two with"),
        (
            b'{"en": "a", "de": "b"}\n\n{"en":\n\n{"en": "a", "de": "b"}\n{"en": "a", "de": "b"}\n',
            ":6:1: not JSON: expecting ',' delimiter (record of line 3): correct",
        ),
        (changed("pairs.jsonl", "Anna", "An\\xna"), ":3:11: not JSON: invalid \\escape: correct it, or"),
    ],
    "data set's JSON": [
        (changed("dataset.json", '"translation"', "translation"), ":1:11: not JSON: expecting property name enclosed"),
        (changed("dataset.json", '"de": "Tom', '"de" "Tom'), ":1:58: not JSON: expecting ':' delimiter: correct it,"),
        (b'{"translation": {"en": "Hi."}}\n' * 9, ": there is only the column translation.en ("),
        (b'{"translation": ["Hi.", "Hallo."]}\n' * 9, ": there is no column of text ("),
        (
            b'{"translation": {"en": "Hi.", "de": "Hallo.", "fr": "Salut."}}\n' * 9,
            ": columns translation.en, translation.de,",
        ),
        (cut("dataset.json", 70), ":1:59: not JSON: unterminated string: correct it, or"),
        (
            FILES["dataset.json"].decode().replace("„", "").replace("“", "").encode("cp1252"),
            ":2:70: byte 0xf6 is not UTF-8: name the file's",
        ),
        (b'{"translation": {"en": "Hi.", "de": ""}}\n' * 9, ":1: the line has an empty source or target: fill it"),
    ],
    "JSON list": [
        (cut("list.json", -3), ":81:2: not JSON: the file ends inside a record, which begins on line 78: correct"),
        (changed("list.json", "},", "}"), ":6:2: not JSON: ',' or ']' expected after a"),
        (FILES["list.json"] + b"x", ":82:2: not JSON: more text after the list: correct"),
        (b"[]", ": no sentence pair in it: JSON without a record"),
        (b'{"en": ["a", "b"], "de": ["c", "d"]}', ": there is no column of text ("),
        (b'{"data": ' + FILES["list.json"] + b"}", ": there is no column of text ("),
        (b'[{"en": "a", "de": "b"}, 5]', ":1:26: not JSON: neither an object nor a list: correct"),
        (b"[" * 50_000, ":1:2: not JSON: a list in a list in a list, too"),
        (b'[{"en": "' + b"x" * 1_200_000, ":1:2: a record of more than 1,000,000 characters: give"),
        (b'{"data": [' + b'{"en": "a", "de": "b"}, ' * 50_000, ":1:1: a record of more than 1,000,000 characters:"),
        (b'{"data": [' + b'{"en": "a" "de": "b"}, ' * 50_000, ":1:22: not JSON: expecting ',' delimiter: correct"),
    ],
    "TMX": [
        (cut("memory.tmx", -30), ":63:57: not XML: unclosed token: correct it, or export"),
        (changed("memory.tmx", "</seg>", "</sag>"), ":5:71: not XML: mismatched tag: correct it, or export"),
        (changed("memory.tmx", "Tom sees 0", "Tom & 0"), ":5:33: not XML: not well-formed (invalid token):"),
        (
            changed("memory.tmx", DOCTYPE, '<!DOCTYPE tmx [<!ENTITY a "b">]>'),
            ":2: defines or needs entities, which may hide",
        ),
        (
            changed("memory.tmx", DOCTYPE, '<!DOCTYPE tmx [<!ENTITY a SYSTEM "file:///etc/passwd">]>'),
            ":2: defines or needs entities, which may hide",
        ),
        (changed("memory.tmx", "UTF-8", "klingon"), ":1: the XML names an unknown encoding: export the"),
        (changed("memory.tmx", "UTF-8", "shift_jis"), ":1: the XML names an unknown encoding: export the"),
        (FILES["memory.tmx"].replace(b"findet", b"f\xfcndet"), ":12:35: not XML: not well-formed (invalid token):"),
        (b'<?xml version="1.0"?><xliff version="1.2"></xliff>', ":1: XML, but no TMX: export the pairs as TMX or CSV"),
        (b'<tmx version="1.4"><header/><body></body></tmx>', ": no sentence pair in it: TMX without a record"),
        (changed("memory.tmx", ' xml:lang="de"', ""), ":6: a <tuv> without xml:lang: name its language"),
        (
            changed("memory.tmx", "</tu>", '<tuv xml:lang="fr"><seg>Salut.</seg></tuv></tu>', -1),
            ": columns en-US, de, fr may be meant: choose two",
        ),
    ],
    "Parquet": [
        (cut("dataset.parquet", -100), ": damaged: Parquet magic bytes not found in footer."),
        (b"PAR1", ": damaged: Parquet file size is 4 bytes, smaller"),
        (parquet({"a": [1, 2], "b": [3, 4]}), ": Parquet without columns of text: export the pairs"),
        (parquet({"en": ["Hi.", "Run!"], "b": [3, 4]}), ": there is only the column en ("),
        (
            parquet({"a": ["x", "y"], "b": ["z", "w"], "c": ["v", "u"]}),
            ": columns a, b, c may be meant: choose two with",
        ),
        (
            parquet({"en": ["Hi.", None] * 9, "de": ["Hallo."] * 18}),
            ":2: the line has an empty source or target: fill it",
        ),
        (gzip.compress(FILES["dataset.parquet"]), ":1:8: byte 0xc0 is not UTF-8: no text file: unpack"),
        (parquet({"en": [["Hi."]] * 3, "de": ["Hallo."] * 3}), ": there is only the column de ("),
        (b"PAR1" + bytes(2000) + b"PAR1", ": damaged: Couldn't deserialize thrift: No more"),
    ],
    ".xlsx": [
        (cut("sheet.xlsx", -40), ": the zip archive is truncated or damaged: download"),
        (sheet(lambda content: content[:500]), ": a damaged spreadsheet: save it again, or save it"),
        (sheet(lambda _: b""), ": a damaged spreadsheet: save it again, or save it"),
        (
            sheet(lambda content: content[:-200], "xl/workbook.xml"),
            ": a damaged spreadsheet: save it again, or save it",
        ),
        (spreadsheet([]), ": no sentence pair in it: the first sheet of a"),
        (spreadsheet([["Hi."]] * 9), ": there is only the column 1 ("),
        (spreadsheet([["English", "German"], *[["Hi.", None]] * 9]), ":2: the line has an empty source or target: "),
        (spreadsheet([["a", "b", "c"]] * 9), ": 3 columns have text; they begin with a, b, c:"),
        (spreadsheet([["English", "German"]]), ": no sentence pair in it: give one per line, source"),
    ],
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_file_is_refused_in_a_line_that_says_where_and_what_to_do(tmp_path: Path, name: str) -> None:
    assert len(MALFORMED[name]) >= 8
    for content, message in MALFORMED[name]:
        (tmp_path / "f").write_bytes(content)
        done = prepare(tmp_path, "f")
        assert (done.returncode, done.stderr.split("\n")[1:]) == (2, [""])
        assert done.stderr.startswith(f"s2s: error: f{message}")
        assert not (tmp_path / "new").exists()


def test_few_records_without_a_column_are_dropped_and_counted(tmp_path: Path) -> None:
    rows = delimited([["en", "de"], *some_pairs(300)], ",")
    write(tmp_path, csv=rows + "Hi there.\n", jsonl=FILES["pairs.jsonl"] + b'{"en": "Hi there."}\n')
    for name, reason in (("csv", "other columns (line 302)"), ("jsonl", "missing column (line 21)")):
        done = prepare(tmp_path, name, "--overwrite")
        assert f"  dropped            1  {reason}\n" in done.stdout, done.stderr


@pytest.mark.parametrize(
    ("columns", "pair"),
    [
        ("en,de", ("Cat.", "Katze.")),
        ("de,en", ("Katze.", "Cat.")),
        ("English,FR", ("Cat.", "Chat.")),
        ("2,4", ("Cat.", "Chat.")),
        ("note,de", ("x.", "Katze.")),
    ],
)
def test_columns_are_named_or_numbered(tmp_path: Path, columns: str, pair: tuple[str, str]) -> None:
    write(tmp_path, csv="note,en,de,fr\nx.,Cat.,Katze.,Chat.\n")
    write(tmp_path, jsonl='{"note": "x.", "t": {"en": "Cat.", "de": "Katze.", "fr": "Chat."}}\n')
    for name in ("csv", "jsonl"):
        assert trained_on(tmp_path, name, "--columns", columns, "--overwrite") == [pair]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("en", "error: --columns: en must be two columns, by name or number, such as en,de or 2,4"),
        ("en,it", "csv: no column is called 'it': the columns are note, en, de, fr"),
        ("1,7", "csv: there is no column 7: give numbers from 1 to 4"),
        ("2,2", "csv: --columns 2,2 names one column twice: name two"),
        ("en,English", "csv: --columns en,English names one column twice: name two"),
        (f"1,{'7' * 5000}", "777: give numbers from 1 to 4"),
    ],
)
def test_missing_columns_are_named(tmp_path: Path, columns: str, message: str) -> None:
    write(tmp_path, csv="note,en,de,fr\nx.,Cat.,Katze.,Chat.\n")
    done = prepare(tmp_path, "csv", "--columns", columns)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr


def test_names_of_columns_are_not_looked_for_in_a_pair(tmp_path: Path) -> None:
    rows = "That isn't Tom's suitcase.\tDas ist nicht Toms Koffer.\n" * 12
    write(tmp_path, plain=rows, named=f"English\tGerman\n{rows}")
    said = "no columns are called English and German: its first line seems to be a pair, and to name no columns: choose"
    for names in (("plain",), ("named", "--valid", "plain")):
        done = prepare(tmp_path, *names, "--columns", "English,German")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert f"plain: {said}" in done.stderr


def test_the_languages_that_are_asked_for_choose_the_columns(tmp_path: Path) -> None:
    write(tmp_path, csv="en,de,fr\nCat.,Katze.,Chat.\n")
    assert trained_on(tmp_path, "csv", "--languages", "fr-en") == [("Chat.", "Cat.")]


def test_the_names_of_columns_state_the_languages(tmp_path: Path) -> None:
    write(tmp_path, deu_dot_txt="Italian\tpt-BR\nGatto.\tGato.\n")
    done = prepare(tmp_path, "deu.txt", *WHOLE)
    assert "languages   it to pt (as the names of the columns say)" in done.stdout


@pytest.mark.parametrize(
    "first",
    ["Hi\tHallo", "Yes\tJa\tCC-BY", "Text\tText", "1\teins", "he is here\til est ici", "i am tired\tik ben moe"],
)
def test_a_first_pair_is_no_header(tmp_path: Path, first: str) -> None:
    write(tmp_path, deu_dot_txt=f"{first}\n" + "house\tHaus\nto go\tgehen\n" * 9)
    done = prepare(tmp_path, "deu.txt", *WHOLE)
    assert done.stderr == ""
    assert "lines read          19" in done.stdout


@pytest.mark.parametrize("names", ["Text EN\tText DE", "text_en\ttext_de", "English text\tGerman", "en-US\tde-AT"])
def test_names_with_languages_are_a_header(tmp_path: Path, names: str) -> None:
    write(tmp_path, pairs=f"{names}\nhouse\tHaus\n")
    done = prepare(tmp_path, "pairs", *WHOLE)
    assert "languages   en to de (as the names of the columns say)" in done.stdout


def test_a_language_that_is_not_known_is_any(tmp_path: Path) -> None:
    write(tmp_path, pairs="Quechua\tSpanish\n" + "wasi.\tcasa.\nmayu.\trío.\n" * 9)
    done = prepare(tmp_path, "pairs", *WHOLE)
    assert "languages   xx to es (as the names of the columns say)" in done.stdout
    assert done.stderr.splitlines()[-1] == (
        "s2s: warning: pairs: the column Quechua is not named after a known language: it is taken as any language (xx);"
        " name it with --languages"
    )
    assert "warning" not in prepare(tmp_path, "pairs", *WHOLE, "--languages", "qu-es", "--overwrite").stderr


@pytest.mark.parametrize(
    ("names", "told"),
    [("Deutsch\tEspañol", "de to es"), ("Français\tEnglish", "fr to en"), ("Русский\tEspanol", "ru to es")],
)
def test_a_column_may_have_the_name_of_its_language_in_itself(tmp_path: Path, names: str, told: str) -> None:
    write(tmp_path, pairs=f"{names}\n" + "1.\t2.\n3.\t4.\n" * 9)
    assert f"languages   {told} (as the names of the columns say)" in prepare(tmp_path, "pairs", *WHOLE).stdout


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        (
            "".join(f"It is {hour} o'clock.\tEs ist {hour} Uhr.\tclock\n" for hour in range(12)),
            ("It is 0 o'clock.", "Es ist 0 Uhr."),
        ),
        ("Go.\tGeh!\tCC-BY 2.0\n" * 12, ("Go.", "Geh!")),
        ("source,target,domain\n" + "".join(f"{day} May,{day}. Mai,a\n" for day in range(12)), ("0 May", "0. Mai")),
    ],
    ids=["sentences with numbers", "one sentence", "named by roles"],
)
def test_sentences_that_are_alike_are_no_labels(tmp_path: Path, text: str, pair: tuple[str, str]) -> None:
    write(tmp_path, pairs=text)
    assert trained_on(tmp_path, "pairs")[0] == pair


@pytest.mark.parametrize("name", ["c.en-fr.tsv", "c"])
def test_names_of_files_say_more_than_half_of_the_names_of_columns(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("English\tTranslation\n" + "Cat.\tChat.\n" * 12, encoding="utf-8")
    told = "en to fr (as the file's name says)" if "." in name else "en to xx (as the names of the columns say)"
    assert told in prepare(tmp_path, name, *WHOLE).stdout


def test_half_of_the_names_of_columns_and_the_name_of_the_file_are_one_statement(tmp_path: Path) -> None:
    (tmp_path / "a.en-de.tsv").write_text("English\tTranslation\n" + "Cat.\tKatze.\n" * 12, encoding="utf-8")
    write(tmp_path, b="de,en\nHund.,Dog.\n")
    assert trained_on(tmp_path, "a.en-de.tsv", "b") == [("Cat.", "Katze."), ("Dog.", "Hund.")]
    said = "s2s: warning: a.en-de.tsv: says that its columns are en-de; they are taken as"
    done = prepare(tmp_path, "a.en-de.tsv", "--languages", "de-en", *WHOLE, "--overwrite")
    assert f"{said} de-en: for the other direction use --swap" in done.stderr
    done = prepare(tmp_path, "a.en-de.tsv", "--languages", "en-fr", *WHOLE, "--overwrite")
    assert f"{said} en-fr: see --languages" in done.stderr


def test_the_name_of_a_column_that_contradicts_that_of_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "c.en-de.tsv").write_text("French\tTranslation\n" + "Chat.\tKatze.\n" * 12, encoding="utf-8")
    done = prepare(tmp_path, "c.en-de.tsv", *WHOLE)
    assert "en to de (as the file's name says)" in done.stdout
    assert "c.en-de.tsv: says that its columns are fr-xx; they are taken as en-de: see --languages" in done.stderr


@pytest.mark.parametrize(
    ("before", "between"),
    [("s{}", ""), ("GEN {}:7", ""), ("eng", "deu"), ("{}", "")],
    ids=["id", "verse", "code", "number"],
)
@pytest.mark.parametrize("header", ["", "ref\tEnglish\tGerman\n", "ref\tQuechua\tGerman\n", "id\tEnglish\tGerman\n"])
def test_columns_of_labels_are_passed_over(tmp_path: Path, before: str, between: str, header: str) -> None:
    if header and between:
        header = header.replace("\tGerman", "\tcode\tGerman")
    rows = [[before.format(number), en, *filter(None, [between]), de] for number, (en, de) in enumerate(PAIRS)]
    (tmp_path / "pairs.tsv").write_text(header + "".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    assert trained_on(tmp_path, "pairs.tsv") == PAIRS


def test_two_columns_of_one_language_are_not_one(tmp_path: Path) -> None:
    write(tmp_path, jsonl='{"en": "It is feasible.", "simple": "It can be done."}\n')
    assert trained_on(tmp_path, "jsonl", "--languages", "en-en") == [("It is feasible.", "It can be done.")]


def test_each_record_of_a_line_is_dropped_for_its_own_reason(tmp_path: Path) -> None:
    given = [{"en": "Dog.", "de": "Hund."}, {"en": "Hi.", "de": ""}, {"en": "Go."}, {"en": "x" * 100_001, "de": "x"}]
    given += [{"en": f"Dog {number}.", "de": f"Hund {number}."} for number in range(200)]
    write(tmp_path, json=json.dumps(given))
    told = [line.split() for line in prepare(tmp_path, "json").stdout.splitlines()]
    dropped = {tuple(words[2:4]) for words in told if words[:1] == ["dropped"]}
    assert dropped == {("empty", "side"), ("missing", "column"), ("too", "long")}


def test_the_records_of_a_list_are_numbered_though_they_stand_in_one_line(tmp_path: Path) -> None:
    records = [{"en": f"Dog {number}.", "de": f"Hund {number}." if number != 20 else ""} for number in range(200)]
    write(tmp_path, whole=json.dumps(records), cut=json.dumps(records[:30]), lines='{"en": "Go.", "de": "Geh!"}\n' * 2)
    done = prepare(tmp_path, "cut")
    assert (
        "error: cut: record 21: the record has an empty source or target: fill it in, or delete the rec" in done.stderr
    )
    assert "(1 of 30 records have this problem" in done.stderr
    assert "empty side (record 21)" in prepare(tmp_path, "whole").stdout
    assert "empty side\twhole\trecord 21\tDog 20." in (tmp_path / "new" / "dropped.tsv").read_text(encoding="utf-8")
    done = prepare(tmp_path, "whole", "lines", "--overwrite")
    assert "empty side (whole: record 21)" in done.stdout
    assert "duplicate (lines:2)" in done.stdout


def test_files_of_one_name_in_two_folders_count_each_in_its_own_way(tmp_path: Path) -> None:
    records = [{"en": f"Dog {number}.", "de": f"Hund {number}." if number != 20 else ""} for number in range(200)]
    for name, content in (("a", json.dumps(records)), ("b", '{"en": "Go.", "de": "Geh!"}\n' * 2)):
        (tmp_path / name).mkdir()
        write(tmp_path / name, x_dot_json=content)
    done = prepare(tmp_path, "a/x.json", "b/x.json")
    assert "empty side (x.json: record 21)" in done.stdout
    assert "duplicate (x.json:2)" in done.stdout
    rows = (tmp_path / "new" / "dropped.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert [row.split("\t")[:3] for row in rows] == [
        ["empty side", "x.json", "record 21"],
        ["duplicate", "x.json", "2"],
    ]


def test_a_long_line_of_a_table_without_quotation_marks_is_dropped(tmp_path: Path) -> None:
    rows = FILES["tatoeba.tsv"].splitlines(keepends=True)
    write(tmp_path, table=b"".join([*rows[:7], b"x" * 100_001 + b"\n", *rows[7:]]))
    done = prepare(tmp_path, "table", "--columns", "4,2", *WHOLE)
    assert "  dropped            1  too long (line 8)\n" in done.stdout, done.stderr
    assert PreparedCorpus.open(tmp_path / "new").sentences("train") == [(tgt, src) for src, tgt in PAIRS]


def test_variants_of_one_language_are_two_columns(tmp_path: Path) -> None:
    whole = tmx([("colour", "Farbe"), ("dog", "Hund")])
    write(
        tmp_path, memory=whole.replace('xml:lang="de"', 'xml:lang="en-GB"', 1).replace('xml:lang="de"', 'xml:lang="fr"')
    )
    assert trained_on(tmp_path, "memory", "--columns", "en-US,en-GB") == [("colour", "Farbe")]
    write(tmp_path, jsonl='{"zh-CN": "软件", "zh-TW": "軟體"}\n')
    assert trained_on(tmp_path, "jsonl", "--overwrite") == [("软件", "軟體")]


def test_rows_with_more_cells_are_refused_whatever_columns_are_taken(tmp_path: Path) -> None:
    rows = [f"{number},When it rains, I stay.,Wenn es regnet, bleibe ich." for number in range(9)]
    rows += [f"{number},Cat {number}.,Katze {number}." for number in range(30)]
    write(tmp_path, csv="\n".join(["nr,English,German", *rows]))
    done = prepare(tmp_path, "csv", *WHOLE)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("s2s: error: csv:2: the line has fewer or more columns than the ")


def test_of_columns_of_one_language_the_one_of_its_name_alone_is_taken(tmp_path: Path) -> None:
    write(tmp_path, notes="English,German,English notes\nCat.,Katze.,An animal.\n")
    assert trained_on(tmp_path, "notes") == [("Cat.", "Katze.")]
    write(tmp_path, cards="German word,English word,German example,English example\nKatze,cat,Eine Katze.,A cat.\n")
    done = prepare(tmp_path, "cards", "--overwrite")
    assert done.returncode == 2
    assert "columns German word, English word, German example, English example may be meant" in done.stderr


def test_columns_of_several_files_are_taken_in_one_order(tmp_path: Path) -> None:
    write(tmp_path, a="en,de\nCat.,Katze.\n", b="de,en\nHund.,Dog.\n", c='{"de": "Maus.", "en": "Mouse."}\n')
    assert trained_on(tmp_path, "a", "b", "c") == [("Cat.", "Katze."), ("Dog.", "Hund."), ("Mouse.", "Maus.")]


def test_files_of_several_kinds_are_read_in_the_direction_of_the_first(tmp_path: Path) -> None:
    (tmp_path / "deu.txt").write_text("Cat.\tKatze.\n", encoding="utf-8")
    write(tmp_path, b="de,en\nHund.,Dog.\n")
    (tmp_path / "c.de").write_text("Maus.\n", encoding="utf-8")
    (tmp_path / "c.en").write_text("Mouse.\n", encoding="utf-8")
    pairs = [("Cat.", "Katze."), ("Dog.", "Hund."), ("Mouse.", "Maus.")]
    assert trained_on(tmp_path, "deu.txt", "b", "c.de", "c.en") == pairs


def test_a_split_is_read_in_the_direction_of_the_training_pairs(tmp_path: Path) -> None:
    (tmp_path / "deu.txt").write_text("Cat.\tKatze.\n", encoding="utf-8")
    write(tmp_path, b="de,en\nHund.,Dog.\n")
    done = prepare(tmp_path, "deu.txt", "--valid", "b", *WHOLE)
    assert "en to de (as the " in done.stdout
    assert PreparedCorpus.open(tmp_path / "new").sentences("valid") == [("Dog.", "Hund.")]


def test_a_table_whose_name_states_the_other_direction_is_read_in_that_of_the_first(tmp_path: Path) -> None:
    (tmp_path / "news.en-de.tsv").write_text("Cat.\tKatze.\n", encoding="utf-8")
    (tmp_path / "talks.de-en.tsv").write_text("Hund.\tDog.\nAffe.\tApe.\n", encoding="utf-8")
    (tmp_path / "list.de-en.json").write_text('[["Maus.", "Mouse."]]', encoding="utf-8")
    (tmp_path / "valid.de-en.tsv").write_text("Kuh.\tCow.\n", encoding="utf-8")
    names = ("news.en-de.tsv", "talks.de-en.tsv", "list.de-en.json", "--valid", "valid.de-en.tsv")
    done = prepare(tmp_path, *names, *WHOLE)
    assert "talks.de-en.tsv: a table with tabs between its columns; its columns 2 and 1 are taken" in done.stderr
    assert "warning" not in done.stderr
    assert "en to de (as the file's name says)" in done.stdout
    corpus = PreparedCorpus.open(tmp_path / "new")
    assert corpus.sentences("train") == [("Cat.", "Katze."), ("Dog.", "Hund."), ("Ape.", "Affe."), ("Mouse.", "Maus.")]
    assert corpus.sentences("valid") == [("Cow.", "Kuh.")]


@pytest.mark.parametrize("options", [("--languages", "de-en"), ("--columns", "1,2")])
def test_a_table_is_not_turned_where_columns_or_its_own_direction_are_asked_for(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    (tmp_path / "news.en-de.tsv").write_text("Cat.\tKatze.\n", encoding="utf-8")
    (tmp_path / "talks.de-en.tsv").write_text("Hund.\tDog.\n", encoding="utf-8")
    pairs = trained_on(tmp_path, "news.en-de.tsv", "talks.de-en.tsv", *options)
    assert pairs == [("Cat.", "Katze."), ("Hund.", "Dog.")]


def test_no_table_is_turned_where_the_name_of_the_first_contradicts_the_languages_asked_for(tmp_path: Path) -> None:
    for number, name in enumerate(("news.en-de.tsv", "talks.de-en.tsv", "more.en-de.tsv")):
        (tmp_path / name).write_text(f"Hund {number}.\tDog {number}.\n", encoding="utf-8")
    pairs = trained_on(tmp_path, "news.en-de.tsv", "talks.de-en.tsv", "more.en-de.tsv", "--languages", "de-en")
    assert pairs == [(f"Hund {number}.", f"Dog {number}.") for number in range(3)]


def test_a_name_that_the_script_of_the_text_contradicts_turns_no_table(tmp_path: Path) -> None:
    (tmp_path / "news.en-ru.tsv").write_text("The cat.\tКошка.\n" * 9, encoding="utf-8")
    (tmp_path / "talks.ru-en.tsv").write_text("The big dog sleeps.\tСобака спит тут.\n" * 9, encoding="utf-8")
    pairs = trained_on(tmp_path, "news.en-ru.tsv", "talks.ru-en.tsv")
    assert pairs == [("The cat.", "Кошка."), ("The big dog sleeps.", "Собака спит тут.")]


def test_the_languages_of_a_name_follow_the_order_of_the_columns(tmp_path: Path) -> None:
    (tmp_path / "deu.txt").write_text("Cat.\tKatze.\n" * 3, encoding="utf-8")
    done = prepare(tmp_path, "deu.txt", "--columns", "2,1", *WHOLE)
    assert "de to en (as the file's name says)" in done.stdout
    (tmp_path / "deu.txt").write_text("first\tsecond\n" + "Cat.\tKatze.\n" * 3, encoding="utf-8")
    done = prepare(tmp_path, "deu.txt", "--columns", "second,first", *WHOLE, "--overwrite")
    assert "de to en (as the file's name says)" in done.stdout


@pytest.mark.parametrize("option", ["--columns=", "--set=data.columns=''"])
def test_columns_without_a_name_are_refused(tmp_path: Path, option: str) -> None:
    write(tmp_path, a="en,de\nCat.,Katze.\n")
    done = prepare(tmp_path, "a", option)
    assert done.returncode == 2
    assert "columns:  must be two columns, by name or number, such as en,de or 2,4" in done.stderr


def test_aligned_files_have_no_columns(tmp_path: Path) -> None:
    (tmp_path / "c.de").write_text("Maus.\n", encoding="utf-8")
    (tmp_path / "c.en").write_text("Mouse.\n", encoding="utf-8")
    done = prepare(tmp_path, "c.de", "c.en", "--columns", "2,1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--columns 2,1: c.de + c.en are aligned files, without columns" in done.stderr


@pytest.mark.parametrize("separator", [",", "\t", ";"])
def test_blank_rows_before_the_names_of_the_columns_are_passed_over(tmp_path: Path, separator: str) -> None:
    write(tmp_path, a=f"\n{separator}\nde{separator}en\n" + f"Hund.{separator}Dog.\n" * 12)
    assert trained_on(tmp_path, "a") == [("Hund.", "Dog.")]
    assert trained_on(tmp_path, "a", "--columns", "en,de", "--overwrite") == [("Dog.", "Hund.")]


def test_commas_of_decimals_part_no_columns(tmp_path: Path) -> None:
    rows = ("0,53;Cat.;Katze.", "0,91;Dog.;Hund.", "1,25;Mouse.;Maus.", "0,75;Cow.;Kuh.")
    write(tmp_path, a="\n".join(rows))
    assert trained_on(tmp_path, "a")[0] == ("Cat.", "Katze.")


def test_direct_speech_between_tabs_is_no_table(tmp_path: Path) -> None:
    write(tmp_path, a='"Hi," he said.\t"Hallo", sagte er.\n"No," she said.\t"Nein", sagte sie.\n' * 2)
    assert trained_on(tmp_path, "a")[0] == ('"Hi," he said.', '"Hallo", sagte er.')


def test_variants_of_a_language_are_one_column_where_the_chosen_one_is_missing(tmp_path: Path) -> None:
    whole = tmx([("Cat.", "Katze."), ("Dog.", "Hund."), ("Mouse.", "Maus."), ("Cow.", "Kuh.")])
    head, *units = whole.split('xml:lang="en-US"')
    codes = ["EN_us", "en-US", "en-us", "en-GB"]
    write(tmp_path, memory="".join([head, *(f'xml:lang="{c}"{unit}' for c, unit in zip(codes, units, strict=True))]))
    assert [src for src, _ in trained_on(tmp_path, "memory")] == ["Cat.", "Dog.", "Mouse.", "Cow."]


def test_aligned_files_may_have_stray_tabs_and_carriage_returns(tmp_path: Path) -> None:
    pairs = some_pairs(40)
    src, tgt = ("\n".join(side) for side in zip(*pairs, strict=True))
    write(tmp_path, talk_dot_en=src.replace(" ", "\t", 1).replace(" ", "\r", 2), talk_dot_de=tgt)
    assert trained_on(tmp_path, "talk.en", "talk.de") == pairs


def test_a_spreadsheet_puts_cells_with_commas_into_quotation_marks(tmp_path: Path) -> None:
    pairs = [
        (f"Well, I see {n}.", f"Nun, ich sehe {n}.") if n % 4 == 0 else (f"Cat {n}.", f"Katze {n}.") for n in range(24)
    ]
    quoted = ["\t".join(f'"{cell}"' if "," in cell else cell for cell in pair) for pair in pairs]
    write(tmp_path, exported="\r\n".join(quoted).encode("utf-16"))
    assert trained_on(tmp_path, "exported") == pairs


def test_a_title_above_the_columns_of_a_spreadsheet_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path, sheet=spreadsheet([["Lesson 1"], [], ["English", "German"], *PAIRS]))
    assert trained_on(tmp_path, "sheet") == PAIRS


def test_blank_rows_of_a_spreadsheet_are_none_however_many_stand_before_a_stray_cell(tmp_path: Path) -> None:
    rows = [["English", "German"], *PAIRS[:10], [], [None, None], *PAIRS[10:], *[[]] * 200]
    write(tmp_path, sheet=spreadsheet([*rows, [*[None] * 999, " "]]))
    done = prepare(tmp_path, "sheet", *WHOLE)
    assert PreparedCorpus.open(tmp_path / "new").sentences("train") == PAIRS
    assert "lines read          20\n" in done.stdout


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.jsonl", "list.json", "memory.tmx"])
def test_records_are_read_only_as_far_as_they_are_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(archives, "_PIECE", 5000)
    (tmp_path / name).write_bytes(files(some_pairs(4000), name)[name])
    with local_pair_files({0: [(tmp_path / name,)]}) as given:
        [found] = recognise(given, encoding="utf-8", columns=None, languages=None)[0]
        blocks = list(read_blocks(found.pair_file, encoding="utf-8", block_lines=500))
    assert [len(block.lines) for block in blocks] == [500] * 8
    assert blocks[0].bytes_read < found.pair_file.size / 2
    assert blocks[-1].bytes_read == found.pair_file.size


@pytest.mark.parametrize(
    ("module", "name", "advice"),
    [
        ("pyarrow", "dataset.parquet", "Parquet needs another package: install s2s again with the extra parquet"),
        ("openpyxl", "sheet.xlsx", ".xlsx needs another package: install s2s again with the extra xlsx"),
    ],
)
def test_a_missing_package_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str, advice: str
) -> None:
    (tmp_path / "f").write_bytes(FILES[name])
    monkeypatch.setitem(sys.modules, module, None)
    done = prepare(tmp_path, "f")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"s2s: error: f: {advice}")
