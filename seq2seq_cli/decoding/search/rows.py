"""The open hypotheses of a batch, the rows of the next step, and the hypotheses that are found.

R rows of a step, C continuations, G of them chosen, T tokens so far, L tokens with BOS, S source length with EOS.
"""

from collections.abc import Sequence
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


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Hypotheses of equal length, of one source next to each other."""

    sources: Int[np.ndarray, " R"]
    """The number of the source of each row."""
    history: Int[np.ndarray, "R L"]
    """BOS and the tokens so far."""
    path: Int[np.ndarray, "R T"]
    """The row of each step so far that has led to it, counted over the rows of all steps."""
    log_probabilities: Float[np.ndarray, " R"]
    """The sums over the tokens so far."""
    token_log_probabilities: Float[np.ndarray, "R T"]
    """log p of each token after those before it."""
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
            path=np.zeros((len(numbers), 0), dtype=np.int64),
            log_probabilities=np.zeros(len(numbers)),
            token_log_probabilities=np.zeros((len(numbers), 0)),
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

    def extend(self, chosen: Candidates, weights: Float[np.ndarray, "R S"], first: int) -> "Rows":
        """The hypotheses of the chosen candidates, after a step with these attention weights and this first row."""
        before = self.select(chosen.rows)
        return Rows(
            sources=before.sources,
            history=np.column_stack((before.history, chosen.tokens)),
            path=np.column_stack((before.path, first + chosen.rows)),
            log_probabilities=before.log_probabilities + chosen.log_probabilities,
            token_log_probabilities=np.column_stack((before.token_log_probabilities, chosen.log_probabilities)),
            coverage=before.coverage + weights[chosen.rows, : self.coverage.shape[1]],
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
    weights: Float[np.ndarray, "T S"]
    forced: frozenset[int] = frozenset()
    """The positions of the tokens that it has by constraints."""

    @property
    def ended(self) -> bool:
        """Whether it ends with EOS."""
        return bool(self.ids) and self.ids[-1] == EOS
