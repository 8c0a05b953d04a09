"""The open hypotheses of a batch, the rows of the next step, and the whole hypotheses that are found from their ends.

R rows of a step, K of the next, C continuations, H hypotheses of at most T tokens, L tokens with BOS, S source length
with EOS, N sources.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.decoding.engine import Proposals
from seq2seq_cli.shapes import Bool, Float, Int
from seq2seq_cli.text.vocabulary import BOS, EOS


class Candidates(NamedTuple):
    """Open hypotheses with one more token."""

    rows: Int[np.ndarray, " C"]
    """The row that a candidate continues."""
    tokens: Int[np.ndarray, " C"]
    log_probabilities: Float[np.ndarray, " C"]
    """Of the tokens."""
    states: NDArray[np.object_]
    """What the strategy knows of each; None for nothing."""

    @classmethod
    def best(cls, proposals: Proposals, is_allowed: Bool[np.ndarray, "R k"], most: int) -> "Candidates":
        """The best allowed proposals of each row, `most` of each; impossible ones are left out."""
        is_allowed = is_allowed & np.isfinite(proposals.log_probabilities)
        rows, columns = np.nonzero(is_allowed & (is_allowed.cumsum(axis=1) <= most))
        tokens, log_probabilities = proposals.tokens[rows, columns], proposals.log_probabilities[rows, columns]
        return cls(rows, tokens, log_probabilities, np.full(len(rows), None))

    def take(self, chosen: Int[np.ndarray, " G"]) -> "Candidates":
        """The candidates of these numbers."""
        return Candidates(*(field[chosen] for field in self))

    def with_rows(self, rows: Collection[int], candidates: Sequence[tuple[int, int, float, object]]) -> "Candidates":
        """The candidates, in some rows replaced by others; all in the order of their rows."""
        kept = self.take(np.flatnonzero(~np.isin(self.rows, list(rows))))
        columns = zip(*candidates, strict=True) if candidates else [()] * len(self)
        new = (np.fromiter(column, field.dtype, len(candidates)) for column, field in zip(columns, self, strict=True))
        both = Candidates(*(np.concatenate(pair) for pair in zip(kept, new, strict=True)))
        return both.take(np.argsort(both.rows, kind="stable"))


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Hypotheses of equal length, of one source next to each other."""

    sources: Int[np.ndarray, " R"]
    """The number of the source of each row."""
    history: Int[np.ndarray, "R L"]
    """BOS and the tokens so far."""
    log_probabilities: Float[np.ndarray, " R"]
    """The sums over the tokens so far."""
    coverage: Float[np.ndarray, "R S"]
    """The sums of the attention weights so far, 1 at padding; S is 0 where no penalty needs them."""
    states: NDArray[np.object_]
    """What the strategy knows of each row; None for nothing."""

    @classmethod
    def start(cls, lengths: Sequence[int], per_source: int, *, has_coverage: bool) -> "Rows":
        """Empty hypotheses, `per_source` of each source; the lengths of the sources count EOS."""
        numbers = np.arange(len(lengths)).repeat(per_source)
        is_padding = np.arange(max(lengths) if has_coverage else 0) >= np.array(lengths)[numbers, np.newaxis]
        return cls(
            sources=numbers,
            history=np.full((len(numbers), 1), BOS),
            log_probabilities=np.zeros(len(numbers)),
            coverage=is_padding.astype(np.float64),
            states=np.full(len(numbers), None),
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
            coverage=self.coverage[chosen.rows] + weights[chosen.rows, : self.coverage.shape[1]],
            states=chosen.states,
        )

    def select(self, rows: Int[np.ndarray, " C"]) -> "Rows":
        """The given rows, in the order given."""
        return Rows(**{name: values[rows] for name, values in vars(self).items()})


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


def follow(
    steps: list[Step], last: Int[np.ndarray, " H"], candidates: Int[np.ndarray, " H"]
) -> tuple[Int[np.ndarray, "H T"], Float[np.ndarray, "H T"], Float[np.ndarray, "H T S"]]:
    """The hypotheses that end with the given candidates of the given steps (-1: before the first, without a token).

    Their tokens, the log-probabilities of these, and the attention weights, side by side; 0 after the last token.
    """
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
    return tokens, log_probabilities, weights
