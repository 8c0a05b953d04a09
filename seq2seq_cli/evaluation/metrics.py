"""Scores of translations against references, on plain text."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Score:
    """A figure and how it was computed, so that it can be compared with others'."""

    name: str
    """BLEU or chrF2."""
    value: float
    """From 0 to 100, higher is better."""
    signature: str
    """SacreBLEU's: number of references, case, what is counted and how, version."""


def corpus_bleu(hypotheses: Sequence[str], references: Sequence[str]) -> Score:
    """BLEU of the whole list (Papineni et al. 2002) as SacreBLEU defines it (Post 2018): 13a, cased, one reference.

    Raises ValueError when there is nothing to compare, or not one reference for each hypothesis.
    """
    _check(hypotheses, references, name="BLEU")
    from sacrebleu.metrics.bleu import BLEU  # not above: most commands do without it

    # force: a model that writes spaces before full stops is scored, not lectured on stderr.
    metric = BLEU(tokenize="13a", lowercase=False, force=True)
    value = metric.corpus_score(list(hypotheses), [list(references)]).score
    return Score(name="BLEU", value=value, signature=str(metric.get_signature()))


def corpus_chrf(hypotheses: Sequence[str], references: Sequence[str]) -> Score:
    """chrF2 of the whole list (Popović 2015, with β = 2) as SacreBLEU defines it (Post 2018), cased, one reference.

    F-score of the n-grams of 1 to 6 characters, spaces left out, in which recall counts twice as much as precision.
    Raises ValueError when there is nothing to compare, or not one reference for each hypothesis.
    """
    _check(hypotheses, references, name="chrF2")
    from sacrebleu.metrics.chrf import CHRF  # not above: most commands do without it

    metric = CHRF(lowercase=False)
    value = metric.corpus_score(list(hypotheses), [list(references)]).score
    return Score(name="chrF2", value=value, signature=str(metric.get_signature()))


def _check(hypotheses: Sequence[str], references: Sequence[str], *, name: str) -> None:
    if len(hypotheses) != len(references):
        raise ValueError(f"{len(hypotheses)} hypotheses do not match {len(references)} references")
    if not hypotheses:
        raise ValueError(f"{name} of no sentences is not defined")
