"""The metrics of a test set, computed by SacreBLEU from statistics of each sentence.

n sentences, k statistics per sentence.
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from seq2seq_cli.evaluation.corpus_scores import bleu_tokenisation
from seq2seq_cli.shapes import Float, Int

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

_WITHOUT_SPACES = frozenset({"bo", "dz", "ja", "km", "lo", "my", "th", "zh"})
_IDEOGRAPHIC = frozenset({"ja", "ko", "zh"})
"""Languages whose characters TER takes for words, one by one, on request."""


def words_of(text: str, language: str) -> list[str]:
    """The words of a text by its spaces; its characters in a language that has none between words."""
    return list(text) if language in _WITHOUT_SPACES else text.split()


class Scorer:
    """A metric on a test set; any selection of the sentences is scored from the statistics of each."""

    def __init__(self, metric: "Metric", hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> None:
        """`references` are those of each hypothesis, one or more; raises ValueError for no or unequally many."""
        if not hypotheses or len(hypotheses) != len(references):
            raise ValueError(f"{len(hypotheses)} hypotheses for the references of {len(references)} sentences")
        self._metric = metric
        streams = list(zip_longest(*references))  # None where a sentence has fewer
        # What SacreBLEU's own significance tests work on; there is no public way to it.
        statistics = metric._extract_corpus_statistics(list(hypotheses), streams)  # noqa: SLF001
        self.statistics: Float[np.ndarray, "n k"] = np.array(statistics, dtype=np.float64)
        self.signature = str(metric.get_signature())

    def score(self, sentences: "Int[np.ndarray, ' m'] | None" = None) -> float:
        """The score of all sentences, or of those with the given numbers."""
        chosen = self.statistics if sentences is None else self.statistics[sentences]
        return self.of_sum(chosen.sum(axis=0))

    def of_sum(self, total: Float[np.ndarray, " k"]) -> float:
        """The score of sentences with these sums of statistics."""
        return float(self._metric._compute_score_from_stats(total.tolist()).score)  # noqa: SLF001  # as above


def scorers(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, language: str, lowercase: bool = False
) -> dict[str, Scorer]:
    """BLEU, chrF2++ and TER of hypotheses in a language; with `lowercase`, both sides are lower-cased.

    Papineni et al. 2002; Popović 2017; Snover et al. 2006; definitions and defaults are SacreBLEU's (Post 2018). TER
    takes no account of case at all; there is none for languages whose words it cannot find.
    """
    from sacrebleu.metrics.bleu import BLEU  # not above: most commands do without them
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    is_ideographic = language in _IDEOGRAPHIC
    tokenisation = bleu_tokenisation(language)
    # force: no warning on stderr about a model that writes spaces before full stops.
    metrics: dict[str, Metric] = {
        "BLEU": BLEU(tokenize=tokenisation, lowercase=lowercase, force=True),
        "chrF2++": CHRF(word_order=2, lowercase=lowercase),
    }
    if is_ideographic or tokenisation != "char":
        metrics["TER"] = TER(normalized=is_ideographic, asian_support=is_ideographic)
    return {name: Scorer(metric, hypotheses, references) for name, metric in metrics.items()}
