"""Scores of translations: log-probabilities, with penalties for length and coverage.

N translations, S source length with EOS.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from seq2seq_cli.config.choices import LengthPenalty
from seq2seq_cli.shapes import Float, Int

if TYPE_CHECKING:
    from seq2seq_cli.config.schema.decoding import DecodingConfig

LEAST_COVERAGE = 1e-9
"""Coverage of a position without any attention, as its logarithm must be finite."""


@dataclass(frozen=True, kw_only=True)
class Penalties:
    """s(Y, X) = log p(Y | X) / lp(Y) + cp(X, Y); Wu et al. 2016, equation 14."""

    length: LengthPenalty
    """lp(Y), where the length \\|Y\\| counts EOS. none: 1. average: \\|Y\\|. gnmt: ((5 + \\|Y\\|) / 6)^alpha."""
    alpha: float
    """The exponent of gnmt."""
    beta: float
    """The weight of cp(X, Y) = beta * sum_i log(min(sum_j p_ij, 1)), p_ij the attention of target j to source i."""

    @classmethod
    def of(cls, options: "DecodingConfig") -> "Penalties":
        """The penalties of a config."""
        return cls(length=options.length_penalty, alpha=options.length_penalty_alpha, beta=options.coverage_penalty)

    def score(
        self,
        log_probabilities: Float[np.ndarray, " N"],
        lengths: Int[np.ndarray, " N"],
        coverage: Float[np.ndarray, "N S"],
    ) -> Float[np.ndarray, " N"]:
        """The scores of translations; `coverage` is the sum of the attention weights, 1 or more at padding."""
        penalised: Float[np.ndarray, " N"] = log_probabilities / self._divisor(lengths)
        if self.beta:
            penalised = penalised + self.beta * np.log(coverage.clip(LEAST_COVERAGE, 1.0)).sum(axis=1)
        return penalised

    def bound(
        self, log_probabilities: Float[np.ndarray, " N"], longest: Int[np.ndarray, " N"]
    ) -> Float[np.ndarray, " N"]:
        """The upper bounds of the scores of what open hypotheses can become with at most `longest` tokens.

        More tokens only lower a log-probability, no divisor is larger than that of the greatest length, and no coverage
        raises a score.
        """
        bounds: Float[np.ndarray, " N"] = log_probabilities / self._divisor(longest)
        return bounds

    def _divisor(self, lengths: Int[np.ndarray, " N"]) -> Float[np.ndarray, " N"]:
        match self.length:
            case "none":
                return np.ones(len(lengths))
            case "average":
                return lengths.astype(np.float64)
            case "gnmt":
                divisor: Float[np.ndarray, " N"] = ((5 + lengths) / 6) ** self.alpha
                return divisor
