"""BLEU and chrF: scores of a list of translations against their references, on plain text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_CHARACTERS = frozenset({"bo", "dz", "ja", "km", "ko", "lo", "my", "th"})
"""Languages whose words SacreBLEU's usual tokenisation cannot find."""


@dataclass(frozen=True, kw_only=True)
class CorpusScore:
    """A score of a whole list of translations, with the settings that it was computed with."""

    name: str
    """BLEU or chrF2."""
    value: float
    """From 0 to 100, higher is better."""
    signature: str
    """SacreBLEU's: number of references, case, tokenisation or n-grams, version. Compare only equal signatures."""


def bleu_tokenisation(language: str) -> str:
    """SacreBLEU's tokenisation for the BLEU of a language, an ISO 639 code.

    That of Chinese (zh), characters (char) where its usual one, 13a, cannot find the words, else 13a.
    """
    return "zh" if language == "zh" else "char" if language in _CHARACTERS else "13a"


def corpus_bleu(
    hypotheses: Sequence[str], references: Sequence[str], *, language: str = "", lowercase: bool = False
) -> CorpusScore:
    """BLEU (Papineni et al. 2002) as SacreBLEU defines it (Post 2018), with one reference per hypothesis.

    The tokenisation is the one for the `language`, see bleu_tokenisation. With `lowercase`, both sides are lower-cased.

    Raises ValueError for empty lists and for lists of different lengths.
    """
    from sacrebleu.metrics.bleu import BLEU  # not above: most commands do without it

    # force: no warning on stderr about a model that writes spaces before full stops.
    metric = BLEU(tokenize=bleu_tokenisation(language), lowercase=lowercase, force=True)
    return _score("BLEU", metric, hypotheses, references)


def corpus_chrf(hypotheses: Sequence[str], references: Sequence[str]) -> CorpusScore:
    """chrF2 (Popović 2015, with β = 2) as SacreBLEU defines it (Post 2018): cased, one reference per hypothesis.

    The F-score of the n-grams of 1 to 6 characters, without spaces; recall counts twice as much as precision.
    Raises ValueError for empty lists and for lists of different lengths.
    """
    from sacrebleu.metrics.chrf import CHRF  # not above: most commands do without it

    return _score("chrF2", CHRF(lowercase=False), hypotheses, references)


def _score(name: str, metric: Any, hypotheses: Sequence[str], references: Sequence[str]) -> CorpusScore:
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses do not match {len(references)} references")
    if not hypotheses:
        raise ValueError(f"{name} of no sentences is not defined")
    value = metric.corpus_score(list(hypotheses), [list(references)]).score
    return CorpusScore(name=name, value=value, signature=str(metric.get_signature()))
