"""The figures of systems on a set of sentences, and of the differences between them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from seq2seq_cli.decoding.search.strategy import largest_repetition
from seq2seq_cli.evaluation.evaluation_set import EvaluationSet, SystemOutput
from seq2seq_cli.evaluation.losses import Lost, losses_of
from seq2seq_cli.evaluation.scorer import Difference, Range, Scorer, chrf, difference, score_range, scorers
from seq2seq_cli.evaluation.verdict import Verdict, verdict_of
from seq2seq_cli.evaluation.words import length_ratio, words_of
from seq2seq_cli.shapes import Float

_LONGEST_NGRAM = 4
"""The most tokens in a row that BLEU counts."""
_REFERENCE_LENGTH = 1
"""The column of BLEU's statistics with the tokens of the reference."""
_IN_LOOP, _LOOP = 3, 3
"""Words in a row, and the times that they occur in an output that repeats itself."""
_LENGTHS = ((1, 4), (5, 8), (9, 15), (16, None))
"""Source words per sentence, from and to."""


@dataclass(frozen=True, kw_only=True)
class MetricScore:
    """A score of a set of sentences."""

    metric: str
    value: float
    range: Range
    signature: str
    """SacreBLEU's; compare only scores with equal ones."""


class Part(NamedTuple):
    """A part of the set."""

    name: str
    pairs: int
    bleu: float | None
    """None where no reference has the four tokens in a row that BLEU counts: it would be 0 whatever the outputs are."""


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """All figures of a system."""

    output: SystemOutput
    verdict: Verdict
    scores: tuple[MetricScore, ...]
    """With one reference per hypothesis: a source with several counts once for each."""
    of_sources: tuple[MetricScore, ...]
    """With all references of each distinct source; none where each source has one."""
    lowercase: tuple[MetricScore, ...]
    """As `scores`, both sides lower-cased; none unless the system writes lower case alone."""
    length_ratio: float
    """Words of the outputs per word of the references."""
    loop_rate: float
    """The outputs in which three words in a row occur three times, per output."""
    lost: Mapping[str, Lost]
    """Numbers, names and sentences; see `losses_of`."""
    by_length: tuple[Part, ...]
    """By the number of words of the source."""
    source_scores: Float[np.ndarray, " n"] = field(repr=False, compare=False)
    """chrF2++ of the translation of each distinct source, against all of its references."""
    by_source: Mapping[str, Scorer] = field(repr=False, compare=False)
    """The metrics of `scores`, with the statistics of each source."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two systems on the same sentences."""

    system: str
    baseline: str
    differences: dict[str, Difference]
    """By the metric, with one reference per hypothesis."""


@dataclass(frozen=True, kw_only=True)
class Findings:
    """All figures of one call, whatever the form in which they are shown."""

    tests: EvaluationSet
    evaluations: list[Evaluation]
    comparisons: list[Comparison]
    """Each other system with the first one."""


def find_out(outputs: Sequence[SystemOutput], tests: EvaluationSet) -> Findings:
    """The figures of systems, one or more, and of the differences of the others from the first."""
    first, *others = [figures_of(output, tests) for output in outputs]
    comparisons = []
    for each in others:
        found = {metric: difference(scorer, first.by_source[metric]) for metric, scorer in each.by_source.items()}
        comparisons.append(Comparison(system=each.output.name, baseline=first.output.name, differences=found))
    return Findings(tests=tests, evaluations=[first, *others], comparisons=comparisons)


def figures_of(output: SystemOutput, tests: EvaluationSet) -> Evaluation:
    """The figures of a system."""
    src, tgt = tests.languages
    sources = [source for source, _ in tests.pairs]
    hypotheses, references = [output.texts[source] for source in sources], [[text] for _, text in tests.pairs]
    of_pairs = scorers(hypotheses, references, language=tgt)
    several = list(tests.references.values())
    translated = [output.texts[source] for source in tests.references]
    of_sources = scorers(translated, several, language=tgt) if max(map(len, several)) > 1 else {}
    lowercase = scorers(hypotheses, references, language=tgt, lowercase=True) if output.lowercase else {}
    by_source = {metric: scorer.by(sources) for metric, scorer in of_pairs.items()}
    of_each_source = Scorer.of(chrf(words=2), translated, several)
    loops = sum(largest_repetition(words_of(text, tgt), _IN_LOOP) >= _LOOP for text in translated)
    usual = {"bleu": of_pairs["BLEU"].score(), "chrf": Scorer.of(chrf(), hypotheses, references).score()}
    return Evaluation(
        output=output,
        verdict=verdict_of(output.texts, tests, **usual, seen=output.seen),
        scores=_scores(by_source),
        of_sources=_scores(of_sources),
        lowercase=_scores({metric: scorer.by(sources) for metric, scorer in lowercase.items()}),
        length_ratio=length_ratio(output.texts, tests.pairs, tgt),
        loop_rate=loops / len(translated),
        lost=losses_of(output.texts, tests.references, tests.languages),
        by_length=tuple(_parts(of_pairs["BLEU"], [len(words_of(source, src)) for source in sources])),
        source_scores=np.array([of_each_source.of_sum(row) for row in of_each_source.statistics]),
        by_source=by_source,
    )


def _scores(of_metrics: Mapping[str, Scorer]) -> tuple[MetricScore, ...]:
    return tuple(
        MetricScore(metric=name, value=scorer.score(), range=score_range(scorer), signature=scorer.signature)
        for name, scorer in of_metrics.items()
    )


def _parts(bleu: Scorer, lengths: Sequence[int]) -> Iterator[Part]:
    """BLEU of the pairs whose sources have so many words; parts without pairs are left out."""
    for low, high in _LENGTHS:
        chosen = np.array([i for i, length in enumerate(lengths) if low <= length and (high is None or length <= high)])
        if chosen.size:
            is_countable = bleu.statistics[chosen, _REFERENCE_LENGTH].max() >= _LONGEST_NGRAM
            name = f"{low} and more" if high is None else f"{low} to {high}"
            yield Part(name, len(chosen), bleu.score(chosen) if is_countable else None)
