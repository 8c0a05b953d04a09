"""A document taken apart: its texts, and the places where their translations go."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from seq2seq_cli.errors import InputError

Languages: TypeAlias = tuple[str, str]
"""The language that a document is translated from, and the one that it is translated into: two codes."""

TRANSLATED = [".docx", ".odt", ".epub", ".html", ".htm", ".xhtml", ".srt", ".vtt", ".po"]
"""Endings of the names of documents that are translated."""
REFUSED = [".doc", ".rtf", ".pdf", ".ppt", ".pptx", ".odp", ".xls", ".ods", ".pages"]
"""Endings of the names of other documents."""
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
        self.starts = [0, *accumulate(len(line) + 1 for line in self.lines)]
        """The place of each line in the text, and the end of the last one."""
        self._edits: list[tuple[int, int, str]] = []

    def replace(self, start: int, end: int, text: str) -> None:
        """Put a text in the place of another one; no two such places may overlap."""
        self._edits.append((start, end, text))

    def replace_lines(self, first: int, count: int, text: str) -> None:
        """Put the lines of a text in the place of others, with the same line end; an empty text has none."""
        end = "\r\n" if self.lines[first].endswith("\r") else "\n"
        lines = f"{text}\n".replace("\n", end) if text else ""
        self.replace(self.starts[first], self.starts[first + count], lines)

    def content(self) -> bytes:
        """The file with all that was replaced."""
        text, parts, position = f"{self.text}\n", list[str](), 0  # as if the last line had an end, too
        for start, end, new in sorted(self._edits):
            parts += [text[position:start], new]
            position = end
        return self._mark + "".join([*parts, text[position:]])[:-1].encode()


def primary(tag: str) -> str:
    """The language of a tag, whatever the region: ``en`` for ``en-US``."""
    return tag.strip().replace("_", "-").partition("-")[0].lower()
