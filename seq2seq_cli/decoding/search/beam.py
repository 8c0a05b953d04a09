"""Beam search: of all continuations of a source's open hypotheses, the most probable go on.

N sources, C candidates, G of them chosen.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from typing_extensions import override

from seq2seq_cli.decoding.search.candidates import Candidates
from seq2seq_cli.decoding.search.guidance import gains, stages
from seq2seq_cli.decoding.search.rows import Rows
from seq2seq_cli.decoding.search.strategy import Strategy, by_group
from seq2seq_cli.shapes import Int

if TYPE_CHECKING:
    from seq2seq_cli.config.schema.decoding import DecodingConfig


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
        if self.size == 1 and not candidates.progress.any():
            return np.arange(len(candidates.rows))  # each source has one row, and each row one candidate
        sources = rows.sources[candidates.rows]
        totals = rows.log_probabilities[candidates.rows] + candidates.log_probabilities + gains(candidates.progress)
        stage = stages(candidates.progress)
        groups = by_group(sources * (stage.max(initial=0) + 1) + stage, totals)
        # A matrix with a row per group is sorted much faster than all candidates by two keys.
        order = np.argsort(-groups.values, axis=1, kind="stable")[:, : self.size]
        best = np.take_along_axis(groups.values, order, axis=1)
        numbers = np.take_along_axis(groups.numbers, order, axis=1)
        rank = np.arange(order.shape[1])
        chosen = np.isfinite(best) & (rank < self.size - ended[sources[numbers]])
        if self.prune is not None:
            chosen &= (best >= best[:, :1] - self.prune) | (rank < self.n_best)
        of_groups: Int[np.ndarray, " G"] = numbers[chosen]
        return of_groups
