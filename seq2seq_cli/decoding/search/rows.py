"""The open hypotheses of a batch: the rows of the next step.

R rows, C continuations of them, L tokens with BOS, S source length with EOS, N sources.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.decoding.search.candidates import Candidates
from seq2seq_cli.shapes import Float, Int
from seq2seq_cli.text.vocabulary import BOS


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Hypotheses of equal length, those of one source next to each other."""

    sources: Int[np.ndarray, " R"]
    """The number of the source of each row."""
    history: Int[np.ndarray, "R L"]
    """BOS and the tokens so far."""
    log_probabilities: Float[np.ndarray, " R"]
    """The sums over the tokens so far."""
    coverage: Float[np.ndarray, "R S"]
    """The sums of the attention weights so far; 1 at padding."""
    states: NDArray[np.object_]
    """What the strategy knows of each row; None for nothing."""

    @classmethod
    def start(cls, lengths: Sequence[int], per_source: int) -> "Rows":
        """Empty hypotheses, `per_source` of each source; the lengths of the sources count EOS."""
        sources = np.arange(len(lengths)).repeat(per_source)
        is_padding = np.arange(max(lengths)) >= np.array(lengths)[sources, np.newaxis]
        return cls(
            sources=sources,
            history=np.full((len(sources), 1), BOS),
            log_probabilities=np.zeros(len(sources)),
            coverage=is_padding.astype(np.float64),
            states=np.full(len(sources), None),
        )

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def length(self) -> int:
        """The number of tokens so far, without BOS."""
        return int(self.history.shape[1]) - 1

    @property
    def tokens(self) -> Int[np.ndarray, " R"]:
        """The last token of each row, BOS at first."""
        return self.history[:, -1]

    def extend(self, chosen: Candidates, weights: Float[np.ndarray, "R S"]) -> "Rows":
        """The hypotheses of the chosen candidates, after a step with these attention weights."""
        return Rows(
            sources=self.sources[chosen.rows],
            history=np.concatenate((self.history[chosen.rows], chosen.tokens[:, np.newaxis]), axis=1),
            log_probabilities=self.log_probabilities[chosen.rows] + chosen.log_probabilities,
            coverage=self.coverage[chosen.rows] + weights[chosen.rows],
            states=chosen.states,
        )

    def select(self, rows: Int[np.ndarray, " C"]) -> "Rows":
        """The given rows, in the order given."""
        return Rows(
            sources=self.sources[rows],
            history=self.history[rows],
            log_probabilities=self.log_probabilities[rows],
            coverage=self.coverage[rows],
            states=self.states[rows],
        )
