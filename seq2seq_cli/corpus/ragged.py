"""Rows of different lengths in one flat array."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, kw_only=True)
class Ragged:
    """Rows of numbers, one after the other: row i is ``values[offsets[i]:offsets[i + 1]]``."""

    values: NDArray[np.unsignedinteger[Any]]
    offsets: NDArray[np.int64]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The length of each row."""
        return np.diff(self.offsets)

    def row(self, index: int) -> NDArray[np.unsignedinteger[Any]]:
        """One row, a view; raises IndexError when there is none."""
        if not 0 <= index < len(self):
            raise IndexError(index)
        return self.values[self.offsets[index] : self.offsets[index + 1]]

    def rows(self, chosen: NDArray[np.bool_]) -> Self:
        """The rows that a mask holds, in their order."""
        lengths = self.lengths
        return type(self)(values=self.values[np.repeat(chosen, lengths)], offsets=offsets_of(lengths[chosen]))

    def __len__(self) -> int:
        return len(self.offsets) - 1


def offsets_of(lengths: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Where each row begins when all are laid end to end, and where the last one ends."""
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)])
