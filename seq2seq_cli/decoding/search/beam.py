"""Beam search: of all continuations of a source's open hypotheses, the most probable go on.

N sources, C candidates, G of them chosen.
"""

from dataclasses import dataclass

import numpy as np
from typing_extensions import override

from seq2seq_cli.config.decoding_options import DecodingOptions
from seq2seq_cli.decoding.search.rows import Candidates, Rows
from seq2seq_cli.decoding.search.strategy import Strategy, by_group
from seq2seq_cli.shapes import Float, Int


@dataclass(frozen=True, kw_only=True)
class Beam(Strategy):
    """The best hypotheses of each source go on, fewer by those that have ended; with a beam of 1, greedy search.

    Hopeless ones do not: Freitag & Al-Onaizan 2017, "Beam Search Strategies for Neural Machine Translation", section 3,
    absolute threshold pruning.
    """

    rows_per_source: int = 1
    most_candidates: int
    """The size of the beam."""
    n_best: int
    prune: float | None
    """Most nats that a hypothesis may be below the best of its source; the `n_best` best stay in any case."""

    @classmethod
    def of(cls, options: DecodingOptions) -> "Beam":
        """The beam of a config."""
        return cls(most_candidates=options.beam_size, n_best=options.n_best, prune=options.prune)

    @override
    def choose(
        self,
        candidates: Candidates,
        rows: Rows,
        ended: Int[np.ndarray, " N"],
        stages: Int[np.ndarray, " C"] | None = None,
        gains: Float[np.ndarray, " C"] | None = None,
    ) -> Int[np.ndarray, " G"]:
        """See Strategy. With `stages`, as many candidates go on at each stage; `gains` are added to log p."""
        if self.most_candidates == 1 and stages is None:
            return np.arange(len(candidates.rows))  # each source has one row, and each row one candidate
        sources = rows.sources[candidates.rows]
        totals = rows.log_probabilities[candidates.rows] + candidates.log_probabilities
        totals = totals if gains is None else totals + gains
        groups = sources if stages is None else sources * (stages.max(initial=0) + 1) + stages
        numbers, values = by_group(groups, totals)
        # A matrix with a row per group is sorted much faster than all candidates by two keys.
        order = np.argsort(-values, axis=1, kind="stable")[:, : self.most_candidates]
        best, numbers = (np.take_along_axis(columns, order, axis=1) for columns in (values, numbers))
        rank = np.arange(order.shape[1])
        chosen = np.isfinite(best) & (rank < self.most_candidates - ended[sources[numbers]])
        if self.prune is not None:
            chosen &= (best >= best[:, :1] - self.prune) | (rank < self.n_best)
        of_groups: Int[np.ndarray, " G"] = numbers[chosen]
        return of_groups
