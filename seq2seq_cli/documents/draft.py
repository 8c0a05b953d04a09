"""A document taken apart: its texts, and the places where their translations go."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypeAlias

from seq2seq_cli.errors import InputError

Languages: TypeAlias = tuple[str, str]
"""The language that a document is translated from, and the one that it is translated into: two codes."""

TRANSLATED = [".docx", ".odt", ".epub", ".html", ".htm", ".xhtml", ".srt", ".vtt", ".po"]
"""Endings of the names of documents that are translated."""
_MARK = b"\xef\xbb\xbf"
"""The byte order mark that some editors put in front of UTF-8."""


class Slot(NamedTuple):
    """A place of a document that holds a text."""

    text: str
    """As `Translator.translate` takes it, with inline marks."""
    write: Callable[[str], object]
    """Puts the translation there."""


@dataclass(frozen=True)
class Draft:
    """A document while its texts are translated."""

    slots: Sequence[Slot]
    content: Callable[[], bytes]
    """Makes the document once its slots are written."""


class PlainText:
    """A file in UTF-8 that is edited in place."""

    def __init__(self, content: bytes, name: str) -> None:
        """Raise InputError for other bytes; `name` is the file's in messages."""
        self._mark = _MARK if content.startswith(_MARK) else b""
        try:
            self.text = content[len(self._mark) :].decode("utf-8")
        except UnicodeDecodeError as error:
            line, byte = error.object.count(b"\n", 0, error.start) + 1, error.object[error.start]
            raise InputError(f"{name}:{line}: byte 0x{byte:02x} is not UTF-8: save it in UTF-8") from None
        self.lines = self.text.split("\n")
        self._written = [[line] for line in self.lines]

    def replace_lines(self, first: int, count: int, text: str) -> None:
        """Put the lines of a text in the place of others, with the same line end; an empty text has none."""
        end = "\r" if self.lines[first].endswith("\r") else ""
        new = [line + end for line in text.split("\n")] if text else []
        self._written[first : first + count] = [new, *[list[str]()] * (count - 1)]

    def content(self) -> bytes:
        """The file with the lines that were replaced."""
        return self._mark + "\n".join(chain.from_iterable(self._written)).encode()


def primary(tag: str) -> str:
    """The language of a tag, whatever the region: ``en`` for ``en-US``."""
    return tag.strip().replace("_", "-").partition("-")[0].lower()
