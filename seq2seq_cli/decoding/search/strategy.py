"""What the strategies of a search share: their interface, and values in groups, side by side in a matrix.

N sources, R rows, C candidates, G of them chosen or groups of them, M members of the largest group.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from seq2seq_cli.decoding.engine import Proposals
from seq2seq_cli.decoding.search.rows import Candidates, Rows
from seq2seq_cli.decoding.search.rules import Bans
from seq2seq_cli.shapes import Float, Int


class Strategy(ABC):
    """The choice of the hypotheses that go on.

    It may keep a state of each row: the search carries along what `admit` puts into the candidates, and knows nothing
    of it. Most strategies have nothing to do but to choose.
    """

    rows_per_source: int
    """The number of rows that each source has at the first step."""
    most_candidates: int
    """The number of candidates of a row that can matter: its best ones."""
    extra_length: Int[np.ndarray, " N"] | int = 0
    """The tokens that a translation may have beyond the usual limit."""

    @abstractmethod
    def choose(self, candidates: Candidates, rows: Rows, ended: Int[np.ndarray, " N"]) -> Int[np.ndarray, " G"]:
        """The numbers of the candidates that go on or end, source by source; `ended` counts the hypotheses with EOS."""

    def asked(self, _rows: Rows) -> dict[int, list[int]]:
        """The tokens whose log-probabilities `admit` needs, by row."""
        return {}

    def bans(self, _rows: Rows) -> list[Bans]:
        """The tokens that are no candidates."""
        return []

    def admit(self, candidates: Candidates, _rows: Rows, _offer: Proposals) -> Candidates:
        """The candidates to choose from, in the order of their rows: those given, or others, with new states."""
        return candidates

    def scores(self, _rows: Rows, penalised: Float[np.ndarray, " R"]) -> Float[np.ndarray, " R"]:
        """The scores of finished hypotheses, or upper bounds for open ones, given the scores with penalties."""
        return penalised

    def forced(self, _state: Any) -> frozenset[int]:
        """The positions of the tokens that a hypothesis with this state has by constraints."""
        return frozenset()


def by_group(
    groups: Int[np.ndarray, " C"], values: Float[np.ndarray, " C"]
) -> tuple[Int[np.ndarray, "G M"], Float[np.ndarray, "G M"]]:
    """The members of each group in the order given: their numbers, 0 after the last, and their values, there -inf.

    `groups` has the number of the group of each value; the groups are in the order of these.
    """
    members = np.argsort(groups, kind="stable")
    sorted_groups = groups[members]
    is_first = np.ones(len(groups), dtype=np.bool_)
    is_first[1:] = sorted_groups[1:] != sorted_groups[:-1]
    group, first = is_first.cumsum() - 1, np.flatnonzero(is_first)
    place = np.arange(len(groups)) - first[group]
    size = (len(first), place.max(initial=0) + 1)
    numbers, matrix = np.zeros(size, dtype=np.int64), np.full(size, -np.inf)
    numbers[group, place], matrix[group, place] = members, values[members]
    return numbers, matrix
