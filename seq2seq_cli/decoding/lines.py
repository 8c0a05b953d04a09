"""Translating streams: one text per line, in blocks, so that memory does not grow with the stream."""

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Generic, Protocol, TypeAlias, TypeVar, runtime_checkable

from seq2seq_cli.decoding.translation import Place
from seq2seq_cli.errors import InputError, unreadable

logger = logging.getLogger(__name__)

_BLOCK_BYTES = 2**18
_USUAL_BYTES = 100_000
"""Bytes of a line above which there is a warning: it is rarely one text."""
LONGEST_LINE = 2_000_000
"""Bytes of a line at most, so that memory and time are bounded whatever flows in."""
_MARK = "\ufeff"
"""The byte order mark, with which a file may begin."""
_DOCUMENTS = (b"%PDF-", b"PK\x03\x04", b"{\\rtf", b"\xd0\xcf\x11\xe0")
"""The beginnings of PDF, of .docx and .odt, of rich text, and of older documents of Word."""

Outcome = TypeVar("Outcome")
"""The translation of a text, or those of several models."""

TranslateStream: TypeAlias = Callable[[Collection[str]], Iterator[Outcome]]


@runtime_checkable
class ByteStream(Protocol):
    """A binary stream whose ``read1`` returns what is there to read, and waits only where there is nothing."""

    def read1(self, size: int, /) -> bytes:
        """At most `size` bytes, at least one unless the stream ends."""


def read_blocks(stream: ByteStream, place: Place) -> Iterator[list[str]]:
    """The lines of a stream in UTF-8, without their ends, in blocks of those that are there without waiting.

    A writer that waits for the answer to a line gets it at once. One that is faster than the reader fills its pipe in
    the meantime, so that the blocks are large.

    Raises InputError for a document that is no plain text, and for a line that is not UTF-8 or longer than
    `LONGEST_LINE`, once the lines before it were yielded; `place` names the line. A very long one is logged.
    """
    number = 0
    for block in _whole_lines(stream):
        lines: list[str] = []
        for line in block:
            number += 1
            if number == 1 and line.startswith(_DOCUMENTS):
                raise InputError(f"{place(number)}: a document, no plain text: save it as text in UTF-8")
            if len(line) > LONGEST_LINE:
                yield lines
                raise InputError(
                    f"{place(number)}: a line of more than {LONGEST_LINE / 1e6:g} MB: give one text per line"
                )
            if len(line) > _USUAL_BYTES:
                logger.warning("%s: a line of %s bytes: is it one text?", place(number), f"{len(line):,}")
            try:
                text = line.decode("utf-8").rstrip("\r")
            except UnicodeDecodeError as error:
                yield lines
                wrong = f"byte 0x{line[error.start]:02x} is not UTF-8"
                raise InputError(
                    f"{place(number)}:{error.start + 1}: {wrong}: convert the text to UTF-8 first"
                ) from None
            lines.append(text.removeprefix(_MARK) if number == 1 else text)
        yield lines


def read_lines(path: Path) -> Iterator[str]:
    """The lines of a file that the user names; raises InputError when it cannot be read, and as `read_blocks`."""
    try:
        with path.open("rb") as file:
            for block in read_blocks(file, lambda number: f"{path}:{number}"):
                yield from block
    except OSError as error:
        raise InputError(unreadable(path, error)) from None


def _whole_lines(stream: ByteStream) -> Iterator[list[bytes]]:
    """Blocks of one line or more, of about `_BLOCK_BYTES` at most; only a single line can be longer.

    Of a line that is longer than `LONGEST_LINE`, the beginning is the last line: nothing behind it is read.
    """
    begun: list[bytes] = []
    size = 0
    while data := stream.read1(_BLOCK_BYTES):
        size += len(data)
        if b"\n" not in data:
            begun.append(data)
            if size > LONGEST_LINE:
                break
            continue
        *lines, rest = b"".join([*begun, data]).split(b"\n")
        begun, size = [rest], len(rest)
        yield lines
    if last := b"".join(begun):
        yield [last]


class LineTranslator(Generic[Outcome]):
    """Translates lines block by block; a line that stands twice in a block is remembered for the next one."""

    def __init__(self, translate_stream: TranslateStream[Outcome]) -> None:
        self._translate_stream = translate_stream
        self._known: dict[str, Outcome] = {}
        """Those of the last block that recur: no more than one block holds, so that memory stays flat."""

    def translate(self, block: Sequence[str]) -> Iterator[Outcome]:
        """The translations of the next lines, lazily."""
        counts = Counter(block)
        known = {line: self._known[line] for line in counts if line in self._known}
        self._known = known
        fresh = self._translate_stream([line for line in counts if line not in known])
        for line in block:
            translation = known.get(line) or next(fresh)
            if counts[line] > 1:
                known[line] = translation
            yield translation
