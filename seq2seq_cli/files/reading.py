"""Reading files that somebody else may have made: regular ones, inside their folder, of a limited size, strict JSON.

A FIFO or a device would be waited for without end, and a link could lead to any file of the user. JSON files have a
format number, and this s2s writes and reads one.
"""

import errno
import json
import lzma
import math
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, Final

from seq2seq_cli.errors import InputError, unreadable

FORMAT: Final = 1
"""The format of all that s2s saves, one number for all: it goes up by one when a file changes its form."""

_CURE = "restore it, or make its folder again"
_MOST_BYTES = 64_000_000
"""Size of most of the largest files: a vocabulary of a million words takes half of it."""
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")

# Windows has neither kind of file; there a file is opened as text by default.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, RuntimeError, ValueError, OverflowError),
    OSError,
)
"""All that Python raises on archives that are truncated, damaged, encrypted, or packed by an unknown method."""


def is_file(text: str) -> bool:
    """Whether there is a file of this name, or a pipe, such as /dev/fd/63."""
    path = Path(text)
    return os.path.exists(path) and not os.path.isdir(path)  # noqa: PTH110, PTH112  # Path's raise, as for long names


def open_regular(path: Path) -> BinaryIO:
    """Open a file to read it; raises OSError when it cannot be opened, and for a FIFO or a device."""
    _check_regular(path, path.stat().st_mode)  # before it is opened, too: to open a device may do something
    descriptor = os.open(path, _FLAGS)
    try:
        _check_regular(path, os.fstat(descriptor).st_mode)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_whole(path: Path, *, most: int, is_named: bool = False) -> bytes:
    """The content of a file of at most `most` bytes, regular unless it `is_named` by the user; OSError for others."""
    with path.open("rb") if is_named else open_regular(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"larger than {most / 1e6:g} MB", str(path))
    return content


def check_contents(folder: Path, names: Iterable[str], *, error: type[InputError]) -> None:
    """Raise ``error`` unless everything of these names in a folder, and below them, is a file or a folder in it.

    A link is one when it leads to a file inside the folder; the folder itself may be reached by any link. What is
    missing is skipped.
    """
    waiting = [str(folder / name) for name in names]
    while waiting:
        path = waiting.pop()
        try:
            is_link = os.path.islink(path)  # noqa: PTH114  # plain paths are quick
            if is_link and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
                raise error(f"{path}: a link that leads out of {folder}: put what it leads to in its place")
            mode = os.stat(path).st_mode  # noqa: PTH116  # as above
            if stat.S_ISDIR(mode) and not is_link:
                waiting += [f"{path}{os.sep}{name}" for name in os.listdir(path)]  # noqa: PTH208  # as above
        except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: of a NUL in the name
            continue  # reading it will tell why
        except OSError as failure:
            raise error(f"{path}: cannot be looked into: {failure.strerror}") from None
        if is_link and stat.S_ISDIR(mode):  # whose content would not be looked at
            raise error(f"{path}: a link to a folder: put the folder in its place")
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise error(f"{path}: neither a file nor a folder: remove it, or restore what was there")


def _check_regular(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))


# JSON


def read_json(path: Path, *, error: type[InputError], most: int = _MOST_BYTES, cure: str = _CURE) -> dict[str, Any]:
    """Read a JSON object of at most `most` bytes, whose key ``format`` is `FORMAT`; `cure` helps when it is damaged.

    Raises ``error`` when the file is missing or damaged, or made by an older or newer s2s.
    """
    try:
        value = parse_json(read_whole(path, most=most))
    except OSError as failure:
        raise error(unreadable(path, failure)) from None
    except ValueError:
        raise error(f"{path}: damaged: not UTF-8 JSON: {cure}") from None
    return check_format(value, path, error=error, cure=cure)


def parse_json(text: bytes) -> Any:
    """The value of a JSON text in UTF-8.

    Raises ValueError for anything else, and for what programs read differently, RFC 8259 sections 6 and 8.2: NaN and
    infinity, integers beyond 64 bits, halves of surrogate pairs; also for a value that is nested deeper than Python can
    follow.
    """
    try:
        value = _DECODER.decode(text.decode("utf-8"))
        if _SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value


def check_format(value: object, path: Path, *, error: type[InputError], cure: str = _CURE) -> dict[str, Any]:
    """Return `value`, the content of a file; raises ``error`` unless it is an object whose ``format`` is `FORMAT`."""
    number = value.get("format") if isinstance(value, dict) else None
    if not isinstance(value, dict) or type(number) is not int:
        raise error(f"{path}: damaged: no format number: {cure}")
    if number != FORMAT:
        age, way_out = ("a newer", "upgrade s2s") if number > FORMAT else ("an older", "make its folder again")
        raise error(f"{path}: made by {age} s2s (format {number}, this one reads {FORMAT}): {way_out}")
    return value


def _integer(digits: str) -> int:
    if not -(2**63) <= (number := int(digits)) < 2**63:
        raise ValueError("an integer beyond 64 bits")
    return number


def _float(digits: str) -> float:
    if not math.isfinite(number := float(digits)):
        raise ValueError("no number of JSON, or one too large")
    return number


_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_float, parse_constant=_float)
