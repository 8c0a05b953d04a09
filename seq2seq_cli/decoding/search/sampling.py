"""Sampling: the next token is drawn, not searched for.

N sources, R rows, C candidates.
"""

from collections.abc import Sequence

import numpy as np
from typing_extensions import override

from seq2seq_cli.config.decoding_options import DecodingOptions
from seq2seq_cli.decoding.search.rows import Candidates, Rows
from seq2seq_cli.decoding.search.strategy import Strategy, by_group
from seq2seq_cli.shapes import Int

_WHOLE_VOCABULARY = 2**31


class Sampling(Strategy):
    """Each row goes on with a token that is drawn with p^(1/temperature)."""

    def __init__(self, options: DecodingOptions, sources: Sequence[Sequence[int]]) -> None:
        """Sample for sources without EOS; the samples of one do not depend on the others."""
        self.rows_per_source = options.n_best
        self.most_candidates = _WHOLE_VOCABULARY
        self._temperature = options.temperature
        self._generators = [np.random.default_rng([options.seed, *source]) for source in sources]

    @override
    def choose(self, candidates: Candidates, rows: Rows, ended: Int[np.ndarray, " N"]) -> Int[np.ndarray, " G"]:
        numbers, values = by_group(candidates.rows, candidates.log_probabilities)
        cumulative = np.exp((values - values[:, :1]) / self._temperature).cumsum(axis=1)
        sources = rows.sources[candidates.rows[numbers[:, 0]]]
        drawn = np.array([self._generators[source].random() for source in sources.tolist()])
        place = (cumulative < drawn[:, np.newaxis] * cumulative[:, -1:]).sum(axis=1)
        chosen: Int[np.ndarray, " G"] = numbers[np.arange(len(place)), place]
        return chosen
