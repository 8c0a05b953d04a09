"""Sampling: the next token is drawn, not searched for.

N sources, R rows, C candidates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from typing_extensions import override

from seq2seq_cli.decoding.search.candidates import Candidates
from seq2seq_cli.decoding.search.rows import Rows
from seq2seq_cli.decoding.search.strategy import Strategy, by_group
from seq2seq_cli.shapes import Int

if TYPE_CHECKING:
    from seq2seq_cli.config.schema.decoding import DecodingConfig

_WHOLE_VOCABULARY = 2**31


@dataclass(frozen=True, kw_only=True)
class Sampling(Strategy):
    """Each row goes on with a token that is drawn with p^(1/temperature), of the `top_k` most probable ones.

    Fan et al. 2018, "Hierarchical Neural Story Generation", section 5.1.
    """

    samples: int
    temperature: float
    top_k: int | None
    generators: Sequence[np.random.Generator]
    """One per source: its samples do not depend on the other sources."""

    @classmethod
    def of(cls, options: "DecodingConfig", sources: Sequence[Sequence[int]]) -> "Sampling":
        """The sampling of a config for sources without EOS."""
        return cls(
            samples=options.n_best,
            temperature=options.temperature,
            top_k=options.top_k,
            generators=[np.random.default_rng([options.seed, *source]) for source in sources],
        )

    @property
    @override
    def rows_per_source(self) -> int:
        return self.samples

    @property
    @override
    def most_candidates(self) -> int:
        return self.top_k or _WHOLE_VOCABULARY

    @override
    def choose(self, candidates: Candidates, rows: Rows, ended: Int[np.ndarray, " N"]) -> Int[np.ndarray, " G"]:
        groups = by_group(candidates.rows, candidates.log_probabilities)
        cumulative = np.exp((groups.values - groups.values[:, :1]) / self.temperature).cumsum(axis=1)
        sources = rows.sources[candidates.rows[groups.numbers[:, 0]]]
        drawn = np.array([self.generators[source].random() for source in sources.tolist()])
        place = (cumulative < drawn[:, np.newaxis] * cumulative[:, -1:]).sum(axis=1)
        chosen: Int[np.ndarray, " G"] = groups.numbers[np.arange(len(place)), place]
        return chosen
