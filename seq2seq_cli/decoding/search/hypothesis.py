"""The outcome of a search."""

from dataclasses import dataclass

import numpy as np

from seq2seq_cli.shapes import Float
from seq2seq_cli.text.vocabulary import EOS


@dataclass(frozen=True, kw_only=True)
class Hypothesis:
    """A translation in ids: T tokens, for a source of S tokens with its EOS."""

    ids: list[int]
    """The tokens; the last is EOS unless the length limit came first."""
    log_probability: float
    """log p(ids | source) by the model, the sum over the tokens."""
    score: float
    """The log-probability with the penalties for length and coverage, higher is better. Where there are terms to be
    met, without these, but with the attention on the source words of the terms: see Pointer."""
    token_log_probabilities: Float[np.ndarray, " T"]
    """log p of each token after those before it."""
    weights: Float[np.ndarray, "T S"]
    """The attention weights at each token."""
    forced: frozenset[int] = frozenset()
    """The positions of the tokens that the constraints asked for."""

    @property
    def ended(self) -> bool:
        """Whether it ends with EOS."""
        return bool(self.ids) and self.ids[-1] == EOS
