"""A file of sentence pairs: one pair a line, source and target separated by a tab, as Tatoeba's are published.

Further columns (the published third one is the attribution) are passed over. What cannot be used is dropped and
counted; where too much of a file is bad, it is refused.
"""

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.errors import PairFileError
from seq2seq_cli.text.normalise import normalise

Reason = Literal["blank line", "no tab", "empty side", "duplicate", "too long"]

MOST_BAD = 0.01
"""Share of the lines that may lack a tab, and share that may have an empty side, before the file is refused."""

_EXAMPLES = 3
_ZIP = b"PK\x03\x04"
_ADVICE: dict[Reason, str] = {
    "no tab": "has no tab between source and target: put one there, or delete the line",
    "empty side": "has an empty source or target: fill it in, or delete the line",
}


@dataclass(kw_only=True)
class Dropped:
    """How many lines were dropped for one reason, and the first few line numbers."""

    count: int = 0
    lines: list[int] = field(default_factory=list)

    def add(self, line: int) -> None:
        """Count one line."""
        self.count += 1
        if len(self.lines) < _EXAMPLES:
            self.lines.append(line)


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """The pairs of a file, normalised and without duplicates, in the file's order."""

    src: list[str]
    tgt: list[str]
    lines: list[int]
    """The line of each pair, counted from 1."""
    lines_read: int
    extra_columns: int
    """Lines with more than two columns."""
    dropped: dict[Reason, Dropped]
    sha256: str
    """Of the whole file."""
    size: int
    """Of the whole file, in bytes."""

    def without_too_long(self, fits: NDArray[np.bool_]) -> Self:
        """Keep the pairs that a mask holds, and count the others as too long."""
        dropped = Dropped()
        for pair in np.flatnonzero(~fits).tolist():
            dropped.add(self.lines[pair])
        kept = np.flatnonzero(fits).tolist()
        return replace(
            self,
            src=[self.src[pair] for pair in kept],
            tgt=[self.tgt[pair] for pair in kept],
            lines=[self.lines[pair] for pair in kept],
            dropped={**self.dropped, "too long": dropped} if dropped.count else self.dropped,
        )

    def __len__(self) -> int:
        return len(self.lines)


def read_pairs(path: Path, limit: int | None = None) -> Pairs:
    """Read the first ``limit`` lines of a pair file, or all.

    Byte order mark, line ends, and composed or decomposed letters make no difference to the result.

    Raises PairFileError when the file is missing, a folder, empty, binary or not UTF-8, when more than 1 % of its
    lines lack a tab or have an empty side, and when no pair is left.
    """
    content = read_bytes(path)
    lines = _decode(path, content, limit)
    pairs = Pairs(
        src=[],
        tgt=[],
        lines=[],
        lines_read=len(lines),
        extra_columns=sum(line.count("\t") > 1 for line in lines),
        dropped=defaultdict(Dropped),
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
    )
    _fill(pairs, lines)
    _refuse_bad(path, pairs)
    return pairs


def read_bytes(path: Path) -> bytes:
    """The content of a pair file; raises PairFileError when it cannot be read or is empty."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise PairFileError(f"{path}: no such file: check the name and the folder") from None
    except IsADirectoryError:
        raise PairFileError(f"{path}: a folder: give the file of sentence pairs in it") from None
    except OSError as error:
        raise PairFileError(f"{path}: cannot be read: {error.strerror}") from None
    if not content:
        raise PairFileError(f"{path}: the file is empty: give one with a sentence pair a line, separated by a tab")
    return content


def _decode(path: Path, content: bytes, limit: int | None) -> list[str]:
    if content.startswith(_ZIP):
        raise PairFileError(f"{path}: a zip archive: unzip it, and give the file of sentence pairs that was in it")
    # bytes.splitlines knows LF, CRLF and CR; str.splitlines would also cut at marks that stand inside a sentence.
    lines = content.removeprefix(b"\xef\xbb\xbf").splitlines()[:limit]
    content = b"\n".join(lines)
    if content[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        raise PairFileError(f"{path}:1:1: the text is UTF-16: save it as UTF-8")
    if (position := content.find(b"\0")) >= 0:
        raise PairFileError(f"{_place(path, content, position)}: a zero byte: this is no text file; give one in UTF-8")
    try:
        return content.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        byte = content[error.start]
        place = _place(path, content, error.start)
        raise PairFileError(f"{place}: byte 0x{byte:02x} is not UTF-8: save the file as UTF-8") from None


def _place(path: Path, content: bytes, position: int) -> str:
    """The ``file:line:column`` of a byte, the column counted in bytes from 1."""
    newline = b"\n"
    line = content.count(newline, 0, position) + 1
    return f"{path}:{line}:{position - content.rfind(newline, 0, position)}"


def _fill(pairs: Pairs, lines: Sequence[str]) -> None:
    seen: set[tuple[str, str]] = set()
    for number, line in enumerate(lines, start=1):
        src, tab, rest = line.partition("\t")
        pair = normalise(src), normalise(rest.partition("\t")[0])
        if all(pair):
            if pair in seen:
                pairs.dropped["duplicate"].add(number)
                continue
            seen.add(pair)
            pairs.src.append(pair[0])
            pairs.tgt.append(pair[1])
            pairs.lines.append(number)
        else:
            reason: Reason = "empty side" if tab else "no tab" if any(pair) else "blank line"
            pairs.dropped[reason].add(number)


def _refuse_bad(path: Path, pairs: Pairs) -> None:
    used = pairs.lines_read - pairs.dropped.get("blank line", Dropped()).count
    for reason, advice in _ADVICE.items():
        bad = pairs.dropped.get(reason, Dropped())
        if bad.count > MOST_BAD * used:
            share = f"{bad.count:,} of {used:,} lines are so, and at most {MOST_BAD:.0%} may be"
            raise PairFileError(f"{path}:{bad.lines[0]}: the line {advice} ({share})")
    if not pairs.lines:
        raise PairFileError(f"{path}: no sentence pair in it: give one a line, source and target separated by a tab")
