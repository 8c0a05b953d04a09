"""The processes that train one model together."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class World:
    """One of the processes: which one it is, and how they agree."""

    rank: int
    """This process, counted from 0."""
    size: int
    """How many there are."""

    @classmethod
    def alone(cls) -> "World":
        """One process that trains by itself."""
        return cls(rank=0, size=1)

    @property
    def is_main(self) -> bool:
        """Whether this process is the one that validates, writes and speaks."""
        return self.rank == 0

    def sum(self, numbers: Sequence[float]) -> list[float]:
        """The sums of each number over all processes."""
        return list(numbers)
