"""Documents come back whole: all but their text is as it was."""

import re
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO

import pytest

from seq2seq_cli.documents.open_document import _PACKED, _READERS, take_apart
from seq2seq_cli.documents.plain_text import TRANSLATED
from seq2seq_cli.errors import InputError
from tests.documents import DOCUMENTS, members, packed
from tests.site import archive_of

LANGUAGES = ("en", "de")
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
FILLED = ("program.po", "program.xliff")
BOLD = "<w:rPr><w:b/></w:rPr>"


SEGMENTS = (
    '<xliff version="1.2"><file source-language="en"><trans-unit><source>The dog. The man.</source><seg-source>'
    '<mrk mtype="seg">The dog.</mrk> <mrk mtype="seg">The man.</mrk></seg-source></trans-unit></file></xliff>'
)


def shouted(text: str) -> str:
    """The text in capitals, but for its tags: every word is another one, of the same length."""
    return "".join(part if part.startswith("<") else part.upper() for part in re.split(r"(<[^<>]*>)", text))


def translated(name: str, content: bytes, translate: Callable[[str], str] = shouted) -> bytes:
    draft = take_apart(content, name, LANGUAGES)
    return draft.written(translate(slot.text) for slot in draft.slots)


def texts(name: str, content: str | bytes) -> list[str]:
    draft = take_apart(content.encode() if isinstance(content, str) else content, name, LANGUAGES)
    return [slot.text for slot in draft.slots]


def letter(runs: str) -> bytes:
    """A Word file of one paragraph."""
    return packed({"word/document.xml": f"<w:document {_W}><w:body><w:p>{runs}</w:p></w:body></w:document>"})


def test_each_ending_has_a_reader() -> None:
    assert _READERS.keys() | _PACKED.keys() == set(TRANSLATED)


@pytest.mark.parametrize("name", [name for name in DOCUMENTS if name not in FILLED])
def test_all_but_the_text_stays(name: str) -> None:
    before, after = members(name, DOCUMENTS[name]), members(name, translated(name, DOCUMENTS[name]))
    assert list(before) == list(after)
    changed = [member for member in before if before[member] != after[member]]
    assert changed
    for member in changed:
        told = after[member].replace(b'lang="de"', b'lang="en"').lower().split()  # a wrapped line is one
        assert told == before[member].lower().split()


# What is translated of each: marks stand for what is inside of a text.
TEXTS: Mapping[str, list[str]] = {
    "letter.docx": [
        *("The old man", "She <x0>kissed</x0> him<img 1>in the <x2>garden</x2>.", "The dog", "The dog"),
        "The man",
    ],
    "letter.odt": [
        *("The old man", "She <x0>kissed</x0> him in the <x1>garden</x1>.<br 2>He saw the dog.", "The dog"),
        *("He<x0/> saw her.", "The man."),
    ],
    "recipe.html": [
        *("The old man", "The old man"),
        "She <x0>kissed <x1>him</x1></x0> in the garden.<br 2>Use <var 3></var> <x4/> and see.<img 5>",
        *("The dog", "The dog<br 0>", "The man", "She saw him", "The dog"),
    ],
    "film.srt": ["She kissed the old man in the garden.", "Who is he?", "The dog."],
    "film.vtt": ["She kissed the <b>old</b> man.", "The dog"],
    "notes.md": [
        *("The old man", 'She **kissed** him in the [garden](https://a.org/x "The dog"), [seen][1] by `x < y`.'),
        *("He saw the dog.", "The dog", "[x] The dog", "She saw him.", "The man", "a | dog"),
    ],
    "program.json": ["The dog", 'She saw %d "dogs".', "She kissed <b>{name}</b>.\nThe dog\u2026"],
    "program.xliff": ["She <x0>kissed</x0> <var 1></var><x2/>in <x3/>."],
    "program.po": ["She saw %d dogs.", "The dog.\nThe man.\n", "The dog", "The dogs"],
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_texts_of_a_document(name: str) -> None:
    assert texts(name, DOCUMENTS[name]) == TEXTS[name]


def run(text: str, style: str = "") -> str:
    return f'<w:r>{style}<w:t xml:space="preserve">{text}</w:t></w:r>'


PAGE = "".join(
    f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>{inner}'
    for kind, inner in (
        ("begin", "<w:r><w:instrText>PAGE</w:instrText></w:r>"),
        ("separate", "<w:r><w:t>A</w:t></w:r>"),
        ("end", ""),
    )
)
"""A field."""


def shown(*texts: str) -> str:
    """Subtitles of a second each."""
    return "\n".join(f"00:{start:02}.000 --> 00:{start + 1:02}.000\n{text}\n" for start, text in enumerate(texts))


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        # Other languages, and what a page says that is not to be translated; an inner statement counts more.
        (
            "a.html",
            '<p>Say <i lang="fr">oui</i> to <b translate="no">Tom</b>.',
            ["Say <var 0></var> to <var 1></var>."],
        ),
        ("a.html", '<div translate="no">Yes<p translate="yes">No</p></div>', ["No"]),
        ("a.html", '<p lang="fr">Oui <i lang="en-GB">yes</i></p><p lang="en-US">No</p>', ["No"]),
        ("a.html", "<p>1 + 2</p><p>5 &lt; 6 &amp; you</p>", ["5 &lt; 6 &amp; you"]),
        ("a.html", "<p>a\0b \x0c c</p>", ["a\ufffdb \x0c c"]),
        ("a.html", '<html lang="no"><p>Nei</p>', []),
        # What the parser does not expect: an empty element of HTML 5, and text behind the end.
        ("a.html", "<p>a<wbr>b <b>c</b></p></html>d<p>e", ["<br 0>d<br 1>", "a<x0/>b <x1>c</x1>", "e"]),
        # What takes ages where time grows with the square of the white space, or of the formulas without an end.
        ("a.md", "$$a\n" * 10_000, []),
        ("a.html", f"<p>a{chr(10) * 300_000}<b>c</b></p>", [f"a{chr(10) * 300_000}<x0>c</x0>"]),
        ("a.srt", shown(f"a{' ' * 300_000}b{'</i>' * 100_000}c"), [f"a{' ' * 300_000}b{'</i>' * 100_000}c"]),
        # Links whose text is their label, and a title that is underlined.
        (
            "a.md",
            "See [a], [b][], [b][a], [b](c)\nand [c].\n\n[A]: x\n[b]: y\n",
            ["See [a][a], [b][b], [b][a], [b](c) and [c]."],
        ),
        ("a.md", "> The\n> dog\n> ===\r\n> a  \r\nb\r\n", ["The dog", "a", "b"]),
        ("a.md", "The[^1] dog.\n\n[^1]: A dog.\n\n`x`\n", ["The[^1] dog.", "A dog."]),
        ("a.md", "> [!NOTE]\n> A dog.\n\n$$\na\n$$\n", ["A dog."]),
        ("a.md", "A dog:\n$$\nthe dog\n$$\nA cat.\n\n- $$x$$\n\nB.\n", ["A dog:", "A cat.", "B."]),
        ("a.md", "A dog is\n$$x$$, a cat.\n\n```\n$$ b\n```\nB.\n$$\n", ["A dog is $$x$$, a cat.", "B. $$"]),
        ("a.md", ":::note\nA dog.\n:::\n\nA cat.\n", ["A dog.", "A cat."]),
        ("a.md", '+++\ntitle = "The dog"\n+++\n\nA dog.\n', ["A dog."]),
        ("a.md", "---\r\ntitle: The dog\r\n---\r\n\r\nA dog.\r\n", ["A dog."]),
        ("a.md", "---\n\nA dog.\n\n---\n\nA cat.\n", ["A dog.", "A cat."]),
        ("a.json", '\ufeff"a"', ["a"]),
        ("a.json", '{"id": 1234567890123456789, "a": "b"}', ["b"]),
        ("a.xlf", SEGMENTS, ["The dog.", "The man."]),
        # Characters with names, which XML knows by their numbers alone.
        ("a.xhtml", "<p>caf&eacute;&nbsp;&lt;b<!-- &nbsp; --></p>", ["caf\xe9\xa0&lt;b<x0/>"]),
        ("a.po", '\ufeffmsgid "a"\nmsgstr ""\n', ["a"]),
        (
            "a.po",
            "".join(f'msgid "{text}"\nmsgstr ""\n' for text in ("&Open", "a_b", "R&D", "a _b", "a {_n}", "a.b/_c")),
            ["Open", "a_b", "R&D", "a b", "a {_n}", "a.b/_c"],
        ),
        ("a.po", 'msgid "a\\d\\t\\"b\\\\"\nmsgstr ""\n', ['a\\d\t"b\\']),
        ("a.po", 'msgid "a"\nmsgstr ""\nmsgid "b"\nmsgstr ""\n# c\nmsgid "d"\nmsgstr "D"\n', ["a", "b"]),
        # The mark of an end and a new speaker end a sentence.
        ("a.srt", shown("a,", "b", "c."), ["a, b c."]),
        ("a.srt", shown("a.", "<i>b</i>", "- c\n- d\ne", "12."), ["a.", "b", "c", "d e 12."]),
        ("a.srt", shown("", "b"), ["b"]),
        ("a.srt", "1\n00:01.0 --> 00:02.0\na.\n2\n00:02.0 --> 00:03.0\nb.\n", ["a.", "b."]),
        ("a.vtt", shown("a <00:01.2><c>b</c>"), ["a <c>b</c>"]),
        ("a.srt", shown("<i>a\nb</i>", "c <b>d</b>"), ["a b c <b>d</b>"]),
        ("a.srt", shown("昨日彼女は\n新しい家を買った。", "ok\n家"), ["昨日彼女は新しい家を買った。", "ok 家"]),
        ("a.md", "ကောင်း။\nရပါ\n", ["ကောင်း။ ရပါ"]),
        ("a.srt", shown("♪ a ♪", "(b c)", "d", "[e]", "f"), ["♪ a ♪", "(b c)", "d", "[e]", "f"]),
        ("a.srt", shown(*"abcdefghij"), ["a b c d e f g h", "i j"]),
        # Word cuts a text into runs wherever it was edited.
        ("a.docx", letter(run("She k") + "<w:proofErr/>" + run("issed")), ["She kissed"]),
        ("a.docx", letter(run("a", BOLD) + run("b", BOLD) + run("cde")), ["<x0>ab</x0>cde"]),
        ("a.docx", letter(f'<w:ins xmlns:b="b">{run("a", BOLD)}</w:ins>{run("b")}'), ["<x0>a</x0>b"]),
        ("a.docx", letter(f"{run('a')}<w:r><w:noBreakHyphen/></w:r>{run('b')}"), ["a-b"]),
        ("a.docx", letter(run("a") + "<w:r><w:br/></w:r>" + run("b")), ["a<br 0>b"]),
        ("a.docx", letter(run("a") + f"<w:r><w:pict><w:p>{run('b')}</w:p></w:pict></w:r>"), ["a<img 0>", "b"]),
        ("a.docx", letter(f"{run('a')}<w:sdt><w:sdtContent>{run('b')}</w:sdtContent></w:sdt>"), ["a<img 0>", "b"]),
        ("a.docx", letter(f"{run('See ')}<w:fldSimple>{run('A')}</w:fldSimple>{run('.')}"), ["See <var 0></var>."]),
        ("a.docx", letter(run("See ") + PAGE + run(".")), ["See <var 0></var>."]),
        ("a.docx", letter(PAGE.replace("begin", "end")), ["<x0/><x1/><x2/>A<x3/>"]),
        ("a.docx", letter(f"<w:del>{run('no')}</w:del><w:ins>{run('a')}</w:ins>"), ["<x0/><x1>a</x1>"]),
    ],
)
def test_the_texts_of_a_special_case(name: str, content: str | bytes, expected: list[str]) -> None:
    assert texts(name, content) == expected
    translated(name, content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("<p>ä</p>", "<p>Ä</p>"),
        ("<p>&auml;&nbsp;b</p>", "<p>&#196;&#160;B</p>"),  # no encoding is stated: plain ASCII is right in each
    ],
)
def test_a_page_is_written_as_it_was_read(content: str, expected: str) -> None:
    assert translated("a.html", content.encode()).decode() == f"<html><body>{expected}</body></html>"


def test_what_stands_behind_the_end_of_a_page_stays() -> None:
    written = translated("a.html", b"<p>a<wbr>b</p></body></html><script>c</script>d</html><p>e")
    assert written == b"<html><body><p>A<wbr></wbr>B</p></body><script>c</script>D<p>E</p></html>"


def test_what_is_translated_states_the_language_of_the_target() -> None:
    page = (
        '<html lang="{0}" xml:lang="{0}"><body lang="{0}"><p lang="{0}">A <i lang="{0}">B<br></i></p>'
        '<a hreflang="en" title="C" lang="{0}">1</a><p lang="fr">d</p><p translate="no" lang="en-GB">e</p>'
        "</body></html>"
    )
    written = translated("a.html", page.format("en-GB").encode()).decode()
    assert written == page.format("de")
    written = translated("a.xhtml", page.format("en-GB").replace("<br>", "<br/>").encode()).decode()
    assert written == page.format("de").replace("<br>", "<br/>")


def test_a_book_states_the_language_of_the_target() -> None:
    book = (
        '<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>A</dc:title>{}</metadata></package>'
    )
    before, after = (
        book.format(f"<dc:language>{language}</dc:language><dc:language>fr</dc:language>")
        for language in ("en-GB", "de")
    )
    with zipfile.ZipFile(BytesIO(translated("a.epub", packed({"a.opf": before})))) as archive:
        assert archive.read("a.opf").decode() == after


def test_a_page_keeps_its_encoding() -> None:
    page = '<head><meta charset="iso-8859-1"></head><p>“é</p>'.encode("cp1252")  # what that name means to browsers
    assert texts("a.html", page) == ["“é"]
    assert texts("a.html", page.replace(b"\x93", b"\x81")) == ["\x81é"]  # which no character of Python's cp1252 is
    assert "<p>“É</p>".encode("cp1252") in translated("a.html", page)


def test_a_page_that_says_utf_16_in_single_bytes_is_utf_8() -> None:
    page = '<html><head><meta charset="utf-16"></head><body><p>ä!</p></body></html>'
    assert len(page.encode()) % 2 == 0
    assert translated("a.html", page.encode()).decode() == page.replace("ä", "Ä")


def test_a_page_keeps_its_byte_order_mark() -> None:
    assert translated("a.html", "\ufeff<p>ä</p>".encode()).startswith("\ufeff<html>".encode())


def test_a_catalogue_is_filled() -> None:
    written = translated("program.po", DOCUMENTS["program.po"]).decode()
    filled = DOCUMENTS["program.po"].decode().replace('msgstr[0] ""', 'msgstr[0] "THE DOG"')
    filled = filled.replace('msgstr[1] ""', 'msgstr[1] "THE DOGS"').replace(
        'dogs."\nmsgstr ""', 'dogs."\nmsgstr "SHE SAW %D DOGS."'
    )
    assert written == filled.replace('msgstr ""\n""', 'msgstr ""\n"THE DOG.\\n"\n"THE MAN.\\n"')


@pytest.mark.parametrize(
    ("name", "content", "translation", "expected"),
    [
        ("a.md", "# a\r\n\r\n> a\r\n> b\r\n\r\n12", "3. Mai", "# 3\\. Mai\r\n\r\n> 3\\. Mai\r\n\r\n12"),
        ("a.md", "[^1]: The[^b] dog.", "Ein[^b] Hund.", "[^1]: Ein[^b] Hund."),
        ("a.md", "a|b\n-|-\n1|b", "c | d", "c \\| d|c \\| d\n-|-\n1|c \\| d"),
        ("a.md", "1|2\n-|-\n`b`|b\n<img alt='b'>|b", "c", "1|2\n-|-\n`b`|c\n<img alt='b'>|c"),
        ("a.md", "> [!NOTE]\n>\n> a", "c", "> [!NOTE]\n>\n> c"),
        ("a.json", '{"a":"b\\u00e9\\/", "c":1e5}', 'ä/"', '{"a":"\\u00e4\\/\\"", "c":1e5}'),
        ("a.json", '["b"]', "ä/\n", '["ä/\\n"]'),
    ],
)
def test_a_translation_is_written_as_the_format_has_it(
    name: str, content: str, translation: str, expected: str
) -> None:
    assert translated(name, content.encode(), lambda _: translation).decode() == expected


def test_the_units_of_xliff_are_filled() -> None:
    content = DOCUMENTS["program.xliff"]
    [target] = re.findall(b"<target state=[^>]*/>", content)
    filled = target.replace(
        b"/>", b'>SHE <g id="1">KISSED</g> <mrk mtype="protected">Tom</mrk><x id="2" ctype="x-a"/>IN'
    )
    filled += b' <ph id="3">the dog</ph>.</target>'
    expected = members("program.xliff", content.replace(target, filled))
    assert members("program.xliff", translated("program.xliff", content)) == expected
    without = content.replace(target, b"").replace(b' target-language="de"', b"")
    assert members("program.xliff", translated("program.xliff", without)) == expected


def test_segments_of_xliff_are_translated_each_for_itself() -> None:
    written = translated("a.xlf", SEGMENTS.encode()).decode()
    assert '<target><mrk mtype="seg">THE DOG.</mrk> <mrk mtype="seg">THE MAN.</mrk></target>' in re.sub(
        " state[a-z-]*=[^ >]*", "", written
    )
    second = (
        '<xliff version="2.0" srcLang="en"><unit><segment><source>A <pc id="1">b</pc></source></segment></unit></xliff>'
    )
    filled = second.replace("</source>", '</source><target>A <pc id="1">B</pc></target>').replace(
        "<segment>", '<segment state="translated">'
    )
    assert translated("a.xlf", second.encode()).decode() == filled.replace('"en">', '"en" trgLang="de">')


def test_words_of_a_format_move_with_it() -> None:
    content = translated("a.docx", letter(run("a ") + run("b", BOLD) + run("cd")), lambda _: "<x0>B</x0> &lt; C")
    expected = letter(run("B", BOLD).replace(' xml:space="preserve"', "") + run(" &lt; C"))
    assert members("a.docx", content) == members("a.docx", expected)


def test_a_field_moves_as_a_whole() -> None:
    content = translated("a.docx", letter(run("See ") + PAGE + run(" now")), lambda _: "<var 0></var> B")
    assert members("a.docx", content) == members("a.docx", letter(PAGE + run(" B")))


def test_a_mark_that_the_model_wrote_is_text() -> None:
    assert b"<p>&lt;x7&gt;<b>b</b></p>" in translated("a.html", b"<p>a <b>b</b></p>", lambda _: "<x7><x0>b</x0>")


@pytest.mark.parametrize(
    ("translation", "lines"),
    [
        ("Sie küsste den alten Mann im Garten.", ["Sie küsste den alten", "<i>Mann im Garten.</i>"]),
        ("Sie küsste, als sie kam, ihn.", ["Sie küsste, als sie kam,", "<i>ihn.</i>"]),
        ("Im <b>alten Garten hinten</b> küsste sie.", ["Im <b>alten Garten hinten</b>", "<i>küsste sie.</i>"]),
        ("她在花园里吻了那个老人。", ["她在花园里吻了", "<i>那个老人。</i>"]),
        ("Ja.", ["Ja."]),
    ],
)
def test_a_sentence_is_cut_to_fit_its_subtitles(translation: str, lines: list[str]) -> None:
    written = translated("film.srt", DOCUMENTS["film.srt"], lambda text: translation if "kissed" in text else text)
    cues = [cue.split("\r\n")[2:] for cue in written.decode().split("\r\n\r\n")[:2]]
    assert [line for cue in cues for line in cue] == lines


@pytest.mark.parametrize(
    ("lines", "written"),
    [("<i>Well,\nof course.</i>", "<i>Gut.\n</i>"), ("Well,\n<i>of\ncourse.</i>", "Gut."), ("Well,\n<i>b</i>", "Gut.")],
)
def test_no_half_of_a_tag_is_left_by_a_translation_of_fewer_words(lines: str, written: str) -> None:
    assert translated("a.vtt", shown(lines).encode(), lambda _: "Gut.").decode() == shown(written)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.docx", b"\xd0\xcf\x11\xe0", "damaged or encrypted"),  # an old or an encrypted file of Word
        ("a.docx", b"PK\x03\x04", "damaged or encrypted"),
        ("a.docx", DOCUMENTS["letter.docx"][:-200], "damaged or encrypted"),
        ("a.docx", packed({"word/document.xml": "<a>"}), "word/document.xml:1:4: not XML"),
        ("a.odt", packed({"content.xml": b"\x01\x02"}), "content.xml:1:1: not XML"),
        ("a.html", b"", "empty"),
        ("a.html", b"<!-- no text -->", "empty"),
        ("a.html", b"<font>" * 300 + b"a", "too deep"),
        ("a.html", b'<meta charset="ascii">\xff', "not in ascii"),
        ("a.html", b'<meta charset="nonsense">', "not in nonsense"),
        ("a.html", b'<meta charset="undefined">', "not in undefined"),
        ("a.xhtml", b"<p>\n<b></p>", "a.xhtml:2:8: not XML"),
        ("a.xlf", b'<xliff srcLang="en" trgLang="fr"/>', "a.xlf:1: trgLang is fr, and the model's is de"),
        ("a.xlf", b'<xliff><file source-language="de-AT"/></xliff>', "a.xlf:1: source-language is de-AT"),
        ("a.json", b'{\n"a": tru}', "a.json:2:6: not JSON: Expecting value"),
        ("a.json", b"[1", "a.json:1:3: not JSON: Expecting"),
        ("a.json", b"[" * 100_000, "a.json: not JSON: nested too deeply"),
        ("a.json", b'["\\ud800"]', "a.json: not JSON"),
        ("a.po", b"#\n\xff", "a.po:2: byte 0xff is not UTF-8"),
        ("a.po", b'msgid "a\n', "a.po:1: no line of a PO file"),
    ],
)
def test_a_document_that_cannot_be_read_has_one_clear_line(name: str, content: bytes, problem: str) -> None:
    with pytest.raises(InputError, match=re.escape(problem)) as raised:
        take_apart(content, name, LANGUAGES)
    assert str(raised.value).startswith(name)
    assert len(str(raised.value).splitlines()) == 1


def test_entities_are_not_expanded() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><a><p>Yes &b;</p></a>'
    assert texts("a.xhtml", bomb) == ["Yes <x0/>"]
    assert b"&b;" in translated("a.xhtml", bomb.encode())


def test_a_member_that_is_packed_by_another_method_is_refused() -> None:
    bzip2 = archive_of({"word/document.xml": b"<a/>"}, compression=zipfile.ZIP_BZIP2)  # a few bytes may hold gigabytes
    with pytest.raises(InputError, match="damaged or encrypted"):
        take_apart(bzip2, "a.docx", LANGUAGES)


@pytest.mark.parametrize(
    "text",
    [
        "The [![dog](https://a.org/x.svg)][b].",
        "The [![dog][b]][c].",
        "The dog[^1].",
        "The dog `list[b]`.",
        "The dog `` list[b] ``.",
        r"The dog \[b].",
    ],
)
def test_brackets_that_are_no_label_of_a_link_stay(text: str) -> None:
    assert texts("a.md", f"{text}\n\n[b]: https://b.org\n[c]: https://c.org\n[^1]: https://d.org") == [text]


def test_the_only_form_of_a_language_has_the_translation_of_the_plural() -> None:
    message = 'msgid "a dog"\nmsgid_plural "dogs"\nmsgstr[0] ""\n'
    assert texts("a.po", message) == ["dogs"]
    assert texts("a.po", f'{message}msgstr[1] ""\n') == ["a dog", "dogs"]


def test_an_archive_of_many_zeros_is_refused() -> None:
    zeros = {f"{number}": bytes(50_000_001) for number in range(4)}
    with pytest.raises(InputError, match="more than 200 MB"):
        take_apart(packed({"content.xml": "", **zeros}), "a.odt", LANGUAGES)
