"""Each format, right or refused in one line that says where and what to do; through the command ``s2s prepare``."""

import gzip
import io
import json
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.pairs import archives
from seq2seq_cli.pairs.pair_files import local_pair_files, read_blocks
from seq2seq_cli.pairs.recognise import recognise
from tests.commands import Done, s2s_here
from tests.pair_formats import delimited, files, parquet, some_pairs, spreadsheet, tmx
from tests.site import archive_of

PAIRS = some_pairs(20)
FILES = files(PAIRS)
WHOLE = ("--set", "data.valid_sources=0", "--set", "data.test_sources=0", "--set", "text.src.min_count=1")
TAKEN = {
    "catalogue.po": "PO; its columns msgid and msgstr are taken",
    "texts.sfm": "Toolbox (SFM); its columns tx and ft are taken",
    "memory.xliff": "XLIFF; its columns en and de are taken",
    "phrases.flextext": "FLEx text; its columns txt-en and gls-de are taken",
    "tiers.eaf": "ELAN; its columns tx and ft are taken",
    "pairs.csv": "a table with ',' between its columns; its columns en and de are taken; line 1 is a header",
    "no_header.csv": "a table with ',' between its columns; its columns 1 and 2 are taken; line 1 is taken as a pair",
    "exported.csv": "a table with ';' between its columns; its columns Englisch and Deutsch are taken; line 1 is",
    "named.tsv": "a table with tabs between its columns; its columns English and German are taken; line 1 is a",
    "quoted.tsv": "a table with tabs between its columns; its columns 1 and 2 are taken; line 1 is taken as a pair",
    "tatoeba.tsv": "a table with tabs between its columns; its columns 2 and 4 are taken; line 1 is taken as a pair",
    "pairs.jsonl": "JSON; its columns en and de are taken",
    "dataset.json": "JSON; its columns translation.en and translation.de are taken",
    "list.json": "JSON; its columns source and target are taken",
    "memory.tmx": "TMX; its columns en and de are taken",
    "unicode.txt": "a table with tabs between its columns; its columns English and German are taken; line 1 is a",
    "dataset.parquet": "Parquet; its columns translation.en and translation.de are taken",
    "sheet.xlsx": "the first sheet of a spreadsheet; its columns English and German are taken; line 1 is a",
}


def prepare(folder: Path, *arguments: str, text: str = "") -> Done:
    # Characters need no rules of spaCy's, which take seconds to load.
    return s2s_here(folder, "prepare", *arguments, "--out", "new", "--set", "text.unit=character", text=text)


def write(folder: Path, contents: Mapping[str, bytes | str]) -> None:
    for name, content in contents.items():
        (folder / name).write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


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


def test_packed_files_and_pipes_are_told_by_their_content_too(tmp_path: Path) -> None:
    write(tmp_path, {"a": archive_of({"pairs.csv": FILES["pairs.csv"]}), "b": gzip.compress(FILES["memory.tmx"])})
    assert trained_on(tmp_path, "a", "--overwrite") == PAIRS
    assert trained_on(tmp_path, "b", "--overwrite") == PAIRS
    assert trained_on(tmp_path, "-", "--overwrite", text=FILES["list.json"].decode()) == PAIRS


def test_given_splits_have_any_format(tmp_path: Path) -> None:
    given = {"valid.en": "One.\nTwo.\n", "valid.de": "Eins.\nZwei.\n", "test": tmx([("Three & four.", "Drei & vier.")])}
    write(tmp_path, {"train": FILES["no_header.csv"], **given})
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


def cut_sheet() -> bytes:
    """A spreadsheet whose only sheet is cut off."""
    with zipfile.ZipFile(io.BytesIO(FILES["sheet.xlsx"])) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    return archive_of(members | {sheet: members[sheet][:500]})


SIDES = ["\n".join(side) for side in zip(*PAIRS, strict=True)]
UTF16 = FILES["unicode.txt"]
TSV = FILES["named.tsv"].decode()
NOT_CLOSED = ": a cell in quotation marks does not end with"
EMPTY_SIDE = ": the line has an empty source or target: fill it"
OTHER_COLUMNS = ": the line has fewer or more columns than the others: put"
NO_PAIR = ": no sentence pair in it: give one per line, source"
ONE_COLUMN = ":1: one column only: separate source and target by"
UNDEFINED = ":5:32: not XML: undefined entity: correct it, or export"
DOCTYPE = '<!DOCTYPE tmx SYSTEM "tmx14.dtd">'
PO = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

#: a.c:1
msgid "A cat "
"sleeps \\"here\\"."
msgstr "Eine Katze schläft „hier“."

#, fuzzy
msgid "No."
msgstr "Vielleicht."

msgid "Wait."
msgstr ""
"""
TOOLBOX = "\\_sh v3.0\n" + "".join(
    f"\\ref {n}\n\\tx {src}\n\\mb x-y\n\\ge a-b\n\\ft {tgt[:3]}\n{tgt[3:].strip()}\n\n"
    for n, (src, tgt) in enumerate([("A cat.", "Die Katze."), ("A dog.", "Ein Hund.")])
)
SRT = "1\n00:00:0{},100 --> 00:00:09,000\n{}\n<i>{}</i>\n\n2\n00:00:09,200 --> 00:00:11,000\nNein.\n"
CUES = {"x.en.srt": SRT.format(1, "Hello,", "you."), "x.de.srt": SRT.format(1, "Hallo,", "du.")}
USFM_EN = (
    '\\id GEN\n\\c 1 \\p \\v 1 In the \\w light|lemma="l"\\w*\\f + \\ft note\\f* so\n'
    "\\q1 far. \\s The end \\p \\v 2 \\vp 2b\\vp*A.\\fig |a.jpg|span|||B.|1.2\\fig*\n\\f + \\ft note\\f*\n"
)
USFM_DE = "\\id GEN\n\\c 1\n\\v 1 Im Licht.\n\\v 2 B.\n\\v 3 Mehr.\n"
XLIFF = (
    '<?xml version="1.0"?><xliff version="1.2"><file source-language="en-US" target-language="de"><body><trans-unit>'
    "<source>The <g>cat</g><ph>x</ph>.</source><target>Die Katze.</target><alt-trans><target>Nein.</target></alt-trans>"
    "</trans-unit><trans-unit><source>Not yet.</source></trans-unit></body></file></xliff>"
)
XLIFF_2 = (
    '<xliff version="2.0" srcLang="en" trgLang="fr"><file><unit><segment><source>Yes.</source><target>Oui.</target>'
    "</segment></unit></file></xliff>"
)
XLIFF_OF_THREE = '<xliff version="1.2">{}{}</xliff>'.format(
    *(
        f'<file source-language="en" target-language="{language}"><body><trans-unit><source>Yes.</source>'
        f"<target>{yes}</target></trans-unit></body></file>"
        for language, yes in (("de", "Ja."), ("fr", "Oui."))
    )
)
FLEX = (
    '<?xml version="1.0"?><document><phrase><item type="segnum" lang="en">1</item><words><word>'
    '<item type="txt" lang="ddo">Zowsi</item><morphemes><morph><item type="txt" lang="ddo">zow</item></morph>'
    '</morphemes><item type="gls" lang="en">was</item></word><word><item type="punct" lang="ddo">.</item></word>'
    "</words>"
    '<item type="gls" lang="en">There was.</item></phrase></document>'
)
ELAN = (
    '<?xml version="1.0"?><ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="s1" TIME_VALUE="0"/><TIME_SLOT'
    ' TIME_SLOT_ID="s2" TIME_VALUE="9"/></TIME_ORDER><TIER TIER_ID="tx"><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1"'
    ' TIME_SLOT_REF1="s1" TIME_SLOT_REF2="s2"><ANNOTATION_VALUE>Zowsi.</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></TIER>'
    '<TIER TIER_ID="mb"><REF_ANNOTATION ANNOTATION_ID="a2" ANNOTATION_REF="a1"><ANNOTATION_VALUE>zow</ANNOTATION_VALUE>'
    '</REF_ANNOTATION></TIER><TIER TIER_ID="ft"><REF_ANNOTATION ANNOTATION_ID="a3" ANNOTATION_REF="a2">'
    "<ANNOTATION_VALUE>There was.</ANNOTATION_VALUE></REF_ANNOTATION></TIER></ANNOTATION_DOCUMENT>"
)
MALFORMED: Mapping[str, Sequence[tuple[bytes, str]]] = {
    "CSV": [
        (changed("pairs.csv", "Tom sees 0", '"Tom sees 0'), f":2{NOT_CLOSED}"),
        (changed("pairs.csv", "Tom sees 0", "Tom, sees 0"), f":2{OTHER_COLUMNS}"),
        (b"en,de\nHi.,Hallo.\nHo.,He.\nRun!\n", f":4{OTHER_COLUMNS}"),
        (b"en,de\nHi.,Hallo.\nRun!,\n", f":3{EMPTY_SIDE}"),
        (b"sep=;\r\nen;de\r\nHallo.;Hi.\r\nHi.;\r\n", f":4{EMPTY_SIDE}"),
        (
            b"en,text,de,fr\nHi.,Hm.,Hallo.,Salut.\n",
            ": of the columns en, text, de, fr, several may be meant: choose two",
        ),
        (b"a;b;c\n" * 12, ": of the columns a, b, c, several may be meant: choose two"),
        (changed("exported.csv", "Tom sees 0", "x" * 140_000), ":2: the line has more than 100,000 characters:"),
        (changed("exported.csv", "Maria", "Mar\0ia"), ":3: a zero byte: no text, or UTF-16"),
    ],
    "encodings": [
        (UTF16[2:], ":1: a zero byte: no text, or UTF-16 without a"),
        (UTF16[:-1], ":21: byte 0x0a is not utf-16-le"),
        (TSV.encode() + b"\xff", ":22: byte 0xff is not utf-8: name the encoding"),
        (gzip.compress(FILES["dataset.parquet"]), ":1: byte 0xc0 is not utf-8: name the encoding of a text"),
    ],
    "TSV": [
        (TSV.replace("\t", "    ").encode(), ONE_COLUMN),
        (SIDES[0].encode(), ONE_COLUMN),
        (TSV.replace("Tom sees 0 cats.\t", "Tom sees 0 cats. ").encode(), ":2: the line has no tab between source"),
        (b"\n\n\n", NO_PAIR),
        (changed("quoted.tsv", "sees 0", 'sees "0"'), f":1{NOT_CLOSED}"),
        (b'"Hi."\t"Hallo."\n"Run!"\t""\n', f":2{EMPTY_SIDE}"),
        (FILES["tatoeba.tsv"] + b"7\tHi.\n", f":21{OTHER_COLUMNS}"),
        (b"id\twort\n" + b"".join(b"%d\tein Haus %d\n" % (n, n) for n in range(12)), ": there is only the column wort"),
    ],
    "JSON": [
        (cut("pairs.jsonl", -20), ":20:48: not JSON: invalid \\uXXXX escape: correct it,"),
        (changed("pairs.jsonl", '{"en": "Lisa', '{en: "Lisa'), ":5:2: not JSON: expecting property name enclosed"),
        (
            changed("pairs.jsonl", '{"en": "Lisa', 'text {"en": "Lisa'),
            ":5:1: not JSON: expecting value: correct it, or",
        ),
        (changed("pairs.jsonl", '"Tom sees 0 cats."', "null"), f":1{EMPTY_SIDE}"),
        (b'{"text": "Hi."}\n' * 9, ": there is only the column text ("),
        (b'{"a":' * 9_000, ":1: not JSON: a list in a list in a list, too"),
        (b'{"translation": {"en": "Hi."}}\n' * 9, ": there is only the column translation.en ("),
        (cut("list.json", -3), ":81:2: not JSON: expecting ',' delimiter: correct"),
        (changed("list.json", "},", "}"), ":6:2: not JSON: expecting ',' delimiter: correct"),
        (b"[]", ": no sentence pair in it: JSON without a record"),
        (b'{"data": [' + b'{"en": "a", "de": "b"}, ' * 50_000, ":1:1200011: not JSON: expecting"),
    ],
    "TMX": [
        (cut("memory.tmx", -30), ":63:57: not XML: unclosed token: correct it, or export"),
        (changed("memory.tmx", "Tom sees 0", "Tom & 0"), ":5:33: not XML: not well-formed (invalid token):"),
        (
            changed("memory.tmx", DOCTYPE, '<!DOCTYPE tmx [<!ENTITY a SYSTEM "file:///etc/passwd">]>').replace(
                b"Tom sees", b"Tom &a;"
            ),
            UNDEFINED,
        ),
        (changed("memory.tmx", "UTF-8", "klingon"), ":1: the XML names an unknown encoding: export the"),
        (changed("memory.tmx", "Tom sees 0", "Tom &nbsp; 0"), UNDEFINED),
        (b'<?xml version="1.0"?><TEI></TEI>', ":1: XML, but no TMX, XLIFF, FLEx text, ELAN: export the pairs"),
        (b'<?xml version="1.0"?><xliff version="1.2"></xliff>', ": no sentence pair in it: XLIFF without a record"),
        (b'<tmx version="1.4"><header/><body></body></tmx>', ": no sentence pair in it: TMX without a record"),
        (changed("memory.tmx", ' xml:lang="de"', ""), ":6: a <tuv> without xml:lang: name its language"),
        (
            changed("memory.tmx", "</tu>", '<tuv xml:lang="fr"><seg>Salut.</seg></tuv></tu>', -1),
            ": of the columns en, de, fr, several may be meant",
        ),
    ],
    "one language": [
        (CUES["x.de.srt"].encode(), ": subtitles, in one language: give the file of the other one behind it"),
        (USFM_DE.encode(), ": USFM, in one language: give the file of the other one behind it"),
        (PO.replace('msgid "A', 'msgix "A').encode(), ":5: no line of a PO file: correct it, or export the file again"),
    ],
    "Parquet": [
        (cut("dataset.parquet", -100), ": damaged: Parquet magic bytes not found in footer."),
        (b"PAR1" + bytes(2000) + b"PAR1", ": damaged: Couldn't deserialize thrift: No more"),
        (parquet({"en": [["Hi."]] * 3, "de": ["Hallo."] * 3}), ": there is only the column de ("),
        (parquet({"en": ["Hi.", None] * 9, "de": ["Hallo."] * 18}), f":2{EMPTY_SIDE}"),
    ],
    ".xlsx": [
        (cut("sheet.xlsx", -40), ": the zip archive is truncated, damaged or encry"),
        (cut_sheet(), ": damaged: "),
        (spreadsheet([["Hi."]] * 9), ": there is only the column 1 ("),
        (spreadsheet([["English", "German"], *[["Hi.", None]] * 9]), f":2{EMPTY_SIDE}"),
    ],
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_file_is_refused_in_a_line_that_says_where_and_what_to_do(tmp_path: Path, name: str) -> None:
    for content, message in MALFORMED[name]:
        (tmp_path / "f").write_bytes(content)
        done = prepare(tmp_path, "f")
        assert (done.returncode, done.stderr.split("\n")[1:]) == (2, [""])
        assert done.stderr.startswith(f"s2s: error: f{message}")
        assert not (tmp_path / "new").exists()


def test_few_records_without_a_column_are_dropped_and_counted(tmp_path: Path) -> None:
    rows = delimited([["en", "de"], *some_pairs(300)], ",")
    write(tmp_path, {"csv": rows + "Hi there.\n", "jsonl": FILES["pairs.jsonl"] + b'{"en": "Hi there."}\n'})
    for name, reason in (("csv", "other columns (csv:302)"), ("jsonl", "missing column (jsonl:21)")):
        done = prepare(tmp_path, name, "--overwrite")
        assert f"  dropped            1  {reason}\n" in done.stdout, done.stderr


NOTES = "note,en,de,fr\nx.,Cat.,Katze.,Chat.\n"
NESTED = '{"note": "x.", "t": {"en": "Cat.", "de": "Katze.", "fr": "Chat."}}\n'
EN_DE, DE_EN = "Cat.\tKatze.\n", "de,en\nHund.,Dog.\n"
QUOTED_PAIRS = [(f"Well, {n}.", f"Nun, {n}.") if n % 4 == 0 else (f"Cat {n}.", f"Katze {n}.") for n in range(24)]
QUOTED = "\r\n".join(f'"{src}"\t"{tgt}"' if "," in src else f"{src}\t{tgt}" for src, tgt in QUOTED_PAIRS)
OCLOCK = "".join(f"It is {hour} o'clock.\tEs ist {hour} Uhr.\tclock\n" for hour in range(12))
DAYS = "source,target,domain\n" + "".join(f"{day} May,{day}. Mai,a\n" for day in range(12))
SPEECH = '"Hi," he said.\t"Hallo", sagte er.\n"No," she said.\t"Nein", sagte sie.\n' * 2
DECIMALS = "0,53;Cat.;Katze.\n0,91;Dog.;Hund.\n1,25;Mouse.;Maus.\n0,75;Cow.;Kuh."
LABELLED = "".join(f"{('news', 'talk', 'web')[n % 3]}\tA cat {n}.\tEine Katze {n}.\n" for n in range(60))
IN_OBJECT = {"name": "demo", "tags": ["a", "b"], "pairs": [{"en": src, "de": tgt} for src, tgt in PAIRS]}
SPACED = [("Cat, so.", "Katze."), ("Dog.", "Hund, so.")]
NUMBERED = "No.\tEnglish\tGerman\n" + "".join(f"{n}\t{src}\t{tgt}\n" for n, (src, tgt) in enumerate(PAIRS))
IN_META = '{"meta": {"source": "x y."}, "source": "Cat.", "target": "Katze."}\n' * 12
QIOSA = [(f"naa {n} qile", f"the house {n}") for n in range(20)]
OF_THREE = "".join(f"{qiosa}\t{english}\tla casa {n}\n" for n, (qiosa, english) in enumerate(QIOSA))
READ: Mapping[str, tuple[Mapping[str, str | bytes], str, Sequence[tuple[str, str]]]] = {
    "columns by code": ({"f": NOTES}, "--columns en,de", [("Cat.", "Katze.")]),
    "columns in the other order": ({"f": NESTED}, "--columns de,en", [("Katze.", "Cat.")]),
    "columns by language": ({"f": NESTED}, "--columns English,FR", [("Cat.", "Chat.")]),
    "columns by number": ({"f": NOTES}, "--columns 2,4", [("Cat.", "Chat.")]),
    "columns by name": ({"f": NESTED}, "--columns note,de", [("x.", "Katze.")]),
    "columns of the languages": ({"f": "en,de,fr\nCat.,Katze.,Chat.\n"}, "--languages fr-en", [("Chat.", "Cat.")]),
    "columns of one language": ({"f": '{"en": "So.", "simple": "Yes."}'}, "--languages en-en", [("So.", "Yes.")]),
    "the name alone": ({"f": "English,German,English notes\nCat.,Katze.,An animal.\n"}, "", [("Cat.", "Katze.")]),
    "blank rows first": ({"f": "\n;\nde;en\n" + "Hund.;Dog.\n" * 12}, "--columns en,de", [("Dog.", "Hund.")]),
    "a title first": ({"f": spreadsheet([["Lesson 1"], [], ["English", "German"], *PAIRS])}, "", PAIRS),
    "decimals": ({"f": DECIMALS}, "", [("Cat.", "Katze."), ("Dog.", "Hund."), ("Mouse.", "Maus."), ("Cow.", "Kuh.")]),
    "direct speech": (
        {"f": SPEECH},
        "",
        [('"Hi," he said.', '"Hallo", sagte er.'), ('"No," she said.', '"Nein", sagte sie.')],
    ),
    "a spreadsheet's text": ({"f": QUOTED.encode("utf-16")}, "", QUOTED_PAIRS),
    "numbers in sentences": ({"f": OCLOCK}, "", [(f"It is {n} o'clock.", f"Es ist {n} Uhr.") for n in range(12)]),
    "labels that are named": ({"f": DAYS}, "", [(f"{day} May", f"{day}. Mai") for day in range(12)]),
    "a label with a space": ({"f": "".join(f"Corpus \t{src}\t{tgt}\n" for src, tgt in PAIRS)}, "", PAIRS),
    "few labels": ({"f": LABELLED}, "", [(f"A cat {n}.", f"Eine Katze {n}.") for n in range(60)]),
    "a list in an object": ({"f": json.dumps(IN_OBJECT)}, "", PAIRS),
    "a list in objects, on many lines": ({"f": json.dumps({"data": IN_OBJECT}, indent=1)}, "", PAIRS),
    "a space behind a cell": ({"f": '"Cat, so.","Katze." \n"Dog." ,"Hund, so."\n'}, "", SPACED),
    "PO": ({"f": PO}, "", [('A cat sleeps "here".', "Eine Katze schläft „hier“.")]),
    "Toolbox": ({"f": TOOLBOX}, "", [("A cat.", "Die Katze."), ("A dog.", "Ein Hund.")]),
    "Toolbox, of texts": (
        {"f": f"\\id Tales\n\n{TOOLBOX}\\id More\n\\ref 1\n\\tx Yes.\n\\ft Ja.\n"},
        "",
        [("A cat.", "Die Katze."), ("A dog.", "Ein Hund."), ("Yes.", "Ja.")],
    ),
    "Toolbox, its columns chosen": ({"f": TOOLBOX}, "--columns ft,mb", [("Die Katze.", "x-y"), ("Ein Hund.", "x-y")]),
    "subtitles": (CUES, "", [("Hello, you.", "Hallo, du."), ("Nein.", "Nein.")]),
    "subtitles of two kinds": (
        CUES | {"x.de.srt": CUES["x.de.srt"].replace("\n00:", "\n").replace("> 00:", "> ")},
        "",
        [("Hello, you.", "Hallo, du."), ("Nein.", "Nein.")],
    ),
    "a field in a field": ({"f": IN_META}, "--columns source,target", [("Cat.", "Katze.")]),
    "a field in a field, by its role": ({"f": IN_META}, "", [("Cat.", "Katze.")]),
    "numbers below a name with a full stop": ({"f": NUMBERED}, "", PAIRS),
    **{
        f"a language that no name states, in {header}": ({"f": f"{header}\n{OF_THREE}"}, "--languages qio-en", QIOSA)
        for header in ("Qiosa\tEnglish\tSpanish", "txt-qio\tgls-en\tlit-en", "txt-qio\tgls-en\tgls-es")
    },
    "USFM": ({"g.en": USFM_EN, "g.de": USFM_DE}, "", [("In the light so far.", "Im Licht."), ("A.", "B.")]),
    "XLIFF": ({"f": XLIFF}, "", [("The cat.", "Die Katze.")]),
    "XLIFF 2": ({"f": XLIFF_2}, "", [("Yes.", "Oui.")]),
    "XLIFF of three languages": ({"f": XLIFF_OF_THREE}, "--columns en,de", [("Yes.", "Ja.")]),
    "FLEx": ({"f": FLEX}, "", [("Zowsi.", "There was.")]),
    "ELAN": ({"f": ELAN}, "", [("Zowsi.", "There was.")]),
    "Toolbox, a dictionary": (
        {"f": "\\lx a\n\\xv Ja.\n\\ref B\n\\xe Yes.\n\n\\lx b\n\\xv Geh!\n\\xe Go.\n"},
        "--columns xe,xv",
        [("Yes.", "Ja."), ("Go.", "Geh!")],
    ),
    "a header of two words": ({"f": "Source text\tTarget text\n" + "Go.\tGeh!\n" * 12}, "", [("Go.", "Geh!")]),
    "one sentence": ({"f": "Go.\tGeh!\tCC-BY 2.0\n" * 12}, "", [("Go.", "Geh!")]),
    "several tables": (
        {"a": "en,de\nCat.,Katze.\n", "b": DE_EN, "c": '{"de": "Maus.", "en": "Mouse."}\n'},
        "",
        [("Cat.", "Katze."), ("Dog.", "Hund."), ("Mouse.", "Maus.")],
    ),
    "several kinds": (
        {"deu.txt": EN_DE, "b": DE_EN, "c.en": "Mouse.\n", "c.de": "Maus.\n"},
        "",
        [("Cat.", "Katze."), ("Dog.", "Hund."), ("Mouse.", "Maus.")],
    ),
    "strays in aligned files": (
        {
            "t.en": SIDES[0].replace(" ", "\t", 1).replace("Maria he", "Maria\rhe", 1),
            "t.de": gzip.compress(SIDES[1].encode("utf-16")),
        },
        "",
        PAIRS,
    ),
}


@pytest.mark.parametrize("name", READ)
def test_files_are_read_as_they_are_meant(tmp_path: Path, name: str) -> None:
    contents, options, pairs = READ[name]
    write(tmp_path, contents)
    assert trained_on(tmp_path, *contents, *options.split()) == pairs


@pytest.mark.parametrize(
    ("name", "first", "options", "told"),
    [
        ("deu.txt", "Italian\tpt-BR", "", "it to pt (as the names of the columns say)"),
        *(
            ("f", names, "", "en to de (as the names of the columns say)")
            for names in ("Text EN\tText DE", "text_en\ttext_de", "English text\tGerman", "en-US\tde-AT")
        ),
        ("f", "Deutsch\tEspañol", "", "de to es (as the names of the columns say)"),
        ("c.en-fr.tsv", "English\tTranslation", "", "en to fr (as the file's name says)"),
        ("c.en-fr.tsv", "en\ttgt", "", "en to fr (as the file's name says)"),  # tgt is a language, too
        ("c", "English\tTranslation", "", "en to xx (as the names of the columns say)"),
        ("f", "english\tlummi", "", "en to xx (as the names of the columns say)"),
        ("f", "Zulu\tEnglish", "", "zu to en (as the names of the columns say)"),
        ("f", "eng\tlum", "", "en to lum (as the names of the columns say)"),
        ("f", "en\tibo", "", "en to ig (as the names of the columns say)"),
        ("f", "txt-ddo\tgls-en", "", "ddo to en (as the names of the columns say)"),
        ("deu.txt", "house\tHaus", "--columns 2,1", "de to en (as the file's name says)"),
        (
            "f",
            "Ist das nicht die Katze?\tI see the cat and you.",
            "",
            "de to en (by their words, else en-de; see --languages)",
        ),
    ],
)
def test_names_of_columns_and_files_state_the_languages(
    tmp_path: Path, name: str, first: str, options: str, told: str
) -> None:
    (tmp_path / name).write_text(f"{first}\n" + "Cat.\tKatze.\n" * 3, encoding="utf-8")
    assert f"languages   {told}" in prepare(tmp_path, name, *options.split(), *WHOLE).stdout


@pytest.mark.parametrize(
    ("contents", "columns", "message"),
    [
        ({"csv": NOTES}, "en", "error: columns: en must be two columns, by name or number, such as en,de or 2,4"),
        ({"csv": NOTES}, "en,it", "csv: no column is called 'it': the columns are note, en, de, fr"),
        ({"csv": NOTES}, "en,English", "csv: --columns en,English names one column twice: name two"),
        ({"c.de": "Maus.\n", "c.en": "Mouse.\n"}, "2,1", "2,1: c.de + c.en are aligned files, without columns"),
    ],
)
def test_missing_columns_are_named(tmp_path: Path, contents: Mapping[str, str], columns: str, message: str) -> None:
    write(tmp_path, contents)
    done = prepare(tmp_path, *contents, "--columns", columns)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert message in done.stderr


@pytest.mark.parametrize(
    "first",
    [
        "Hi\tHallo",
        "Yes\tJa\tCC-BY",
        "Text\tText",
        "yes\tja",
        "no\tnei",
        "1\teins",
        "he is here\til est ici",
        "i am tired\tik ben moe",
    ],
)
def test_a_first_pair_is_no_header(tmp_path: Path, first: str) -> None:
    write(tmp_path, {"deu.txt": f"{first}\n" + "house\tHaus\nto go\tgehen\n" * 9})
    done = prepare(tmp_path, "deu.txt", *WHOLE)
    assert done.stderr == ""
    assert "lines read          19" in done.stdout


@pytest.mark.parametrize(
    ("before", "between"),
    [("s{}", ""), ("GEN {}:7", ""), ("eng", "deu"), ("{}", "")],
    ids=["id", "verse", "code", "number"],
)
@pytest.mark.parametrize("header", ["", "ref\tEnglish\tGerman\n", "id\tEnglish\tGerman\n"])
def test_columns_of_labels_are_passed_over(tmp_path: Path, before: str, between: str, header: str) -> None:
    if header and between:
        header = header.replace("\tGerman", "\tcode\tGerman")
    rows = [[before.format(number), en, *filter(None, [between]), de] for number, (en, de) in enumerate(PAIRS)]
    (tmp_path / "pairs.tsv").write_text(header + "".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    assert trained_on(tmp_path, "pairs.tsv") == PAIRS


def test_tiers_of_several_speakers_are_read(tmp_path: Path) -> None:
    eaf = FILES["tiers.eaf"].decode().replace('="tx"', '="tx@Anna"').replace('="ft"', '="ft@Anna"')
    for tier, first in (
        ("tx", '<ALIGNABLE_ANNOTATION ANNOTATION_ID="a9"'),
        ("ft", '<REF_ANNOTATION ANNOTATION_ID="r9"'),
    ):
        eaf = eaf.replace(first, f'</TIER><TIER TIER_ID="{tier}@Ben">{first}')
    (tmp_path / "a.eaf").write_text(eaf, encoding="utf-8")
    assert trained_on(tmp_path, "a.eaf") == PAIRS


def test_a_tab_in_a_sentence_is_no_column(tmp_path: Path) -> None:
    lines = [f"The cat {n}.\tDie Katze {n}.\n" for n in range(300)]
    lines[150] = "The cat\tand the dog.\tDie Katze und der Hund.\n"
    (tmp_path / "pairs.txt").write_text("".join(lines), encoding="utf-8")
    assert "  dropped            1  other columns (pairs.txt:151)\n" in prepare(tmp_path, "pairs.txt").stdout


def test_each_record_of_a_line_is_dropped_for_its_own_reason(tmp_path: Path) -> None:
    given = [{"en": "Dog.", "de": "Hund."}, {"en": "Hi.", "de": ""}, {"en": "Go."}, {"en": "x" * 100_001, "de": "x"}]
    given += [{"en": f"Dog {number}.", "de": f"Hund {number}."} for number in range(200)]
    write(tmp_path, {"json": json.dumps(given)})
    told = [line.split() for line in prepare(tmp_path, "json").stdout.splitlines()]
    dropped = {tuple(words[2:4]) for words in told if words[:1] == ["dropped"]}
    assert dropped == {("empty", "side"), ("missing", "column"), ("too", "long")}


def test_a_cue_that_begins_in_the_second_of_another_lacks_a_partner(tmp_path: Path) -> None:
    cues = [(second, f"Dog {second}.", f"Hund {second}.") for second in range(10, 40)]
    srt = "{0}\n00:00:{0},{1} --> 00:00:{0},{2}\n{3}\n\n"
    of_en = "".join(srt.format(second, 100, 200, en) + srt.format(second, 300, 400, "Go!") for second, en, _ in cues)
    of_de = "".join(srt.format(second, 100, 200, de) for second, _, de in cues)
    write(tmp_path, {"a.en.srt": of_en, "a.de.srt": of_de})
    done = prepare(tmp_path, "a.en.srt", "a.de.srt")
    assert "  dropped           30  missing column (a.en.srt + a.de.srt:6," in done.stdout, done.stderr


def test_the_records_of_a_list_are_numbered_though_they_stand_in_one_line(tmp_path: Path) -> None:
    records = [{"en": f"Dog {number}.", "de": f"Hund {number}." if number != 20 else ""} for number in range(200)]
    lists = {"whole": json.dumps(records), "cut": json.dumps(records[:30])}
    write(tmp_path, lists | {"lines": '{"en": "Go.", "de": "Geh!"}\n' * 2})
    done = prepare(tmp_path, "cut")
    assert (
        "error: cut: record 21: the record has an empty source or target: fill it in, or delete the rec" in done.stderr
    )
    assert "(1 of 30 records have this problem" in done.stderr
    assert "empty side (whole: record 21)" in prepare(tmp_path, "whole").stdout
    assert "empty side\twhole: record 21\tDog 20." in (tmp_path / "new" / "dropped.tsv").read_text(encoding="utf-8")
    done = prepare(tmp_path, "whole", "lines", "--overwrite")
    assert "empty side (whole: record 21)" in done.stdout
    assert "duplicate (lines:2)" in done.stdout


def test_rows_with_more_cells_are_refused_whatever_columns_are_taken(tmp_path: Path) -> None:
    rows = [f"{number},When it rains, I stay.,Wenn es regnet, bleibe ich." for number in range(9)]
    rows += [f"{number},Cat {number}.,Katze {number}." for number in range(30)]
    write(tmp_path, {"csv": "\n".join(["nr,English,German", *rows])})
    done = prepare(tmp_path, "csv", *WHOLE)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("s2s: error: csv:2: the line has fewer or more columns than the ")


def test_blank_rows_of_a_spreadsheet_are_none_however_many_stand_before_a_stray_cell(tmp_path: Path) -> None:
    rows = [["English", "German"], *PAIRS[:10], [], [None, None], *PAIRS[10:], *[[]] * 200]
    write(tmp_path, {"sheet": spreadsheet([*rows, [*[None] * 999, " "]])})
    done = prepare(tmp_path, "sheet", *WHOLE)
    assert PreparedCorpus.open(tmp_path / "new").sentences("train") == PAIRS
    assert "lines read          20\n" in done.stdout


def test_a_long_first_record_does_not_make_a_list_of_lines(tmp_path: Path) -> None:
    long = json.dumps({"en": "x" * 70_000, "de": "y"}) + "\n"
    write(tmp_path, {"jsonl": long.encode() + FILES["pairs.jsonl"]})
    done = prepare(tmp_path, "jsonl")
    assert "  dropped            1  too long (jsonl:1)\n" in done.stdout, done.stderr


@pytest.mark.parametrize(("later", "told"), [(7, "of 30 lines lack a side"), (3000, "the same times or verses")])
def test_subtitles_of_another_release_are_told(tmp_path: Path, later: int, told: str) -> None:
    begins = [60 * (n // 10) + n * (n + 1) // 2 % 60 for n in range(30)]
    cue = "{0}\n00:{1:02d}:{2:02d},000 --> 00:{1:02d}:{2:02d},900\nDog {0}.\n\n"
    for name, shift in (("a.en.srt", 0), ("a.de.srt", later)):
        cues = [cue.format(n, *divmod(begin + shift, 60)) for n, begin in enumerate(begins)]
        (tmp_path / name).write_text("".join(cues), encoding="utf-8")
    assert told in prepare(tmp_path, "a.en.srt", "a.de.srt").stderr


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.jsonl", "memory.tmx"])
def test_records_are_read_only_as_far_as_they_are_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(archives, "_PIECE", 5000)
    (tmp_path / name).write_bytes(files(some_pairs(4000), name)[name])
    with local_pair_files({0: [(tmp_path / name,)]}) as given:
        [found] = recognise(given, encoding="utf-8", columns=None, languages=None)
        blocks = list(read_blocks(found, encoding="utf-8", block_lines=500))
    assert [len(block.rows) for block in blocks] == [500] * 8
    assert blocks[0].bytes_read < found.size / 2
    assert blocks[-1].bytes_read == found.size


@pytest.mark.parametrize(
    ("module", "name", "extra"), [("pyarrow", "dataset.parquet", "parquet"), ("openpyxl", "sheet.xlsx", "xlsx")]
)
def test_a_missing_package_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, name: str, extra: str
) -> None:
    (tmp_path / "f").write_bytes(FILES[name])
    monkeypatch.setitem(sys.modules, module, None)
    done = prepare(tmp_path, "f")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"f: its format needs another package: install s2s again with the extra {extra}" in done.stderr
