"""How much of a score, or of a difference between two, is chance.

n sentences, k statistics per sentence, r resamples.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from seq2seq_cli.evaluation.scorer import Scorer
from seq2seq_cli.shapes import Float

RESAMPLES = 1000
SEED = 12345
"""SacreBLEU's, so that a figure is the same at each call."""
_ROUNDING = 1e-9
_AT_ONCE = 100
"""Resamples at a time: their weights are a matrix with a column per sentence."""


@dataclass(frozen=True, kw_only=True)
class Range:
    """The middle 95 % of the values over the resamples of the test set."""

    low: float
    high: float

    @classmethod
    def of(cls, values: Float[np.ndarray, " r"]) -> "Range":
        """The range between the quantiles 0.025 and 0.975."""
        low, high = np.quantile(values, (0.025, 0.975)).tolist()
        return cls(low=low, high=high)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A system's score less the baseline's, by the same metric on the same sentences."""

    value: float
    range: Range
    p: float
    """The probability of a difference at least as large if there were none."""
    is_significant: bool
    """Whether that is below 0.05, the usual level."""


def score_range(scorer: Scorer) -> Range:
    """The 95 % range of a score over bootstrap resamples of the sentences (Koehn 2004, section 3)."""
    return Range.of(np.array([scorer.of_sum(total) for total in _resampled(scorer.statistics)]))


def difference(system: Scorer, baseline: Scorer) -> Difference:
    """Compare two systems by one metric; raises ValueError when they were scored on differently many sentences.

    Paired bootstrap resampling (Koehn 2004, section 4): p is the share of the resamples in which the absolute
    difference, less its mean over them, is at least as large as the real one, as in SacreBLEU. Equal outputs have
    p = 1.
    """
    if len(system.statistics) != len(baseline.statistics):
        raise ValueError("two systems are compared on the same sentences")
    if np.array_equal(system.statistics, baseline.statistics):
        nothing = Range(low=0.0, high=0.0)
        return Difference(value=0.0, range=nothing, p=1.0, is_significant=False)
    value = system.score() - baseline.score()
    both = np.concatenate((system.statistics, baseline.statistics), axis=1)
    k = system.statistics.shape[1]
    resampled = np.array([system.of_sum(total[:k]) - baseline.of_sum(total[k:]) for total in _resampled(both)])
    centred = np.abs(resampled) - np.abs(resampled).mean()
    # The real difference counts as one of them.
    p = float(np.count_nonzero(centred >= abs(value) - _ROUNDING) + 1) / (len(centred) + 1)
    return Difference(value=value, range=Range.of(resampled), p=p, is_significant=p < 0.05)


def _resampled(statistics: Float[np.ndarray, "n k"]) -> Iterator[Float[np.ndarray, " k"]]:
    """The sums over as many sentences as there are, drawn with replacement, again and again."""
    random, n = np.random.default_rng(SEED), len(statistics)
    for _ in range(0, RESAMPLES, _AT_ONCE):
        yield from random.multinomial(n, np.full(n, 1 / n), size=_AT_ONCE) @ statistics
