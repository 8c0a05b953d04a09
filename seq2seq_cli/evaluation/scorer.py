"""The metrics of a test set, computed by SacreBLEU from statistics of each sentence.

Definitions and defaults are SacreBLEU's (Post 2018); here alone its metrics are set up. n sentences, k statistics per
sentence.
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from seq2seq_cli.evaluation.words import CHINESE, bleu_tokenisation
from seq2seq_cli.shapes import Float, Int


class Scorer:
    """A metric on a test set; any selection of the sentences is scored from the statistics of each."""

    def __init__(self, metric: Metric, statistics: Float[np.ndarray, "n k"]) -> None:
        self._metric = metric
        self.statistics = statistics

    @classmethod
    def of(cls, metric: Metric, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> "Scorer":
        """A metric of `hypotheses`, whose `references` are one or more for each.

        Raises ValueError for no hypotheses, and for references of differently many sentences.
        """
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
    """The score by a metric, such as `bleu` or `chrf`, with one reference per hypothesis.

    Raises ValueError for empty lists and for lists of different lengths.
    """
    scorer = Scorer.of(metric, hypotheses, [[text] for text in references])
    return CorpusScore(scorer.score(), scorer.signature)
