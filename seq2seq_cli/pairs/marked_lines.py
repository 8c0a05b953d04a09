r"""Formats whose lines have marks: catalogues of gettext, records of Toolbox, Bibles in USFM, and subtitles.

    PO                  Toolbox                  USFM                          SubRip, WebVTT
    msgid "a text"      \ref 12                  \id GEN                       1
    msgstr "ein Text"   \tx a text               \c 1                          00:00:01,600 --> 00:00:04,200
                        \ft its translation      \v 1 In the beginning ...     a text

PO: https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html; USFM: https://docs.usfm.bible
"""

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from seq2seq_cli.documents.plain_text import is_subtitles, keyed_texts, messages
from seq2seq_cli.pairs.pair_files import Column, KeyedTexts, Reader, Record
from seq2seq_cli.pairs.text_lines import lines_of

_MARKER = re.compile(r"\\(\w+)\*?\s?(.*)")
_NOTES = re.compile(r"\\(f|fe|ef|x|ex|fig|rq|va|vp|ca)\s.{0,1000}?\\\1\*")
_ATTRIBUTES = re.compile(r"\|[^\\|]*(?=\\)")
r"""Behind a word: ``\w light|lemma="lux"\w*``."""
_INLINE = re.compile(r"\\\+?\w+\*?")
_HEADINGS = {
    *("mt", "mt1", "mt2", "h", "toc1", "toc2", "toc3", "ms", "mr", "s", "s1", "s2", "s3", "r", "d", "sp", "rem")
}
"""Markers of lines that belong to no verse."""
_INSIDE = re.compile(rf"(?=\\(?:[cmpv]|q\d?|{'|'.join(_HEADINGS)})\s)")
"""The beginnings of verses, paragraphs and headings, which may stand inside a line, too."""


def find_marked(head: str) -> Reader | KeyedTexts | None:
    """The reader of a text that begins like one of these formats; None for any other text."""
    lines = [line for line in head.split("\n") if line.strip()]
    if head.lstrip().startswith("\\id ") and "\\v " in head:
        return KeyedTexts("USFM", verses)
    if is_subtitles(head):
        return KeyedTexts("subtitles", keyed_texts)
    if {"msgid ", "msgstr"} <= {line[:6] for line in lines}:
        return Reader("PO", _catalogue)
    has_markers = head.lstrip().startswith("\\") and 2 * sum(line.startswith("\\") for line in lines) > len(lines)
    return Reader("Toolbox (SFM)", _interlinear) if has_markers else None


def _catalogue(file: BinaryIO, name: str, encoding: str) -> Iterator[Record]:
    """The messages that are translated, with the columns ``msgid`` and ``msgstr``; those in doubt (fuzzy) are not."""
    for message in messages(lines_of(file, name, encoding), name):
        texts = message.texts
        if texts.get("msgid") and texts.get("msgstr") and not message.is_fuzzy:
            yield Record(message.lines["msgid"][0], {key: texts[key] for key in ("msgid", "msgstr")})


def _interlinear(file: BinaryIO, name: str, encoding: str) -> Iterator[Record]:
    r"""The records of Toolbox, which begin at the marker of the first; their columns are the markers.

    A first ``\id`` begins a text, and ``\ref`` its records. A line without a marker goes on the one before.
    """
    first, begun, cells, marker = "", 1, dict[Column, str](), ""
    for number, line in enumerate(lines_of(file, name, encoding), start=1):
        found = _MARKER.match(line or "")
        if found and found[1].startswith("_"):  # the type of the database
            continue
        marker, text = (found[1], found[2]) if found else (marker, line or "")
        first = first or marker
        if found and (marker == first or (first, marker) == ("id", "ref")):
            yield from [Record(begun, cells)] if cells else []
            begun, cells = number, {}
        if text.strip():
            cells[marker] = f"{cells[marker]} {text.strip()}" if marker in cells else text.strip()
    yield from [Record(begun, cells)] if cells else []


def verses(lines: Iterable[str | None]) -> Iterator[tuple[int, str, str]]:
    """The verses of a Bible, which two translations have in common, by keys such as ``GEN 1:1``."""
    book = chapter = key = ""
    begun, parts = 1, list[str]()
    numbered = ((i, part) for i, line in enumerate(lines, start=1) for part in _INSIDE.split(line or ""))
    for number, line in numbered:
        found = _MARKER.match(line)
        marker = found[1] if found else ""
        if found and marker in {"id", "c", "v"}:
            yield from [(begun, key, _plain(parts))] if key else []
            value, _, line = found[2].strip().partition(" ")
            if marker == "id":
                book = value
            elif marker == "c":
                chapter = value
            key, begun, parts = f"{book} {chapter}:{value}" if marker == "v" else "", number, []
        elif marker in _HEADINGS:
            continue
        parts.append(line)
    yield from [(begun, key, _plain(parts))] if key else []


def _plain(parts: Iterable[str]) -> str:
    """The text of a verse, without notes and markers."""
    text = _NOTES.sub(" ", " ".join(parts))
    return _INLINE.sub("", _ATTRIBUTES.sub("", text))
