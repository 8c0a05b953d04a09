"""Rows of different lengths in one flat array."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Ragged:
    """Rows of numbers end to end: row i is ``values[offsets[i]:offsets[i + 1]]``."""

    values: NDArray[np.unsignedinteger[Any]]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> "Ragged":
        """The rows of lists of numbers."""
        values = np.fromiter(chain.from_iterable(rows), dtype=np.uint32)
        return cls(values=values, offsets=offsets_of(np.array([len(row) for row in rows])))

    @classmethod
    def joined(cls, parts: Sequence["Ragged"]) -> "Ragged":
        """The rows of several, one after the other."""
        values = np.concatenate([part.values for part in parts])
        return cls(values=values, offsets=offsets_of(np.concatenate([part.lengths for part in parts])))

    @classmethod
    def checked(cls, values: NDArray[Any], offsets: NDArray[Any], size: int) -> "Ragged":
        """The rows of arrays from a file, of numbers below `size`; raises ValueError for damaged arrays."""
        if values.ndim != 1 or values.dtype.kind != "u" or offsets.ndim != 1 or offsets.dtype != np.int64:
            raise ValueError("not rows of whole numbers")
        bounds = np.array(offsets)
        if not len(bounds) or bounds[0] != 0 or bounds[-1] != len(values) or np.any(bounds[1:] < bounds[:-1]):
            raise ValueError("rows without a beginning or an end")
        if values.max(initial=0) >= max(size, 1):
            raise ValueError("numbers that nothing has")
        return cls(values=np.asarray(values), offsets=bounds)  # a slice of a memory map takes long

    @cached_property
    def lengths(self) -> NDArray[np.int64]:
        """The length of each row."""
        return np.diff(self.offsets)

    def row(self, index: int) -> NDArray[np.unsignedinteger[Any]]:
        """One row, a view."""
        return self.values[self.offsets[index] : self.offsets[index + 1]]

    def pick(self, rows: NDArray[np.integer[Any]]) -> "Ragged":
        """A copy of the given rows, in the order given; a row may be given more than once."""
        starts = self.offsets[rows]
        lengths = self.offsets[rows + 1] - starts
        offsets = offsets_of(lengths)
        # Value j of the result is value j - (start of its row in the result) of its row.
        places = np.repeat(starts - offsets[:-1], lengths) + np.arange(offsets[-1])
        return Ragged(values=self.values[places], offsets=offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1


def offsets_of(lengths: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """The start of each row when all are laid end to end, and the end of the last one."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])
