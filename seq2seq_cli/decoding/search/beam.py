"""Beam search: of all continuations of a source's open hypotheses, the most probable go on.

N sources, C candidates, G of them chosen.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from typing_extensions import override

from seq2seq_cli.decoding.search.candidates import Candidates
from seq2seq_cli.decoding.search.guidance import stages
from seq2seq_cli.decoding.search.rows import Rows
from seq2seq_cli.decoding.search.strategy import Strategy
from seq2seq_cli.shapes import Float, Int

if TYPE_CHECKING:
    from seq2seq_cli.config.schema import DecodingConfig


@dataclass(frozen=True, kw_only=True)
class Beam(Strategy):
    """The `size` best hypotheses of each source go on, less those that have ended; with size 1, greedy search.

    Where there are terms to be met, as many go on at each stage of the progress.

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
        stage = stages(candidates.progress)
        order, rank, gap = _best_of_groups(sources * (stage.max(initial=0) + 1) + stage, totals, self.size)
        chosen = rank < self.size - ended[sources[order]]
        if self.prune is not None:
            chosen &= (gap <= self.prune) | (rank < self.n_best)
        best: Int[np.ndarray, " G"] = order[chosen]
        return best


def _best_of_groups(
    groups: Int[np.ndarray, " C"], scores: Float[np.ndarray, " C"], most: int
) -> tuple[Int[np.ndarray, " G"], Int[np.ndarray, " G"], Float[np.ndarray, " G"]]:
    """The numbers of the best members of each group, their rank in it, and their distance to the best.

    They are in the order of the groups, best first, the first of equals before the others.
    """
    members = np.argsort(groups, kind="stable")
    groups, scores = groups[members], scores[members]
    is_first = np.ones(len(groups), dtype=np.bool_)
    is_first[1:] = groups[1:] != groups[:-1]
    group, first = is_first.cumsum() - 1, np.flatnonzero(is_first)
    # A matrix with a row per group is sorted much faster than all the members by two keys.
    place = np.arange(len(groups)) - first[group]
    matrix = np.full((len(first), place.max(initial=0) + 1), -np.inf)
    matrix[group, place] = scores
    places = np.argsort(-matrix, axis=1, kind="stable")[:, :most]
    best = np.take_along_axis(matrix, places, axis=1)
    row, rank = np.nonzero(np.isfinite(best))
    return members[first[row] + places[row, rank]], rank, best[row, 0] - best[row, rank]
