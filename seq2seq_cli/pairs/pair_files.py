"""Pair files of every kind, read as blocks of some thousand pairs.

A pair file is one file with a column for each side, or two aligned files, one per side, whose lines belong together.
Each may be plain or packed, and may be standard input, which is called ``-``.

A `Reader` is the way to read one format: it makes records of columns of text from a file, and `recognise` finds it by
the first bytes.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from seq2seq_cli.counts import counted
from seq2seq_cli.errors import PairFileError, UsageError
from seq2seq_cli.pairs.archives import STANDARD_INPUT, LocalFile, local_files, open_text
from seq2seq_cli.pairs.lines import BLOCK_CHARACTERS, LONGEST_LINE, Lines, check_encoding, decoded

K = TypeVar("K")

PairPath = tuple[Path, ...]
"""One file with source and target as columns, or two files, of the source sentences and of the target sentences."""

PlaceUnit = Literal["line", "record"]
"""What the number of a pair in its file counts."""

Column = int | str
"""A column: its number, counted from 1, in rows of cells; its name in records that name their values."""
Columns = tuple[Column, Column]
"""The first column and the second."""

ONE_PER_LINE = "give one per line, source and target separated by a tab"
BLOCK_LINES = 4000
"""Pairs per block; a block of long ones has fewer."""
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

    @property
    def unit(self) -> PlaceUnit:
        """The unit that the numbers of its records count."""

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


@dataclass(frozen=True, kw_only=True)
class Table:
    """A file that is not read line by line, and its two columns."""

    reader: Reader
    columns: Columns


@dataclass(frozen=True, kw_only=True)
class PairFile:
    """A file of sentence pairs, or two aligned files."""

    files: tuple[LocalFile, ...]
    """One with both columns, or two with the sentences of one column each."""
    table: Table | None = None
    """None for two aligned files, and for a file whose lines are source, tab and target."""
    skipped: int = 0
    """Lines or records before the first pair: blank ones, titles, and the one that names the columns."""

    @property
    def name(self) -> str:
        """The name in messages."""
        return " + ".join(file.name for file in self.files)

    @property
    def base_name(self) -> str:
        """The name in the prepared folder: without folders, which mean nothing on another machine."""
        return " + ".join(file.base_name for file in self.files)

    @property
    def unit(self) -> PlaceUnit:
        """The unit that the numbers of its pairs count."""
        return self.table.reader.unit if self.table else "line"

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True, kw_only=True)
class Block:
    """Consecutive lines or records of a pair file."""

    pair_file: PairFile
    lines: Sequence[int]
    """The number of the line on which each begins, or its own in a list of records; counted from 1."""
    src: str
    """The lines, with LF between them and none at the end: ``src.split("\\n")`` gives them back."""
    tgt: str | None
    """As many lines of the target's side; None when both sides are columns of ``src``."""
    overlong: frozenset[int] = frozenset()
    """The places in the block, counted from 0, of those that are too long to be kept; they are empty here."""
    incomplete: frozenset[int] = frozenset()
    """The places in the block of records that lack a column."""
    bytes_read: int
    """Bytes of the pair file that are read so far, packed or not."""

    def rows(self) -> Iterator[tuple[str, str, bool, bool]]:
        """The two sides of each line, whether it has both columns, and whether it has more."""
        if self.tgt is not None:
            for first, second in zip(self.src.split("\n"), self.tgt.split("\n"), strict=True):
                yield first, second, bool(first.strip() or second.strip()), False
            return
        for line in self.src.split("\n"):
            first, tab, rest = line.partition("\t")
            second, more, _ = rest.partition("\t")
            yield first, second, tab != "", more != ""


def pair_paths(files: Sequence[Path], src: Sequence[Path], tgt: Sequence[Path]) -> list[PairPath]:
    """The pair files that a command line names: first files with columns, then the aligned ones.

    Raises UsageError when there is none, and when an aligned file lacks its other side.
    """
    if not (files or src or tgt):
        raise UsageError("no file: give a file of sentence pairs, or two aligned files with --src and --tgt")
    if len(src) != len(tgt):
        raise UsageError(f"{len(src)} times --src and {len(tgt)} times --tgt: give one --tgt for each --src")
    return [*((file,) for file in files), *zip(src, tgt, strict=True)]


@contextmanager
def local_pair_files(given: Mapping[K, Sequence[PairPath]]) -> Iterator[dict[K, list[PairFile]]]:
    """The given files, each hashed once; standard input and pipes are copied to the disk until the block ends.

    A file alone is one of lines until its format is recognised. Raises UsageError when standard input is a terminal or
    given more than once, and PairFileError when a file is missing or cannot be read or copied.
    """
    paths = [path for pair_paths in given.values() for pair_path in pair_paths for path in pair_path]
    if paths.count(STANDARD_INPUT) > 1:
        raise UsageError("'-' (standard input) is given more than once: it can be read only once")
    with local_files(paths) as files:
        yield {
            key: [PairFile(files=tuple(files[path] for path in pair_path)) for pair_path in pair_paths]
            for key, pair_paths in given.items()
        }


def read_blocks(
    pair_file: PairFile, *, encoding: str, limit: int | None = None, block_lines: int = BLOCK_LINES
) -> Iterator[Block]:
    """The first ``limit`` lines or records of a pair file behind its header, or all; nothing behind them is decoded.

    The cuts between blocks depend on the text alone, not on its packing or encoding.

    Raises ConfigError when there is no such encoding, and PairFileError when a file is missing, cannot be read, is
    empty, damaged, no text or not in that encoding, and when aligned files differ in their number of lines.
    """
    encoding, most = check_encoding(encoding), sys.maxsize if limit is None else limit
    if pair_file.table is None:
        blocks = _blocks_of_lines(pair_file, encoding, most, block_lines)
    else:
        blocks = _blocks_of_records(pair_file, pair_file.table, encoding, most, block_lines)
    block = None
    for block in blocks:
        yield block
    if block is None:
        raise PairFileError(f"{pair_file.name}: no sentence pair in it: {ONE_PER_LINE}")


def _blocks_of_lines(pair_file: PairFile, encoding: str, limit: int, block_lines: int) -> Iterator[Block]:
    with ExitStack() as stack:
        texts = [stack.enter_context(open_text(file.path, file.name)) for file in pair_file.files]
        sides = [
            Lines(decoded(text.pieces, name=file.name, encoding=encoding), name=file.name)
            for text, file in zip(texts, pair_file.files, strict=True)
        ]
        for _ in range(pair_file.skipped):
            sides[0].take(sides[0].ready(1))
        while limit and (count := _next_lines(sides, min(block_lines, limit))):
            first_line = sides[0].taken + 1
            taken = [side.take(count) for side in sides]
            yield Block(
                pair_file=pair_file,
                lines=range(first_line, first_line + count),
                src=taken[0][0],
                tgt=taken[1][0] if len(taken) > 1 else None,
                overlong=frozenset(line - first_line for _, overlong in taken for line in overlong),
                bytes_read=sum(text.position() for text in texts),
            )
            limit -= count


def _next_lines(sides: Sequence[Lines], most: int) -> int:
    """The number of lines of the next block; 0 at the end, which aligned files reach together."""
    ready = [side.ready(most) for side in sides]
    if not all(ready) and any(ready):
        counts = " and ".join(f"{side.name} has {counted(_count(side), 'line')}" for side in sides)
        raise PairFileError(f"{counts}: aligned files must have the same number of lines")
    return min(ready)


def _count(side: Lines) -> int:
    while count := side.ready(BLOCK_LINES):
        side.take(count)
    return side.taken


def _blocks_of_records(
    pair_file: PairFile, table: Table, encoding: str, limit: int, block_lines: int
) -> Iterator[Block]:
    [file] = pair_file.files
    with table.reader.open(file, encoding) as opened:
        records = islice(opened.records, pair_file.skipped, None)
        pairs = (_pair(record, table.columns) for record in islice(records, limit))
        while batch := _batch(pairs, block_lines):
            yield Block(
                pair_file=pair_file,
                lines=[pair.line for pair in batch],
                src="\n".join(pair.src for pair in batch),
                tgt="\n".join(pair.tgt for pair in batch),
                overlong=frozenset(place for place, pair in enumerate(batch) if pair.is_overlong),
                incomplete=frozenset(place for place, pair in enumerate(batch) if pair.is_incomplete),
                bytes_read=opened.position(),
            )


class _Pair(NamedTuple):
    line: int
    src: str
    tgt: str
    is_overlong: bool = False
    is_incomplete: bool = False


def _pair(record: Record, columns: Columns) -> _Pair:
    """The two columns of a record, each on one line; of one that lacks both, the first text that it has."""
    cells = [record.cells.get(column) for column in columns]
    if record.is_overlong or max(len(cell or "") for cell in cells) > LONGEST_LINE:
        return _Pair(record.line, "", "", is_overlong=True)
    if cells == [None, None]:
        cells[0] = next((cell for cell in record.cells.values() if cell.strip()), None)
        return _Pair(record.line, (cells[0] or "")[:LONGEST_LINE].replace("\n", " "), "", is_incomplete=True)
    src, tgt = ((cell or "").replace("\n", " ") for cell in cells)
    return _Pair(record.line, src, tgt, is_incomplete=None in cells)


def _batch(pairs: Iterator[_Pair], most: int) -> list[_Pair]:
    """The next pairs, at most so many, and not many more than BLOCK_CHARACTERS."""
    batch: list[_Pair] = []
    characters = 0
    for pair in pairs:
        batch.append(pair)
        characters += len(pair.src) + len(pair.tgt)
        if len(batch) >= most or characters >= BLOCK_CHARACTERS:
            break
    return batch
