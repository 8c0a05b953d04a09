"""The texts of a document, and the document again from their translations."""

import re
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from seq2seq_cli.errors import InputError
from seq2seq_cli.text.normalise import is_unspaced

Languages: TypeAlias = tuple[str, str]
"""The language that a document is translated from, and the one that it is translated into: two codes."""

KINDS = {
    ".docx": "a Word document",
    ".odt": "an OpenDocument text",
    ".epub": "a book",
    **dict.fromkeys((".html", ".htm", ".xhtml"), "a web page"),
    **dict.fromkeys((".md", ".markdown"), "a Markdown file"),
    **dict.fromkeys((".srt", ".vtt"), "a file of subtitles"),
    ".po": "a PO catalogue",
    ".json": "a JSON file",
}
"""The formats that are translated, by the endings of names."""
REFUSED = frozenset([".doc", ".rtf", ".pdf", ".ppt", ".pptx", ".odp", ".xls", ".ods", ".pages"])
"""Endings of documents that are not."""
LARGEST = 100_000_000
"""Bytes of a document."""

_TAG = re.compile(r"<(/?)[A-Za-z][^<>]*?(/?)>")
_MARKS = ".,;:!?…。，、；：！？"
_WORTH_OF_MARK = 8
"""Characters by which a cut behind a punctuation mark may be farther from its place."""


@dataclass(frozen=True)
class Draft:
    """A document taken apart: its texts are translated one by one."""

    texts: Sequence[str]
    """Each as `Translator.translate` takes it, with inline marks."""
    finish: Callable[[Sequence[str]], bytes]
    """Makes the document from the translations, in the order of the texts."""


def primary(tag: str) -> str:
    """The language of a tag, whatever the region: ``en`` for ``en-US``."""
    return tag.strip().replace("_", "-").partition("-")[0].lower()


def decoded(content: bytes, name: str) -> str:
    """The text of a file in UTF-8, with its own line ends; raises InputError for other bytes."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}:{line}: byte 0x{content[error.start]:02x} is not UTF-8: save it in UTF-8") from None


def encoded(lines: Iterable[str | None]) -> bytes:
    """The file of these lines; those that are None are left out."""
    return "\n".join(line for line in lines if line is not None).encode()


def cut(text: str, shares: Sequence[int]) -> list[str]:
    """The text in as many parts, about as long as their shares, cut between words and outside of tags.

    A cut behind a punctuation mark is preferred. Where there are fewer words than parts, the last parts are empty.
    """
    places, cuts, before, total = list(_places(text)), [0], 0, sum(shares) or 1
    for share in shares[:-1]:
        before += share
        ideal = len(text) * before / total
        middle, first = bisect(places, ideal), bisect(places, cuts[-1])
        first = max(first, middle - _WORTH_OF_MARK - 1)
        near = places[first : max(first + 1, middle + _WORTH_OF_MARK + 1)]  # no other one can be better
        if near:
            gain = {place: _WORTH_OF_MARK * (text[place - 1] in _MARKS) - abs(place - ideal) for place in near}
            cuts.append(max(near, key=gain.__getitem__))
    parts = [text[start:end].strip() for start, end in pairwise([*cuts, len(text)])]
    return parts + [""] * (len(shares) - len(parts))


def _places(text: str) -> Iterator[int]:
    """The positions at which a text may be cut: spaces, and between letters of scripts without, outside of tags."""
    depth, position = 0, 1
    for tag in [*_TAG.finditer(text), None]:
        for place in range(position, tag.start() if tag else len(text)) if depth <= 0 else ():
            if text[place] == " " or (is_unspaced(text[place]) and is_unspaced(text[place - 1])):
                yield place
        if tag:
            depth += 0 if tag[2] else -1 if tag[1] else 1
            position = tag.end()
