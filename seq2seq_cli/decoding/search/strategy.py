"""What beam search and sampling share: their interface, and values in groups, side by side in a matrix.

N sources, C candidates, G of them chosen or groups of them, M members of the largest group.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from seq2seq_cli.decoding.search.candidates import Candidates
from seq2seq_cli.decoding.search.rows import Rows
from seq2seq_cli.shapes import Float, Int


class Strategy(ABC):
    """The choice of the hypotheses that go on."""

    @property
    @abstractmethod
    def rows_per_source(self) -> int:
        """The number of rows that each source has at the first step."""

    @property
    @abstractmethod
    def most_candidates(self) -> int:
        """The number of candidates of a row that can matter: its best ones."""

    @abstractmethod
    def choose(self, candidates: Candidates, rows: Rows, ended: Int[np.ndarray, " N"]) -> Int[np.ndarray, " G"]:
        """The numbers of the candidates that go on or end, source by source; `ended` counts the hypotheses with EOS."""


@dataclass(frozen=True)
class Groups:
    """The groups in the order of their numbers, with their members in the order given."""

    numbers: Int[np.ndarray, "G M"]
    """The numbers of the members of each group; 0 after the last."""
    values: Float[np.ndarray, "G M"]
    """Their values; -inf after the last."""


def by_group(groups: Int[np.ndarray, " C"], values: Float[np.ndarray, " C"]) -> Groups:
    """The values of each group, by the number of the group of each value."""
    members = np.argsort(groups, kind="stable")
    sorted_groups = groups[members]
    is_first = np.ones(len(groups), dtype=np.bool_)
    is_first[1:] = sorted_groups[1:] != sorted_groups[:-1]
    group, first = is_first.cumsum() - 1, np.flatnonzero(is_first)
    place = np.arange(len(groups)) - first[group]
    size = (len(first), place.max(initial=0) + 1)
    numbers, matrix = np.zeros(size, dtype=np.int64), np.full(size, -np.inf)
    numbers[group, place], matrix[group, place] = members, values[members]
    return Groups(numbers, matrix)
