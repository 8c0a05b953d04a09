"""Reading files that somebody else may have made: regular ones, inside their folder, of a limited size.

A FIFO or a device would be waited for without end, and a link could lead to any file of the user.
"""

import errno
import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from seq2seq_cli.errors import InputError

# Windows has neither kind of file; there a file is opened as text by default.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, RuntimeError, ValueError, OverflowError),
    OSError,
)
"""All that Python raises on archives that are truncated, damaged, encrypted, or packed by an unknown method."""


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


def read_whole(path: Path, *, most: int) -> bytes:
    """The content of a regular file of at most `most` bytes; raises OSError for any other."""
    with open_regular(path) as file:
        return _content(file, path, most)


def read_named(path: Path, *, most: int) -> bytes:
    """The content of a file that the user names, which may be a FIFO or a device; raises OSError as `read_whole`."""
    with path.open("rb") as file:
        return _content(file, path, most)


def _content(file: BinaryIO, path: Path, most: int) -> bytes:
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
            mode = os.lstat(path).st_mode
            if stat.S_ISDIR(mode):
                waiting += [f"{path}{os.sep}{name}" for name in os.listdir(path)]  # noqa: PTH208  # plain paths are quick
            is_link = stat.S_ISLNK(mode)
            if is_link and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder)):
                raise error(f"{path}: a link that leads out of {folder}: put what it leads to in its place")
            if is_link:
                mode = os.stat(path).st_mode  # noqa: PTH116  # as above
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
