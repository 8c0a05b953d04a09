"""Pair files of every kind, read as blocks of some thousand pairs.

A pair file is one file with a column for each side, or two aligned files, one per side, whose lines belong together.
Each may be plain or packed, and may be standard input, which is called ``-``.
"""

import re
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice, tee
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple

from seq2seq_cli.errors import PairFileError, UsageError
from seq2seq_cli.pairs.archives import STANDARD_INPUT, LocalFile, local_files, open_file
from seq2seq_cli.pairs.stated_languages import Codes, Statement, guess_languages, stated_codes
from seq2seq_cli.pairs.text_lines import LONGEST_LINE, check_encoding, lines_of
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE

PairPath = tuple[Path, ...]
"""One file with source and target as columns, or two files, of the source sentences and of the target sentences."""

PlaceUnit = Literal["line", "record"]
"""What the number of a pair in its file counts."""

Column = int | str
"""A column: its number, counted from 1, in rows of cells; its name in records that name their values."""
Columns = tuple[Column, Column]
"""The first column and the second."""

Fault = Literal["no tab", "other columns", "missing column", "too long"]
"""The reason why a line or a record that is not blank is no pair."""

ONE_PER_LINE = "give one per line, source and target separated by a tab"
BLOCK_LINES = 4000
"""Pairs per block; a block of long ones has fewer."""
BLOCK_CHARACTERS = 1_000_000
"""Characters from which on a block is full."""
_SAMPLE = 1000
"""Pairs by which the script of a text is recognised."""
_WITH_CODES = re.compile(r"(.+):([a-z]{2,3}-[a-z]{2,3})", re.IGNORECASE | re.DOTALL)


class Record(NamedTuple):
    """A row of a table, an object of a JSON file, a unit of a translation memory."""

    line: int
    """The line on which it begins, or its own number where a file has no lines; counted from 1."""
    cells: Mapping[Column, str]
    """The texts of its columns."""
    is_overlong: bool = False
    """Whether it was too long to be kept; it has no cells then."""


@dataclass(frozen=True)
class Reader:
    """The way to read one format; only a JSON list, a spreadsheet and ELAN are held in memory whole."""

    kind: str
    """The format's name in messages: ``CSV``."""
    records: Callable[[BinaryIO, str, str], Iterator[Record]]
    """Makes of an open file, its name in messages and its encoding the records of the file, in order.

    Raises PairFileError where they cannot be read any further, InputError when a package is missing.
    """
    unit: PlaceUnit = "line"


@dataclass(frozen=True)
class KeyedTexts:
    """A format of texts in one language, which a second file has in another under the same keys."""

    kind: str
    texts: Callable[[Iterable[str | None]], Iterator[tuple[int, str, str]]]
    """Makes of a file's lines its texts: the number of the line, the key, the text."""


@dataclass(frozen=True, kw_only=True)
class PairFile:
    """A file of sentence pairs, or two aligned files with the sentences of one column each."""

    files: tuple[LocalFile, ...]
    reader: Reader | KeyedTexts | None = None
    """None for two files whose lines belong together, and for a file whose lines are source, tab and target."""
    columns: Columns = (1, 2)
    """The two columns of the reader's records."""
    has_two_columns: bool = False
    """Whether nearly all lines have two columns."""
    split: int = 0
    """The number of the part of the corpus that it is given for (see ``corpus.splits``)."""
    is_text: bool = False
    """Whether it has a text in one language: each line is both sides of a pair."""
    skipped: int = 0
    """Lines or records before the first pair: blank ones, titles, and the one that names the columns."""
    languages: Codes | None = None
    """The languages that the columns' names state; of a related file, those that it is taken for."""
    notice: str = ""
    """What the user should know of the way in which it is read; empty where it is a line with a tab per pair."""

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
        return self.reader.unit if isinstance(self.reader, Reader) else "line"

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        return sum(file.size for file in self.files)

    @property
    def statement(self) -> Statement | None:
        """The languages of the columns, from their names or else from the names of the files; None if none has them.

        The names of the files count, too, where only one column is named after a language.
        """
        named = guess_languages([file.name for file in self.files])
        first, second = self.columns
        if named and isinstance(first, int) and isinstance(second, int) and first > second:  # a key has no place
            named = named[::-1]
        if self.languages and (ANY_LANGUAGE not in self.languages or not named):
            return Statement(self.languages, "columns")
        return Statement(named, "name") if named else None

    def sample(self, encoding: str) -> tuple[list[str], list[str]]:
        """The first texts of both columns; none where they cannot be read, which is reported when all of them are."""
        with suppress(PairFileError):
            for block in read_blocks(self, encoding=encoding, limit=_SAMPLE):
                _, first, second, *_ = map(list, zip(*block.pairs(), strict=True))
                return first, second
        return [], []


Pair = tuple[int, str, str, Fault | None, bool]
"""The number of the line on which a pair begins, or its own in a list of records, counted from 1; its first and its
second side, both empty where it was too long to be kept; its fault; whether its line has further columns.

A plain tuple: objects of a class take several times as long to reach a worker.
"""


@dataclass(frozen=True, kw_only=True)
class Block:
    """Consecutive pairs of a pair file."""

    pair_file: PairFile
    first: int
    """The number of its first line or record; counted from 1."""
    rows: Sequence[Pair | str | None]
    """Pairs, or whole lines, which a worker cuts; None for a line that was too long to be kept."""
    bytes_read: int
    """Bytes of the pair file, and of files before it, that are read so far, packed or not."""

    def pairs(self) -> Iterator[Pair]:
        """The pairs in their order."""
        for number, row in enumerate(self.rows, start=self.first):
            yield row if isinstance(row, tuple) else _of_line(number, row, self.pair_file)


def _of_line(number: int, line: str | None, pair_file: PairFile) -> Pair:
    """The pair of a line with source, tab and target; where all lines are so, a further tab is a part of a sentence."""
    if line is None:
        return number, "", "", "too long", False
    first, tab, rest = line.partition("\t")
    second, more, third = rest.partition("\t")
    if pair_file.has_two_columns and third.strip():
        return number, first, f"{second} {third}", "other columns", False
    return number, first, second, None if tab or not line.strip() else "no tab", more != ""


def pair_paths(files: Sequence[Path], src: Sequence[Path], tgt: Sequence[Path]) -> list[PairPath]:
    """The pair files of a command line, those with columns first; raises UsageError for none, and for a lone side."""
    if not (files or src or tgt):
        raise UsageError("no file: give a file of sentence pairs, or two aligned files with --src and --tgt")
    if len(src) != len(tgt):
        raise UsageError(f"{len(src)} times --src and {len(tgt)} times --tgt: give one --tgt for each --src")
    return [*((file,) for file in files), *zip(src, tgt, strict=True)]


def related_path(given: str) -> tuple[Path, Codes | None]:
    """The path of a related file, and the languages of its columns, which may be behind it: ``deu.txt:en-de``."""
    match = _WITH_CODES.fullmatch(given)
    return (Path(match[1]), stated_codes(match[2])) if match else (Path(given), None)


@contextmanager
def local_pair_files(given: Mapping[int, Sequence[PairPath]]) -> Iterator[list[PairFile]]:
    """The pair files given for each split, as by `local_files`; a file alone is one of lines until it is recognised.

    Raises as `local_files`, and UsageError when standard input is given more than once.
    """
    named = [(split, pair_path) for split, of_split in given.items() for pair_path in of_split]
    paths = [path for _, pair_path in named for path in pair_path]
    if paths.count(STANDARD_INPUT) > 1:
        raise UsageError("'-' (standard input) is given more than once: it can be read only once")
    with local_files(paths) as files:
        yield [PairFile(files=tuple(files[path] for path in pair_path), split=split) for split, pair_path in named]


def read_blocks(
    pair_file: PairFile, *, encoding: str, limit: int | None = None, block_lines: int = BLOCK_LINES
) -> Iterator[Block]:
    """The first ``limit`` lines or records of a pair file behind its header, or all.

    Raises ConfigError when there is no such encoding, and PairFileError when a file is missing, cannot be read, is
    empty, damaged, no text or not in that encoding, and when aligned files differ in their number of lines.
    """
    with ExitStack() as stack:
        encoding = check_encoding(encoding)
        opened = [stack.enter_context(open_file(file.path, file.name)) for file in pair_file.files]
        rows, first = _rows(pair_file, opened, encoding), 1
        rows = islice(rows, pair_file.skipped, None if limit is None else pair_file.skipped + limit)
        while batch := _batch(rows, block_lines):
            bytes_read = sum(file.tell() for file in opened)
            yield Block(pair_file=pair_file, first=pair_file.skipped + first, rows=batch, bytes_read=bytes_read)
            first += len(batch)
        if first == 1:
            raise PairFileError(f"{pair_file.name}: no sentence pair in it: {ONE_PER_LINE}")


def _rows(pair_file: PairFile, opened: Sequence[BinaryIO], encoding: str) -> Iterator[Pair | str | None]:
    """The rows of a pair file whose files are open, from their beginning."""
    if isinstance(pair_file.reader, Reader):
        records = pair_file.reader.records(opened[0], pair_file.name, encoding)
        return (_of_record(record, pair_file.columns) for record in records)
    sides = [lines_of(file, side.name, encoding) for file, side in zip(opened, pair_file.files, strict=True)]
    if pair_file.reader:
        return _by_keys(*map(pair_file.reader.texts, sides))
    if pair_file.is_text:
        sides = list(tee(sides[0]))
    return _of_sides(sides, pair_file) if len(sides) > 1 else sides[0]


def _by_keys(first: Iterator[tuple[int, str, str]], second: Iterator[tuple[int, str, str]]) -> Iterator[Pair]:
    """The texts of two files with the same keys; those of the first alone lack a partner."""
    others = defaultdict[str, deque[str]](deque)
    for _, key, text in second:
        others[key].append(text)
    for number, key, text in first:
        other = others[key].popleft() if others.get(key) else None
        yield number, text, other or "", "missing column" if other is None else None, False


def _of_sides(sides: Sequence[Iterator[str | None]], pair_file: PairFile) -> Iterator[Pair]:
    """The pairs of two aligned files."""
    number = 0
    try:
        for number, (first, second) in enumerate(zip(*sides, strict=True), start=1):
            yield number, first or "", second or "", "too long" if None in (first, second) else None, False
    except ValueError:  # of zip: one side has ended
        raise PairFileError(
            f"{pair_file.name}: one has line {number + 1:,}, the other has not: they must have the same number of lines"
        ) from None


def _of_record(record: Record, columns: Columns) -> Pair:
    """The two columns of a record, each on one line; of one that lacks both, the first text that it has."""
    first, second = (record.cells.get(column) for column in columns)
    if record.is_overlong or max(len(first or ""), len(second or "")) > LONGEST_LINE:
        return record.line, "", "", "too long", False
    fault: Fault | None = None
    if first is None or second is None:
        other = next((cell for cell in record.cells.values() if cell.strip()), "")
        fault = "missing column" if isinstance(columns[0], str) else "other columns" if other else None
        first = other[:LONGEST_LINE] if first is None and second is None else first
    return record.line, (first or "").replace("\n", " "), (second or "").replace("\n", " "), fault, False


def _batch(rows: Iterator[Pair | str | None], most: int) -> list[Pair | str | None]:
    """The next rows, at most so many, and no more once they have BLOCK_CHARACTERS."""
    batch: list[Pair | str | None] = []
    characters = 0
    for row in rows:
        batch.append(row)
        characters += len(row[1]) + len(row[2]) if isinstance(row, tuple) else len(row or "")
        if len(batch) >= most or characters >= BLOCK_CHARACTERS:
            break
    return batch
