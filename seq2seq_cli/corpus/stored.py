"""Numbers and rows of numbers in ``.npy`` files: read into memory, or from the disk when they are asked for."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.compute.ragged import Ragged, bounds_of, offsets_of
from seq2seq_cli.corpus.held_file import HeldFile, changed_error

_LONGEST_HEADER = 4096
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00..{'descr': '(?P<kind><u2|<u4|<i8)', 'fortran_order': False,"
    rb" 'shape': \((?P<count>[0-9]{1,18}),\), } *\n",
    re.DOTALL,
)
"""The header that numpy writes, in version 1.0 of its format. Numpy would read a stranger's as Python."""


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
        header = _HEADER.match(file.read(most=_LONGEST_HEADER))
        if not header:
            raise ValueError("no header that s2s writes")
        kind, count, start = np.dtype(header["kind"].decode("ascii")), int(header["count"]), header.end()
        if start + count * kind.itemsize != file.size:
            raise ValueError("another number of numbers")
        return cls(file=file, kind=kind, start=start, count=count)

    def in_memory(self) -> NDArray[Any]:
        """All of the numbers."""
        return np.frombuffer(self.file.read(), dtype=self.kind, offset=self.start)

    def slices(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[Any]:
        """The numbers of some slices, one after the other.

        Raises PreparedFolderError when the file was written to since it was opened.
        """
        size = self.kind.itemsize
        read = self.file.read_slices((self.start + starts * size).tolist(), ((ends - starts) * size).tolist())
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
