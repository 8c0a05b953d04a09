"""Where sentence pairs come from: files of every kind, read as blocks of some thousand lines.

A source is one file whose columns are separated by tabs, or two aligned files, one a side, whose lines belong
together. Each file may be plain or packed, and may be standard input, which is called ``-``.
"""

import hashlib
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Self

from seq2seq_cli.errors import PairFileError, UsageError, one_line
from seq2seq_cli.pairs.archives import OpenText, open_file, open_text
from seq2seq_cli.pairs.lines import Lines, check_encoding

STANDARD_INPUT = Path("-")
BLOCK_LINES = 4000
"""A block has so many lines, or fewer where they are long."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """One file of sentence pairs, or two aligned files."""

    paths: tuple[Path, ...]
    """One: source and target are columns. Two: the source sentences, and the target sentences."""
    names: tuple[str, ...]
    """How messages call them: what the user gave."""

    @classmethod
    def of(cls, *paths: Path) -> Self:
        """The source in these files."""
        return cls(
            paths=paths, names=tuple("standard input" if path == STANDARD_INPUT else str(path) for path in paths)
        )

    @property
    def name(self) -> str:
        """How messages call the source."""
        return " + ".join(self.names)

    @property
    def short_name(self) -> str:
        """The name without folders, which say nothing on another machine: for what is written down."""
        return " + ".join(map(_written, self.names))


@dataclass(frozen=True, kw_only=True)
class Block:
    """Some lines of a source, in its order."""

    source: Source
    first_line: int
    """The number of the first line in its file, counted from 1."""
    src: str
    """The lines, with LF between them and none at the end: ``src.split("\\n")`` gives them back."""
    tgt: str | None
    """The lines of the target's file, as many; None when both sides are columns of ``src``."""
    overlong: tuple[int, ...]
    """The numbers of lines that are too long to be kept; they stand as empty lines."""
    bytes_read: int
    """How many of all the sources' bytes are read so far."""


@dataclass(frozen=True, kw_only=True)
class SourceFile:
    """What tells a file from every other."""

    name: str
    """Without its folder."""
    size: int
    """In bytes, as it lies there, packed or not."""
    sha256: str


def pair_sources(files: Sequence[Path], src: Sequence[Path], tgt: Sequence[Path]) -> list[Source]:
    """The sources that a command line names: files of pairs, then aligned files.

    Raises UsageError when there is none, and when an aligned file lacks its other side.
    """
    if not (files or src or tgt):
        raise UsageError("no file: give a file of sentence pairs, or two aligned files with --src and --tgt")
    if len(src) != len(tgt):
        raise UsageError(
            f"{len(src)} times --src and {len(tgt)} times --tgt: aligned files go in twos, one of them for each side"
        )
    return [Source.of(path) for path in files] + [Source.of(*paths) for paths in zip(src, tgt, strict=True)]


@contextmanager
def local_sources(sources: Sequence[Source]) -> Iterator[list[Source]]:
    """The same sources as files that can be read more than once: standard input and pipes are kept on disk meanwhile.

    Raises UsageError when standard input is a terminal or stands more than once, and PairFileError when it cannot be
    read or kept.
    """
    paths = [path for source in sources for path in source.paths]
    if paths.count(STANDARD_INPUT) > 1:
        raise UsageError("'-' (standard input) stands more than once: it can be read only once")
    if not any(map(_flows, paths)):
        yield list(sources)
        return
    with TemporaryDirectory(prefix="s2s-", ignore_cleanup_errors=True) as folder:
        kept: list[Source] = []
        for number, source in enumerate(sources):
            local = [
                _keep(path, name, Path(folder, f"{number}-{side}")) if _flows(path) else path
                for side, (path, name) in enumerate(zip(source.paths, source.names, strict=True))
            ]
            kept.append(replace(source, paths=tuple(local)))
        yield kept


def describe(sources: Sequence[Source]) -> list[SourceFile]:
    """Size and hash of every file, in order; raises PairFileError when one cannot be read."""
    return [
        _describe_file(path, name) for source in sources for path, name in zip(source.paths, source.names, strict=True)
    ]


def total_bytes(sources: Sequence[Source]) -> int:
    """The size of all the files together, packed as they are; raises PairFileError when one cannot be read."""
    return sum(_size(path, name) for source in sources for path, name in zip(source.paths, source.names, strict=True))


def read_blocks(
    sources: Sequence[Source], *, encoding: str, limit: int | None, block_lines: int = BLOCK_LINES
) -> Iterator[Block]:
    """The first ``limit`` lines of the sources, or all; nothing behind them is looked at.

    A block holds lines of one source only. Where it is cut depends on the text alone, not on how that is packed or
    encoded.

    Raises ConfigError when there is no such encoding, and PairFileError when a file is missing, cannot be read, is
    empty, damaged, no text or not in that encoding, and when aligned files have not as many lines each.
    """
    return _blocks(sources, check_encoding(encoding), limit, block_lines)


def _blocks(sources: Sequence[Source], encoding: str, limit: int | None, block_lines: int) -> Iterator[Block]:
    lines_left = sys.maxsize if limit is None else limit
    bytes_before = 0
    for source in sources:
        if not lines_left:
            return
        with ExitStack() as stack:
            texts = [
                stack.enter_context(open_text(path, name))
                for path, name in zip(source.paths, source.names, strict=True)
            ]
            sides = [
                Lines(text.pieces, name=name, encoding=encoding) for text, name in zip(texts, source.names, strict=True)
            ]
            while lines_left and (count := _next_lines(sides, min(block_lines, lines_left))):
                yield _take(source, sides, count, bytes_before + _position(texts))
                lines_left -= count
        bytes_before += total_bytes([source])


def _next_lines(sides: Sequence[Lines], most: int) -> int:
    """How many lines of every side make the next block; 0 at the end, which aligned files reach together."""
    ready = [side.ready(most) for side in sides]
    if not all(ready) and any(ready):
        counts = " and ".join(f"{side.name} has {_count(side):,} lines" for side in sides)
        raise PairFileError(
            f"{counts}: aligned files must have as many lines each, those of one pair at the same place"
        )
    return min(ready)


def _count(side: Lines) -> int:
    while count := side.ready(BLOCK_LINES):
        side.take(count)
    return side.taken


def _take(source: Source, sides: Sequence[Lines], count: int, bytes_read: int) -> Block:
    first_line = sides[0].taken + 1
    taken = [side.take(count) for side in sides]
    return Block(
        source=source,
        first_line=first_line,
        src=taken[0][0],
        tgt=taken[1][0] if len(taken) > 1 else None,
        overlong=tuple(sorted({line for _, overlong in taken for line in overlong})),
        bytes_read=bytes_read,
    )


def _position(texts: Sequence[OpenText]) -> int:
    return sum(text.position() for text in texts)


def _flows(path: Path) -> bool:
    """Whether what is read from there is gone afterwards."""
    try:
        return path == STANDARD_INPUT or path.is_fifo()
    except OSError:  # it is said when the file is opened
        return False


def _keep(path: Path, name: str, kept: Path) -> Path:
    if path == STANDARD_INPUT and sys.stdin.isatty():
        raise UsageError("'-' is standard input, which is a terminal here: let a file or another program flow into it")
    try:
        with ExitStack() as stack:
            flow = sys.stdin.buffer if path == STANDARD_INPUT else stack.enter_context(path.open("rb"))
            shutil.copyfileobj(flow, stack.enter_context(kept.open("wb")))
    except OSError as error:
        raise PairFileError(f"{name}: cannot be kept in {kept.parent} while it is read: {error.strerror}") from None
    return kept


def _written(name: str) -> str:
    """A file's name without folders, in a form that a cell of a table can hold; it may have line ends and odd bytes."""
    return one_line(PurePath(name).name)


def _describe_file(path: Path, name: str) -> SourceFile:
    with open_file(path, name) as file:
        try:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise PairFileError(f"{name}: cannot be read: {error.strerror}") from None
        return SourceFile(name=_written(name), size=file.tell(), sha256=sha256)


def _size(path: Path, name: str) -> int:
    with open_file(path, name) as file:
        return file.seek(0, 2)
