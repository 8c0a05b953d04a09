"""Files that are opened once and held: they stay what they were when their folder is replaced or removed.

Their numbers (``.npy``) and rows of numbers are read into memory, or from the disk when they are asked for.
"""

import hashlib
import os
import re
import sys
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.compute.ragged import Ragged, bounds_of, offsets_of
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

    def read(self, start: int, size: int) -> bytes:
        """A part of the content; shorter where the file has been cut."""
        return _pread(self._descriptor, size, start)

    def parts(self) -> Iterator[bytes]:
        """The content, a part at a time: the system reads at most 2 GB at once."""
        return (self.read(start, min(_PART, self.size - start)) for start in range(0, self.size, _PART))

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


@dataclass(frozen=True, kw_only=True)
class StoredNumbers:
    """The numbers of a ``.npy`` file of one dimension."""

    file: HeldFile
    kind: np.dtype[Any]
    start: int
    """The byte at which they begin."""
    count: int

    @classmethod
    def of(cls, file: HeldFile) -> "StoredNumbers":
        """The numbers of a file; raises ValueError when it is no such file of unsigned or 64-bit integers."""
        header = _HEADER.match(file.read(0, _LONGEST_HEADER))
        if not header:
            raise ValueError("no header that s2s writes")
        kind, count, start = np.dtype(header["kind"].decode("ascii")), int(header["count"]), header.end()
        if start + count * kind.itemsize != file.size:
            raise ValueError("another number of numbers")
        return cls(file=file, kind=kind, start=start, count=count)

    def in_memory(self) -> NDArray[Any]:
        """All of the numbers."""
        return np.frombuffer(b"".join(self.file.parts()), dtype=self.kind, offset=self.start)

    def slices(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[Any]:
        """The numbers of some slices, one after the other.

        Raises PreparedFolderError when the file was written to since it was opened.
        """
        size = self.kind.itemsize
        bounds = zip((self.start + starts * size).tolist(), ((ends - starts) * size).tolist(), strict=True)
        read = b"".join([self.file.read(start, length) for start, length in bounds])
        if self.file.was_written_to():
            raise changed_error(self.file)
        return np.frombuffer(read, dtype=self.kind)

    def __len__(self) -> int:
        return self.count


@dataclass(frozen=True, kw_only=True)
class StoredRagged:
    """Rows of numbers as in `Ragged`, whose values stay on the disk."""

    values: StoredNumbers
    offsets: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The length of each row; not kept, as there are many."""
        return np.diff(self.offsets)

    def row(self, index: int) -> NDArray[np.unsignedinteger[Any]]:
        """One row; raises IndexError when there is none."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.pick(np.array([index])).values

    def pick(self, rows: NDArray[np.integer[Any]]) -> Ragged:
        """The given rows in memory, in the order given; a row may be given more than once.

        Raises IndexError when there is no such row, or when the offsets are invalid; PreparedFolderError when the file
        was written to since it was opened.
        """
        starts, ends = bounds_of(rows, self.offsets, len(self.values))
        return Ragged(values=self.values.slices(starts, ends), offsets=offsets_of(ends - starts))

    def __len__(self) -> int:
        return len(self.offsets) - 1
