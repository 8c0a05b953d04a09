"""What every format has in common: a file is a sequence of records, and a record has columns of text."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from seq2seq_cli.pairs.local_files import LocalFile

Column = int | str
"""A column: its number, counted from 1, in rows of cells; its name in records that name their values."""
Columns = tuple[Column, Column]
"""The first column and the second."""

_DEEPEST = 3
"""Objects in objects whose texts are columns."""


class Record(NamedTuple):
    """A row of a table, an object of a JSON file, a unit of a translation memory."""

    line: int
    """The line on which it begins, or its own number where a file has no lines; counted from 1."""
    cells: Mapping[Column, str]
    """The texts of its columns."""
    is_overlong: bool = False
    """Whether it was too long to be kept; it has no cells then."""


@dataclass(frozen=True, kw_only=True)
class OpenRecords:
    """A file that is being read."""

    records: Iterator[Record]
    """Its records in order; raises PairFileError where they cannot be read any further."""
    position: Callable[[], int]
    """The number of bytes of the file, packed or not, that are read so far."""


class Reader(Protocol):
    """The way to read one format; its memory does not grow with the file."""

    @property
    def kind(self) -> str:
        """The format's name in messages: ``CSV``."""

    def open(self, file: LocalFile, encoding: str) -> AbstractContextManager[OpenRecords]:
        """Open a file; raises PairFileError when it cannot be read, InputError when a package is missing."""


def cells_of(value: Any) -> dict[Column, str]:
    """The texts in a value as JSON has them: by number for a list, by ``name`` or ``outer.name`` for an object."""
    if isinstance(value, list):
        return {number: text for number, cell in enumerate(value, start=1) for text in _texts(cell)}
    return dict(_named(value, "", _DEEPEST)) if isinstance(value, dict) else {}


def _named(value: Mapping[str, Any], before: str, deepest: int) -> Iterator[tuple[Column, str]]:
    for name, cell in value.items():
        if isinstance(cell, dict) and deepest > 1:
            yield from _named(cell, f"{before}{name}.", deepest - 1)
        else:
            yield from ((f"{before}{name}", text) for text in _texts(cell))


def _texts(cell: Any) -> list[str]:
    """The text of a cell, empty for null; nothing for what is no text."""
    return [cell] if isinstance(cell, str) else [""] if cell is None else []
