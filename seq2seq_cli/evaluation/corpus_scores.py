"""BLEU and chrF: scores of a list of translations against their references, on plain text."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from seq2seq_cli.evaluation.scorer import Scorer, bleu, chrf, sums_by
from seq2seq_cli.shapes import Float


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
    """BLEU with one reference per hypothesis; see `scorer.bleu`.

    Raises ValueError for empty lists and for lists of different lengths.
    """
    metric = bleu(language, lowercase=lowercase)
    return CorpusScore.of("BLEU", Scorer.of(metric, hypotheses, [[text] for text in references]))


def corpus_chrf(hypotheses: Sequence[str], references: Sequence[str]) -> CorpusScore:
    """chrF2 with one reference per hypothesis, cased; see `scorer.chrf`.

    Raises ValueError for empty lists and for lists of different lengths.
    """
    return CorpusScore.of("chrF2", Scorer.of(chrf(), hypotheses, [[text] for text in references]))
