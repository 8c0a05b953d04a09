"""Candidates: the continuations of the open hypotheses.

R rows, k proposals per row, C candidates, G of them chosen.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.decoding.engine import Proposals
from seq2seq_cli.shapes import Bool, Float, Int


class Candidates(NamedTuple):
    """Open hypotheses with one more token."""

    rows: Int[np.ndarray, " C"]
    """The row that a candidate continues."""
    tokens: Int[np.ndarray, " C"]
    log_probabilities: Float[np.ndarray, " C"]
    """Those of the tokens."""
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
        """The candidates, those of some rows replaced by others; all in the order of their rows."""
        kept = self.take(np.flatnonzero(~np.isin(self.rows, list(rows))))
        columns = zip(*candidates, strict=True) if candidates else [()] * len(self)
        new = (np.fromiter(column, field.dtype, len(candidates)) for column, field in zip(columns, self, strict=True))
        both = Candidates(*(np.concatenate(pair) for pair in zip(kept, new, strict=True)))
        return both.take(np.argsort(both.rows, kind="stable"))
