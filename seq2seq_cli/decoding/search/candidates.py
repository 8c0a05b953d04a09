"""Candidates: the continuations of the open hypotheses.

R rows, k proposals per row, C candidates, G of them chosen.
"""

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
    progress: NDArray[np.object_]
    """The progress with prefix and terms; None where the source has neither."""

    @classmethod
    def best(
        cls, proposals: Proposals, is_allowed: Bool[np.ndarray, "R k"], most: int, progress: NDArray[np.object_]
    ) -> "Candidates":
        """The best allowed proposals of each row, `most` of each, with its progress; impossible ones are left out."""
        is_allowed = is_allowed & np.isfinite(proposals.log_probabilities)
        rows, columns = np.nonzero(is_allowed & (is_allowed.cumsum(axis=1) <= most))
        tokens, log_probabilities = proposals.tokens[rows, columns], proposals.log_probabilities[rows, columns]
        return cls(rows, tokens, log_probabilities, progress[rows])

    def take(self, chosen: Int[np.ndarray, " G"]) -> "Candidates":
        """The candidates of these numbers."""
        return Candidates(*(field[chosen] for field in self))
