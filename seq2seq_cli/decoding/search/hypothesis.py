"""Hypotheses, and the steps of a search in which the tokens of each are found, backwards from its last.

R rows of a step, K of the next, H hypotheses of at most T tokens, S source length with EOS.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from seq2seq_cli.decoding.search.candidates import Candidates
from seq2seq_cli.shapes import Float, Int
from seq2seq_cli.text.vocabulary import EOS


@dataclass(frozen=True, kw_only=True)
class Hypothesis:
    """A translation in ids: T tokens, for a source of S tokens with its EOS."""

    ids: list[int]
    """The tokens; the last is EOS unless the length limit came first."""
    log_probability: float
    """log p(ids | source) by the model, the sum over the tokens."""
    score: float
    """The log-probability with the penalties for length and coverage, higher is better; see Strategy.scores."""
    token_log_probabilities: Float[np.ndarray, " T"]
    """log p of each token after those before it."""
    weights: Float[np.ndarray, "T S"]
    """The attention weights at each token."""
    forced: frozenset[int] = frozenset()
    """The positions of the tokens that it has by constraints."""

    @property
    def ended(self) -> bool:
        """Whether it ends with EOS."""
        return bool(self.ids) and self.ids[-1] == EOS


class Step(NamedTuple):
    """A step of the search."""

    chosen: Candidates
    """The candidates that go on or end."""
    weights: Float[np.ndarray, "R S"]
    """The attention weights of each row."""
    kept: Int[np.ndarray, " K"]
    """The number of the chosen candidate that each row of the next step is."""


@dataclass(frozen=True)
class Paths:
    """Hypotheses side by side; the values after the last token of each are 0."""

    tokens: Int[np.ndarray, "H T"]
    log_probabilities: Float[np.ndarray, "H T"]
    weights: Float[np.ndarray, "H T S"]


def follow(steps: list[Step], last: Int[np.ndarray, " H"], candidates: Int[np.ndarray, " H"]) -> Paths:
    """The hypotheses that end with the given candidates of the given steps (-1: before the first, without a token)."""
    size = (len(last), last.max(initial=-1) + 1)
    tokens, log_probabilities = np.zeros(size, dtype=np.int64), np.zeros(size)
    weights = np.zeros((*size, steps[0].weights.shape[1] if steps else 0), dtype=np.float32)
    candidates = candidates.copy()
    for t in range(size[1] - 1, -1, -1):
        step, paths = steps[t], np.flatnonzero(last >= t)
        chosen = step.chosen.take(candidates[paths])
        tokens[paths, t] = chosen.tokens
        log_probabilities[paths, t] = chosen.log_probabilities
        weights[paths, t] = step.weights[chosen.rows]
        if t:
            candidates[paths] = steps[t - 1].kept[chosen.rows]
    return Paths(tokens, log_probabilities, weights)
