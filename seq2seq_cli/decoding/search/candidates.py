"""Candidates: the continuations of the open hypotheses.

R rows, k proposals per row, C candidates, G of them chosen.
"""

from typing import NamedTuple

import numpy as np

from seq2seq_cli.decoding.engine import Proposals
from seq2seq_cli.shapes import Bool, Float, Int


class Candidates(NamedTuple):
    """Open hypotheses with one more token; those of a row are next to each other, best first."""

    rows: Int[np.ndarray, " C"]
    """The row that a candidate continues."""
    tokens: Int[np.ndarray, " C"]
    log_probabilities: Float[np.ndarray, " C"]
    """Those of the tokens."""

    @classmethod
    def best(cls, proposals: Proposals, is_allowed: Bool[np.ndarray, "R k"], most: int) -> "Candidates":
        """The best allowed proposals of each row, `most` of each; impossible ones (-inf) are left out."""
        is_allowed = is_allowed & np.isfinite(proposals.log_probabilities)
        rows, columns = np.nonzero(is_allowed & (is_allowed.cumsum(axis=1) <= most))
        return cls(rows, proposals.tokens[rows, columns], proposals.log_probabilities[rows, columns])

    def take(self, chosen: Int[np.ndarray, " G"]) -> "Candidates":
        """The candidates of these numbers."""
        return Candidates(*(field[chosen] for field in self))
