"""Beam search: of all continuations of a source's open hypotheses, the most probable go on.

N sources, C candidates, G of them chosen.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from typing_extensions import override

from seq2seq_cli.decoding.search.candidates import Candidates
from seq2seq_cli.decoding.search.rows import Rows
from seq2seq_cli.decoding.search.strategy import Strategy
from seq2seq_cli.shapes import Int

if TYPE_CHECKING:
    from seq2seq_cli.config.schema import DecodingConfig


@dataclass(frozen=True, kw_only=True)
class Beam(Strategy):
    """The `size` best hypotheses of each source go on, less those that have ended; with size 1, greedy search.

    Hopeless ones do not: Freitag & Al-Onaizan 2017, "Beam Search Strategies for Neural Machine Translation", section 3,
    absolute threshold pruning.
    """

    size: int
    n_best: int
    prune: float | None
    """Most nats that a hypothesis may be below the best of its source; the `n_best` best stay in any case."""

    @classmethod
    def of(cls, options: "DecodingConfig") -> "Beam":
        """The beam of a config."""
        return cls(size=options.beam_size, n_best=options.n_best, prune=options.prune)

    @property
    @override
    def rows_per_source(self) -> int:
        return 1

    @property
    @override
    def most_candidates(self) -> int:
        return self.size

    @override
    def choose(self, candidates: Candidates, rows: Rows, ended: Int[np.ndarray, " N"]) -> Int[np.ndarray, " G"]:
        sources = rows.sources[candidates.rows]
        totals = rows.log_probabilities[candidates.rows] + candidates.log_probabilities
        order = np.lexsort((-totals, sources))
        sources, totals = sources[order], totals[order]
        first = _first_of_groups(sources)
        rank = np.arange(len(order)) - first
        chosen = rank < self.size - ended[sources]
        if self.prune is not None:
            chosen &= (totals[first] - totals <= self.prune) | (rank < self.n_best)
        best: Int[np.ndarray, " G"] = order[chosen]
        return best


def _first_of_groups(groups: Int[np.ndarray, " C"]) -> Int[np.ndarray, " C"]:
    """The position of the first member of each member's group, in a sorted array."""
    is_first = np.ones(len(groups), dtype=np.bool_)
    is_first[1:] = groups[1:] != groups[:-1]
    first: Int[np.ndarray, " C"] = np.flatnonzero(is_first)[is_first.cumsum() - 1]
    return first
