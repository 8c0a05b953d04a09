"""Streams of texts: the lines of a file or a pipe, what is translated at a time, and batches of similar length."""

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BufferedIOBase
from itertools import chain, count
from pathlib import Path

from seq2seq_cli.compute.threads import Item
from seq2seq_cli.errors import InputError, unreadable

_BLOCK_BYTES = 2**18
LONGEST_LINE = 2_000_000
"""Bytes of a line at most, so that memory and time are bounded whatever flows in."""

_CHUNK_TEXTS = 512
"""Most texts of a chunk, per thread."""
_CHUNK = 2**18
"""Most characters of a chunk, per thread; its texts count as much together, were they empty."""
_BATCH_POSITIONS = 2**14
"""Most source positions per batch of several sentences, padding counted."""


def read_blocks(stream: BufferedIOBase, name: str) -> Iterator[list[str]]:
    """The lines of a stream in UTF-8, without their ends, in blocks of those that are there without waiting.

    A writer that waits for the answer to a line gets it at once. One that is faster than the reader fills its pipe in
    the meantime, so that the blocks are large.

    Raises InputError for a line that is not UTF-8 or longer than `LONGEST_LINE`, once the lines before it were yielded;
    `name` is the stream's in messages.
    """
    numbers = count(1)
    for block in _whole_lines(stream):
        numbered = zip(block, numbers, strict=False)
        yield from groups(_decoded(line, f"{name}:{number}", is_first=number == 1) for line, number in numbered)


def _decoded(line: bytearray, place: str, *, is_first: bool) -> str:
    if len(line) > LONGEST_LINE:
        raise InputError(f"{place}: a line of more than {LONGEST_LINE / 1e6:g} MB: give one text per line")
    try:
        return line.decode("utf-8-sig" if is_first else "utf-8").rstrip("\r")  # a file may begin with a byte order mark
    except UnicodeDecodeError as error:
        wrong = f"byte 0x{error.object[error.start]:02x} is not UTF-8"
        raise InputError(f"{place}:{error.start + 1}: {wrong}: save it as plain text in UTF-8") from None


def read_lines(path: Path) -> Iterator[str]:
    """The lines of a file that the user names; raises InputError when it cannot be read, and as `read_blocks`."""
    try:
        with path.open("rb") as file:
            yield from chain.from_iterable(read_blocks(file, str(path)))
    except OSError as error:
        raise InputError(unreadable(path, error)) from None


def _whole_lines(stream: BufferedIOBase) -> Iterator[list[bytearray]]:
    """Blocks of one line or more, of about `_BLOCK_BYTES` at most; only a single line can be longer.

    Of a line that is longer than `LONGEST_LINE`, the beginning is the last line: nothing behind it is read.
    """
    begun = bytearray()
    while data := stream.read1(_BLOCK_BYTES):
        begun += data
        if b"\n" in data:
            *lines, begun = begun.split(b"\n")
            yield lines
        elif len(begun) > LONGEST_LINE:
            break
    if begun:
        yield [begun]


def similar_lengths(lengths: Sequence[int], batch_size: int) -> Iterator[list[int]]:
    """Batches of indices, longest sentences first, so that there is little padding; length 0 is left out."""
    order = sorted((i for i, length in enumerate(lengths) if length > 0), key=lambda i: (-lengths[i], i))
    start = 0
    while start < len(order):
        size = min(batch_size, max(1, _BATCH_POSITIONS // (lengths[order[start]] + 1)))
        yield order[start : start + size]
        start += size


def chunks(texts: Iterable[str], threads: int) -> Iterator[list[str]]:
    """Texts to translate together: as many as make good batches, few enough for the memory, as many for each thread."""
    for group in groups(texts, _CHUNK * threads, size=lambda text: _CHUNK // _CHUNK_TEXTS + len(text)):
        length = math.ceil(len(group) / threads)
        yield from (group[start : start + length] for start in range(0, len(group), length))


def groups(
    items: Iterable[Item], most: int = sys.maxsize, size: Callable[[Item], int] = lambda _: 1
) -> Iterator[list[Item]]:
    """The items in lists, each as long as it takes until the sizes of its items reach `most`.

    An InputError of the iterator is raised again once the items before it have been handed on.
    """
    waiting: list[Item] = []
    total = 0
    try:
        for item in items:
            waiting.append(item)
            total += size(item)
            if total >= most:
                yield waiting
                waiting, total = [], 0
    except InputError:
        if waiting:
            yield waiting
        raise
    if waiting:
        yield waiting
