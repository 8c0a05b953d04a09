"""Beam search: of all continuations of a source's open hypotheses, the most probable go on.

N sources, C candidates, G of them chosen.
"""

import numpy as np
from typing_extensions import override

from seq2seq_cli.config.decoding_options import DecodingOptions
from seq2seq_cli.decoding.search.rows import Candidates, Rows
from seq2seq_cli.decoding.search.strategy import Strategy, by_group
from seq2seq_cli.shapes import Float, Int


class Beam(Strategy):
    """The best hypotheses of each source go on, fewer by those that have ended; with a beam of 1, greedy search.

    Those that are more than `prune` nats below the best of their source do not, but for the `n_best` best: Freitag &
    Al-Onaizan 2017, "Beam Search Strategies for Neural Machine Translation", section 3, absolute threshold pruning.
    """

    def __init__(self, options: DecodingOptions) -> None:
        self.rows_per_source = 1
        self.most_candidates = options.beam_size
        self._n_best, self._prune = options.n_best, options.prune

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
        if self._prune is not None:
            chosen &= (best >= best[:, :1] - self._prune) | (rank < self._n_best)
        of_groups: Int[np.ndarray, " G"] = numbers[chosen]
        return of_groups
