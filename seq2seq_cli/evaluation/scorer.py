"""The metrics of a test set, computed by SacreBLEU from statistics of each sentence, and how much of them is chance.

Definitions and defaults are SacreBLEU's (Post 2018); here alone its metrics are set up. n sentences, k statistics per
sentence, r resamples.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from seq2seq_cli.evaluation.words import CHINESE, bleu_tokenisation
from seq2seq_cli.shapes import Float, Int

RESAMPLES = 1000
SEED = 12345
"""SacreBLEU's, so that a figure is the same at each call."""
_ROUNDING = 1e-9
_MIDDLE = (0.025, 0.975)
"""The quantiles of a range."""
_AT_ONCE = 100
"""Resamples at a time: their weights are a matrix with a column per sentence."""


class Scorer:
    """A metric on a test set; any selection of the sentences is scored from the statistics of each."""

    def __init__(self, metric: Metric, statistics: Float[np.ndarray, "n k"]) -> None:
        self._metric = metric
        self.statistics = statistics

    @classmethod
    def of(cls, metric: Metric, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> "Scorer":
        """A metric of `hypotheses`, with one or more `references` each; ValueError for none, or different numbers."""
        if not hypotheses or len(hypotheses) != len(references):
            raise ValueError(f"{len(hypotheses)} hypotheses for the references of {len(references)} sentences")
        streams = list(zip_longest(*references))  # None where a sentence has fewer
        # What SacreBLEU's own significance tests work on; there is no public way to it.
        statistics = metric._extract_corpus_statistics(list(hypotheses), streams)  # noqa: SLF001
        return cls(metric, np.array(statistics, dtype=np.float64))

    @property
    def signature(self) -> str:
        """SacreBLEU's: number of references, case, tokenisation or n-grams, version. Compare only equal signatures."""
        return str(self._metric.get_signature())

    def score(self, sentences: "Int[np.ndarray, ' m'] | None" = None) -> float:
        """The score of all sentences, or of those with the given numbers."""
        chosen = self.statistics if sentences is None else self.statistics[sentences]
        return self.of_sum(chosen.sum(axis=0))

    def by(self, sources: Sequence[str]) -> "Scorer":
        """The same scorer with the sums of the statistics of the pairs of each different source.

        The pairs of one source have one output: a resample has all of them or none.
        """
        numbers: dict[str, int] = {}
        places = [numbers.setdefault(source, len(numbers)) for source in sources]
        sums = np.zeros((len(numbers), self.statistics.shape[1]))
        np.add.at(sums, places, self.statistics)
        return Scorer(self._metric, sums)

    def of_sum(self, total: Float[np.ndarray, " k"]) -> float:
        """The score of sentences with these sums of statistics."""
        return float(self._metric._compute_score_from_stats(total.tolist()).score)  # noqa: SLF001  # as above


def bleu(language: str = "", *, lowercase: bool = False) -> BLEU:
    """BLEU (Papineni et al. 2002), with the tokenisation for a language; with `lowercase`, both sides lower-cased."""
    # force: no warning on stderr about a model that writes spaces before full stops.
    return BLEU(tokenize=bleu_tokenisation(language), lowercase=lowercase, force=True)


def chrf(*, words: int = 0, lowercase: bool = False) -> CHRF:
    """chrF2 (Popović 2015), the F-score of n-grams of 1 to 6 characters, in which recall counts twice.

    Of n-grams of up to so many `words` as well: 2 for chrF2++ (Popović 2017).
    """
    return CHRF(word_order=words, lowercase=lowercase)


def scorers(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, language: str, lowercase: bool = False
) -> dict[str, Scorer]:
    """BLEU, chrF2++ and TER of hypotheses in a language; with `lowercase`, both sides are lower-cased.

    TER (Snover et al. 2006) takes no account of case at all; there is none for languages whose words it cannot find.
    """
    metrics: dict[str, Metric] = {
        "BLEU": bleu(language, lowercase=lowercase),
        "chrF2++": chrf(words=2, lowercase=lowercase),
    }
    if bleu_tokenisation(language) != "char":
        metrics["TER"] = TER(normalized=language in CHINESE, asian_support=language in CHINESE)
    return {name: Scorer.of(metric, hypotheses, references) for name, metric in metrics.items()}


class CorpusScore(NamedTuple):
    """A score of a whole list of translations, with the settings that it was computed with."""

    value: float
    """From 0 to 100, higher is better."""
    signature: str
    """SacreBLEU's; compare only equal signatures."""


def corpus_score(metric: Metric, hypotheses: Sequence[str], references: Sequence[str]) -> CorpusScore:
    """The score by a metric, such as `bleu` or `chrf`, with one reference per hypothesis; ValueError as `Scorer.of`."""
    scorer = Scorer.of(metric, hypotheses, [[text] for text in references])
    return CorpusScore(scorer.score(), scorer.signature)


@dataclass(frozen=True)
class Range:
    """The middle 95 % of the values over the resamples of the test set."""

    low: float
    high: float


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
    return Range(*np.quantile([scorer.of_sum(total) for total in _resampled(scorer.statistics)], _MIDDLE).tolist())


def difference(system: Scorer, baseline: Scorer) -> Difference:
    """Compare two systems by one metric; raises ValueError when they were scored on differently many sentences.

    Paired bootstrap resampling (Koehn 2004, section 4): p is the share of the resamples in which the absolute
    difference, less its mean over them, is at least as large as the real one, as in SacreBLEU. Equal outputs have
    p = 1.
    """
    value = system.score() - baseline.score()
    both = np.concatenate((system.statistics, baseline.statistics), axis=1)
    k = system.statistics.shape[1]
    resampled = np.array([system.of_sum(total[:k]) - baseline.of_sum(total[k:]) for total in _resampled(both)])
    centred = np.abs(resampled) - np.abs(resampled).mean()
    # The real difference counts as one of them.
    p = float(np.count_nonzero(centred >= abs(value) - _ROUNDING) + 1) / (len(centred) + 1)
    return Difference(value=value, range=Range(*np.quantile(resampled, _MIDDLE).tolist()), p=p, is_significant=p < 0.05)


def _resampled(statistics: Float[np.ndarray, "n k"]) -> Iterator[Float[np.ndarray, " k"]]:
    """The sums over as many sentences as there are, drawn with replacement, again and again."""
    random, n = np.random.default_rng(SEED), len(statistics)
    for _ in range(0, RESAMPLES, _AT_ONCE):
        yield from random.multinomial(n, np.full(n, 1 / n), size=_AT_ONCE) @ statistics
