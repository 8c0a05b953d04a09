"""A small document of each format, and what is left of one without its text."""

import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import PurePath

from lxml import etree

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_SPACES = {name: name for name in ("office", "text", "style", "manifest")} | {"fo": "xsl-fo-compatible"}
_OPEN_DOCUMENT = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{space}:1.0"' for name, space in _SPACES.items()
)
_DECLARED = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_ODT = "application/vnd.oasis.opendocument.text"
_PICTURE = bytes(range(256))

_WORD = f"""{_DECLARED}<w:document {_W}
 xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"
 xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:body>\
<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>The old man</w:t></w:r></w:p>\
<w:p><w:r><w:t xml:space="preserve">She </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>kissed</w:t></w:r>\
<w:r><w:t xml:space="preserve"> him</w:t><w:tab/><w:t xml:space="preserve">in the </w:t></w:r>\
<w:hyperlink r:id="rId9"><w:r><w:rPr><w:color w:val="0000FF"/></w:rPr><w:t>garden</w:t></w:r></w:hyperlink>\
<w:r><w:t>.</w:t></w:r></w:p>\
<w:p><w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture" descr="The dog"/></wp:inline></w:drawing></w:r></w:p>\
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>The dog</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>12</w:t></w:r></w:p></w:tc>\
</w:tr></w:tbl><w:sectPr/></w:body></w:document>"""

_TEXT = f"""{_DECLARED}<office:document-content {_OPEN_DOCUMENT} xmlns:xlink="http://www.w3.org/1999/xlink"\
 office:version="1.2"><office:automatic-styles><style:style style:name="T1" style:family="text">\
<style:text-properties fo:font-weight="bold"/></style:style></office:automatic-styles><office:body><office:text>\
<text:h text:outline-level="1">The old man</text:h>\
<text:p>She <text:span text:style-name="T1">kissed</text:span> him in the\
 <text:a xlink:type="simple" xlink:href="https://a.org/x">garden</text:a>.<text:line-break/>He saw the dog.</text:p>\
<text:list><text:list-item><text:p>The dog</text:p></text:list-item></text:list>\
<text:p>He<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation>\
<text:note-body><text:p>The man.</text:p></text:note-body></text:note> saw her.</text:p>\
</office:text></office:body></office:document-content>"""

_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>The old man</title><style>p > b { color: red }</style>
<script>if (1 < 2) { document.title = "The dog" }</script></head>
<body class="a">
<h1>The old man</h1>
<p>She <b>kissed <i>him</i></b> in the
  garden.<br>Use <code>x &lt; y</code> <!-- no text --> and see.<img src="a.png" alt="The dog"></p>
<ul><li>The dog<ul><li title="The man">She saw him</li></ul></li></ul>
<p translate="no">She kissed him.</p><p class="notranslate">She kissed him.</p><p lang="fr">Elle chante.</p>
<table><tr><td>The dog</td><td>12</td></tr></table>
</body></html>
"""
_CHAPTER = _PAGE.replace("<!DOCTYPE html>", '<?xml version="1.0" encoding="UTF-8"?>').replace("<br>", "<br/>").replace(
    'alt="The dog">', 'alt="The dog"/>'
).replace('<meta charset="utf-8">', "").replace("<html", '<html xmlns="http://www.w3.org/1999/xhtml"').replace(
    "1 < 2", "1"
)  # fmt: skip


def packed(members: Mapping[str, str | bytes]) -> bytes:
    """A zip archive."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            is_first = name == "mimetype"
            archive.writestr(
                zipfile.ZipInfo(name, (2020, 2, 2, 2, 2, 2)),
                content,
                zipfile.ZIP_STORED if is_first else zipfile.ZIP_DEFLATED,
            )
    return file.getvalue()


_TYPES = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELATED = f'{_DECLARED}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
DOCUMENTS: Mapping[str, bytes] = {
    "letter.docx": packed(
        {
            "[Content_Types].xml": f"{_DECLARED}<Types"
            ' xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml"'
            f' ContentType="{_TYPES}.document.main+xml"/></Types>',
            "_rels/.rels": f'{_RELATED}<Relationship Id="rId1" Type="{_RELATIONS}/officeDocument"'
            ' Target="word/document.xml"/></Relationships>',
            "word/_rels/document.xml.rels": f'{_RELATED}<Relationship Id="rId9" Type="{_RELATIONS}/hyperlink"'
            ' Target="https://a.org/x" TargetMode="External"/></Relationships>',
            "word/document.xml": _WORD,
            "word/header1.xml": f"{_DECLARED}<w:hdr {_W}><w:p><w:r><w:t>The man</w:t></w:r></w:p></w:hdr>",
            "word/media/a.png": _PICTURE,
        }
    ),
    "letter.odt": packed(
        {
            "mimetype": _ODT,
            "content.xml": _TEXT,
            "META-INF/manifest.xml": f'{_DECLARED}<manifest:manifest {_OPEN_DOCUMENT} manifest:version="1.2">'
            f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{_ODT}"/>'
            '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
            '<manifest:file-entry manifest:full-path="Pictures/a.png" manifest:media-type="image/png"/>'
            "</manifest:manifest>",
            "Pictures/a.png": _PICTURE,
        }
    ),
    "book.epub": packed(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": "<container/>",
            "a.xhtml": _CHAPTER,
            "a.png": _PICTURE,
        }
    ),
    "recipe.html": _PAGE.encode(),
    "film.srt": b"""1\r
00:00:01,000 --> 00:00:02,500\r
She kissed the old man\r
\r
2\r
00:00:02,600 --> 00:00:04,000 X1:1\r
<i>in the garden.</i>\r
\r
3\r
00:00:05,000 --> 00:00:06,000\r
- Who is he?\r
- The dog.\r
""",
    "film.vtt": b"""WEBVTT - The film

NOTE She kissed him.

STYLE
::cue { color: red }

first
00:01.000 --> 00:02.500 align:start
<v Tom>She kissed
the <b>old</b> man.

00:03.000 --> 00:04.000
The dog
""",
    "notes.md": b"""---
title: The old man
---
# The old man #

She **kissed** him
in the [garden](https://a.org/x "The dog"), [seen][1] by
`x < y`.\\
He saw the dog.

> The dog
- [x] The dog
  - She saw him.

| The man | 12 |
|:--|--:|
| a \\| dog | `x` |

```sh
cat dog
```
    the dog

<div>
The dog
</div>

[1]: https://a.org/dog "The dog"
""",
    "program.json": b"""{
  "dog": "The dog",  "1" : ["She saw %d \\"dogs\\".", 1.50, null,
    {"kissed": "She kissed <b>{name}<\\/b>.\\nThe dog\\u2026", "dog": "12"}],
\t"none": {"dogs": "{count, plural, one {dog} other {dogs}}"}
}
""",
    "program.xliff": b"""<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file source-language="en-US" target-language="de" original="a.c" datatype="plaintext"><body>
<trans-unit id="1"><source>She <g id="1">kissed</g> <mrk mtype="protected">Tom</mrk><x id="2" ctype="x-a"/>in\
 <ph id="3">the dog</ph>.</source>\
<target state="needs-review-translation" state-qualifier="leveraged-mt"/></trans-unit>
<trans-unit id="2"><source>The dog</source><target>Ein Hund</target><note>The dog</note></trans-unit>
<trans-unit id="3" translate="no"><source>The dog</source></trans-unit>
</body></file></xliff>
""",
    "program.po": b"""# She kissed him.
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"

#, c-format
msgid "She saw %d dogs."
msgstr ""

msgid ""
"The dog.\\n"
"The man.\\n"
msgstr ""
""

msgctxt "The man"
msgid "The dog"
msgid_plural "The dogs"
msgstr[0] ""
msgstr[1] ""

#, fuzzy
msgid "The man"
msgstr "Die Frau"

#~ msgid "The old man"
#~ msgstr ""
""",
}


def members(name: str, content: bytes) -> dict[str, bytes]:
    """The files of a document in their order, those of text in a canonical form."""
    if PurePath(name).suffix not in {".docx", ".odt", ".epub"}:
        return {name: canonical(name, content)}
    with zipfile.ZipFile(BytesIO(content)) as archive:
        infos = archive.infolist()
        told = {f"{info.filename} {info.date_time} {info.compress_type}": info for info in infos}
        return {each: canonical(info.filename, archive.read(info)) for each, info in told.items()}


def canonical(name: str, content: bytes) -> bytes:
    """A file in the form that all XML and HTML files of the same meaning have; other files are as they are."""
    ending = PurePath(name).suffix
    if not content or ending not in {".xml", ".xhtml", ".html", ".xliff"}:
        return content
    parser = etree.HTMLParser() if ending == ".html" else etree.XMLParser(resolve_entities=False)
    return etree.tostring(etree.parse(BytesIO(content), parser), method="c14n")
