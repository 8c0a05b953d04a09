"""The metrics of a test set, computed by SacreBLEU from statistics of each sentence.

Definitions and defaults are SacreBLEU's (Post 2018); here alone its metrics are set up. n sentences, k statistics per
sentence.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from seq2seq_cli.evaluation.languages import IDEOGRAPHIC, bleu_tokenisation
from seq2seq_cli.shapes import Float, Int

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric


class Scorer:
    """A metric on a test set; any selection of the sentences is scored from the statistics of each."""

    def __init__(self, metric: "Metric", statistics: Float[np.ndarray, "n k"], signature: str) -> None:
        self._metric = metric
        self.statistics = statistics
        self.signature = signature
        """SacreBLEU's: number of references, case, tokenisation or n-grams, version. Compare only equal signatures."""

    @classmethod
    def of(cls, metric: "Metric", hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> "Scorer":
        """A metric of `hypotheses`, whose `references` are one or more for each.

        Raises ValueError for no hypotheses, and for references of differently many sentences.
        """
        if not hypotheses or len(hypotheses) != len(references):
            raise ValueError(f"{len(hypotheses)} hypotheses for the references of {len(references)} sentences")
        streams = list(zip_longest(*references))  # None where a sentence has fewer
        # What SacreBLEU's own significance tests work on; there is no public way to it.
        statistics = metric._extract_corpus_statistics(list(hypotheses), streams)  # noqa: SLF001
        return cls(metric, np.array(statistics, dtype=np.float64), str(metric.get_signature()))

    def score(self, sentences: "Int[np.ndarray, ' m'] | None" = None) -> float:
        """The score of all sentences, or of those with the given numbers."""
        chosen = self.statistics if sentences is None else self.statistics[sentences]
        return self.of_sum(chosen.sum(axis=0))

    def by(self, sources: Sequence[str]) -> "Scorer":
        """The same scorer with the statistics of each different source, from those of pairs with these sources."""
        return Scorer(self._metric, sums_by(sources, self.statistics), self.signature)

    def of_sum(self, total: Float[np.ndarray, " k"]) -> float:
        """The score of sentences with these sums of statistics."""
        return float(self._metric._compute_score_from_stats(total.tolist()).score)  # noqa: SLF001  # as above


def sums_by(sources: Sequence[str], statistics: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "m k"]:
    """The sums of the statistics of the pairs of each of the m different sources.

    The pairs of one source have one output: a resample has all of them or none.
    """
    numbers: dict[str, int] = {}
    places = [numbers.setdefault(source, len(numbers)) for source in sources]
    sums = np.zeros((len(numbers), statistics.shape[1]))
    np.add.at(sums, places, statistics)
    return sums


def bleu(language: str = "", *, lowercase: bool = False) -> "Metric":
    """BLEU (Papineni et al. 2002), with the tokenisation for a language; with `lowercase`, both sides lower-cased."""
    from sacrebleu.metrics.bleu import BLEU  # not above, as below: most commands do without

    # force: no warning on stderr about a model that writes spaces before full stops.
    return BLEU(tokenize=bleu_tokenisation(language), lowercase=lowercase, force=True)


def chrf(*, words: int = 0, lowercase: bool = False) -> "Metric":
    """chrF2 (Popović 2015), the F-score of n-grams of 1 to 6 characters, in which recall counts twice.

    Of n-grams of up to so many `words` as well: 2 for chrF2++ (Popović 2017).
    """
    from sacrebleu.metrics.chrf import CHRF

    return CHRF(word_order=words, lowercase=lowercase)


def scorers(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, language: str, lowercase: bool = False
) -> dict[str, Scorer]:
    """BLEU, chrF2++ and TER of hypotheses in a language; with `lowercase`, both sides are lower-cased.

    TER (Snover et al. 2006) takes no account of case at all; there is none for languages whose words it cannot find.
    """
    from sacrebleu.metrics.ter import TER

    metrics = {"BLEU": bleu(language, lowercase=lowercase), "chrF2++": chrf(words=2, lowercase=lowercase)}
    is_ideographic = language in IDEOGRAPHIC
    if is_ideographic or bleu_tokenisation(language) != "char":
        metrics["TER"] = TER(normalized=is_ideographic, asian_support=is_ideographic)
    return {name: Scorer.of(metric, hypotheses, references) for name, metric in metrics.items()}


@dataclass(frozen=True, kw_only=True)
class CorpusScore:
    """A score of a whole list of translations, with the settings that it was computed with."""

    name: str
    """BLEU or chrF2."""
    value: float
    """From 0 to 100, higher is better."""
    signature: str
    """SacreBLEU's: number of references, case, tokenisation or n-grams, version. Compare only equal signatures."""
    statistics: Float[np.ndarray, "n k"] = field(default_factory=lambda: np.zeros((0, 0)), repr=False, compare=False)
    """Those of each of the n pairs or sources, from whose sums the score is computed."""

    @classmethod
    def of(cls, name: str, scorer: Scorer) -> "CorpusScore":
        """The score of all sentences of a scorer."""
        return cls(name=name, value=scorer.score(), signature=scorer.signature, statistics=scorer.statistics)

    def by(self, sources: Sequence[str]) -> "CorpusScore":
        """The same score with the statistics of each different source, from those of pairs with these sources."""
        return replace(self, statistics=sums_by(sources, self.statistics))


def corpus_bleu(
    hypotheses: Sequence[str], references: Sequence[str], *, language: str = "", lowercase: bool = False
) -> CorpusScore:
    """BLEU with one reference per hypothesis; see `bleu`.

    Raises ValueError for empty lists and for lists of different lengths.
    """
    metric = bleu(language, lowercase=lowercase)
    return CorpusScore.of("BLEU", Scorer.of(metric, hypotheses, [[text] for text in references]))


def corpus_chrf(hypotheses: Sequence[str], references: Sequence[str]) -> CorpusScore:
    """chrF2 with one reference per hypothesis, cased; see `chrf`.

    Raises ValueError for empty lists and for lists of different lengths.
    """
    return CorpusScore.of("chrF2", Scorer.of(chrf(), hypotheses, [[text] for text in references]))
