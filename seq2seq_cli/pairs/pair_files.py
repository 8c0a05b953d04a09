"""Pair files of every kind, read as blocks of some thousand lines.

A pair file is one file whose columns are separated by tabs, or two aligned files, one per side, whose lines belong
together. Each may be plain or packed, and may be standard input, which is called ``-``.
"""

import hashlib
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path, PurePath
from tempfile import TemporaryFile, gettempdir
from typing import IO, TypeVar

from seq2seq_cli.counts import counted
from seq2seq_cli.errors import PairFileError, UsageError, one_line
from seq2seq_cli.pairs.archives import open_file, open_text
from seq2seq_cli.pairs.lines import Lines, check_encoding

K = TypeVar("K")

PairPath = tuple[Path, ...]
"""One file with source and target as columns, or the file of the source sentences and that of the target sentences."""

STANDARD_INPUT = Path("-")
BLOCK_LINES = 4000
"""Lines per block; a block of long lines has fewer."""


@dataclass(frozen=True, kw_only=True)
class LocalFile:
    """A file on this machine's disk that can be read more than once."""

    path: Path | int
    """The descriptor of an open file where it has no name: nothing is left of it when this process is killed."""
    name: str
    """As the user gave it, for messages."""
    size: int
    """Bytes on the disk, packed or not."""
    sha256: str

    @property
    def base_name(self) -> str:
        """The name without folders, in a form that a table's cell can hold: a name may have line ends and odd bytes."""
        return one_line(PurePath(self.name).name)


@dataclass(frozen=True, kw_only=True)
class PairFile:
    """A file of sentence pairs, or two aligned files."""

    files: tuple[LocalFile, ...]
    """One with source and target as columns, or two: source sentences, target sentences."""

    @property
    def name(self) -> str:
        """The name in messages."""
        return " + ".join(file.name for file in self.files)

    @property
    def base_name(self) -> str:
        """The name in the prepared folder: without folders, which mean nothing on another machine."""
        return " + ".join(file.base_name for file in self.files)

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        return sum(file.size for file in self.files)


@dataclass(frozen=True, kw_only=True)
class Block:
    """Consecutive lines of a pair file."""

    pair_file: PairFile
    first_line: int
    """Its number in the file, counted from 1."""
    src: str
    """The lines, with LF between them and none at the end: ``src.split("\\n")`` gives them back."""
    tgt: str | None
    """As many lines of the target's file; None when both sides are columns of ``src``."""
    overlong: tuple[int, ...]
    """The numbers of lines that are too long to be kept; they are empty here."""
    bytes_read: int
    """Bytes of the pair file that are read so far, packed or not."""


def pair_paths(files: Sequence[Path], src: Sequence[Path], tgt: Sequence[Path]) -> list[PairPath]:
    """The pair files that a command line names: first those of columns, then the aligned ones.

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

    Raises UsageError when standard input is a terminal or given more than once, and PairFileError when a file is
    missing or cannot be read or copied.
    """
    paths = [path for pair_paths in given.values() for pair_path in pair_paths for path in pair_path]
    if paths.count(STANDARD_INPUT) > 1:
        raise UsageError("'-' (standard input) is given more than once: it can be read only once")
    with ExitStack() as stack:
        files: dict[Path, LocalFile] = {}
        for path in dict.fromkeys(paths):
            local = stack.enter_context(_copy(path)).fileno() if _is_stream(path) else path
            files[path] = _hashed(local, _name(path))
        yield {
            key: [PairFile(files=tuple(files[path] for path in pair_path)) for pair_path in pair_paths]
            for key, pair_paths in given.items()
        }


def read_blocks(
    pair_file: PairFile, *, encoding: str, limit: int | None = None, block_lines: int = BLOCK_LINES
) -> Iterator[Block]:
    """The first ``limit`` lines of a pair file, or all; nothing behind them is decoded.

    The cuts between blocks depend on the text alone, not on its packing or encoding.

    Raises ConfigError when there is no such encoding, and PairFileError when a file is missing, cannot be read, is
    empty, damaged, no text or not in that encoding, and when aligned files differ in their number of lines.
    """
    encoding = check_encoding(encoding)
    lines_left = sys.maxsize if limit is None else limit
    with ExitStack() as stack:
        texts = [stack.enter_context(open_text(file.path, file.name)) for file in pair_file.files]
        sides = [
            Lines(text.pieces, name=file.name, encoding=encoding)
            for text, file in zip(texts, pair_file.files, strict=True)
        ]
        while lines_left and (count := _next_lines(sides, min(block_lines, lines_left))):
            first_line = sides[0].taken + 1
            taken = [side.take(count) for side in sides]
            yield Block(
                pair_file=pair_file,
                first_line=first_line,
                src=taken[0][0],
                tgt=taken[1][0] if len(taken) > 1 else None,
                overlong=tuple(sorted({line for _, overlong in taken for line in overlong})),
                bytes_read=sum(text.position() for text in texts),
            )
            lines_left -= count


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


def _is_stream(path: Path) -> bool:
    """Whether the content can be read only once."""
    try:
        return path == STANDARD_INPUT or path.is_fifo()
    except OSError:  # reported when the file is opened
        return False


def _copy(stream: Path) -> IO[bytes]:
    """A copy on the disk, without a name: it is gone when it is closed."""
    if stream == STANDARD_INPUT and sys.stdin.isatty():
        raise UsageError("'-' is standard input, which is a terminal here: redirect a file or a pipe into it")
    try:
        with ExitStack() as stack:
            copy = stack.enter_context(TemporaryFile(prefix="s2s-"))
            with nullcontext(sys.stdin.buffer) if stream == STANDARD_INPUT else stream.open("rb") as content:
                shutil.copyfileobj(content, copy)
            copy.flush()
            stack.pop_all()
    except OSError as error:
        raise PairFileError(f"{_name(stream)}: cannot be copied to {gettempdir()}: {error.strerror}") from None
    return copy


def _name(path: Path) -> str:
    return "standard input" if path == STANDARD_INPUT else str(path)


def _hashed(path: Path | int, name: str) -> LocalFile:
    with open_file(path, name) as file:
        try:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise PairFileError(f"{name}: cannot be read: {error.strerror}") from None
        return LocalFile(path=path, name=name, size=file.tell(), sha256=sha256)
