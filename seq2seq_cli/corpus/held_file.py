"""Files that are opened once and held: they stay what they were when their folder is replaced or removed."""

import hashlib
import os
import re
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.errors import PreparedFolderError
from seq2seq_cli.files.reading import open_regular

_PART = 1 << 20
"""Bytes that are read at a time."""
_LONGEST_HEADER = 4096
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..{'descr': '(?P<kind><u2|<u4|<i8)', 'fortran_order': False,"
    rb" 'shape': \((?P<count>[0-9]{1,18}),\), } *\n",
    re.DOTALL,
)
"""The header that numpy writes, in version 1.0 of its format. Numpy would read a stranger's as Python."""

if sys.platform == "win32":  # which has no pread; there one thread reads at a time

    def _pread(descriptor: int, size: int, offset: int) -> bytes:
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, size)

else:
    _pread = os.pread


class HeldFile:
    """An open file. It is read, not memory-mapped: a mapped file that is cut kills the process that reads it."""

    def __init__(self, path: Path) -> None:
        """Open the file; raises OSError when it cannot be opened, or is no regular file."""
        self.path = path
        file = open_regular(path)
        weakref.finalize(self, file.close)
        self._descriptor = file.fileno()
        self._opened = os.fstat(self._descriptor)

    @property
    def size(self) -> int:
        """Bytes when it was opened."""
        return self._opened.st_size

    def parts(self) -> Iterator[bytes]:
        """The content, a part at a time: the system reads at most 2 GB at once."""
        for start in range(0, self.size, _PART):
            yield _pread(self._descriptor, min(_PART, self.size - start), start)

    def lines(self) -> Iterator[bytes]:
        """The lines without their ends; a line without an end is left out."""
        rest = b""
        for part in self.parts():
            *whole, rest = (rest + part).split(b"\n")
            yield from whole

    def sha256(self) -> str:
        """The hash of the content, in hexadecimal digits."""
        whole = hashlib.sha256()
        for part in self.parts():
            whole.update(part)
        return whole.hexdigest()

    def was_written_to(self) -> bool:
        """Whether the open file, wherever it is now, was written to or cut since it was opened."""
        return _changed(self._opened, os.fstat(self._descriptor))

    def is_in_place(self) -> bool:
        """Whether the file is still at its path, and as it was when it was opened."""
        try:
            now = self.path.stat()
        except OSError:
            return False
        return os.path.samestat(now, self._opened) and not _changed(self._opened, now)


def _changed(before: os.stat_result, now: os.stat_result) -> bool:
    return (now.st_size, now.st_mtime_ns) != (before.st_size, before.st_mtime_ns)


def changed_error(file: HeldFile) -> PreparedFolderError:
    """The error about a file that was written to since it was opened."""
    return PreparedFolderError(f"{file.path}: changed since it was opened: prepare the same corpus again")


def numbers_of(file: HeldFile) -> NDArray[Any]:
    """The numbers of a ``.npy`` file of one dimension.

    Raises ValueError when it is no such file of unsigned or 64-bit integers.
    """
    content = b"".join(file.parts())
    header = _HEADER.match(content[:_LONGEST_HEADER])
    if not header:
        raise ValueError("no header that s2s writes")
    numbers = np.frombuffer(content, dtype=header["kind"].decode("ascii"), offset=header.end())
    if len(numbers) != int(header["count"]):
        raise ValueError("another number of numbers")
    return numbers
