"""The figures of systems on a set of sentences, and of the differences between them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from seq2seq_cli.evaluation.evaluation_set import EvaluationSet
from seq2seq_cli.evaluation.losses import Losses, losses_of
from seq2seq_cli.evaluation.outputs import SystemOutput
from seq2seq_cli.evaluation.scorer import Scorer, chrf, scorers
from seq2seq_cli.evaluation.significance import Difference, Range, difference, score_range
from seq2seq_cli.evaluation.words import words_of
from seq2seq_cli.shapes import Float

_LONGEST_NGRAM = 4
"""The most tokens in a row that BLEU counts."""
_REFERENCE_LENGTH = 1
"""The column of BLEU's statistics with the tokens of the reference."""
_LENGTHS = ((1, 4), (5, 8), (9, 15), (16, None))
"""Source words per sentence, from and to."""
_FREQUENCIES = ((0, 0), (1, 9), (10, 99), (100, None))
"""Training sources that have the rarest word of a source."""


@dataclass(frozen=True, kw_only=True)
class Score:
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
    scores: tuple[Score, ...]
    """With one reference per hypothesis: a source with several counts once for each."""
    of_sources: tuple[Score, ...]
    """With all references of each distinct source; none where each source has one."""
    lowercase: tuple[Score, ...]
    """As `scores`, both sides lower-cased; none unless the system writes lower case alone."""
    length_ratio: float
    """Words of the outputs per word of the references."""
    loop_rate: float
    """The outputs in which three words in a row occur three times, per output."""
    losses: Losses
    by_length: tuple[Part, ...]
    by_frequency: tuple[Part, ...]
    """By the training frequency of the rarest source word; none where the training texts are not at hand."""
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


def find_out(outputs: Sequence[SystemOutput], tests: EvaluationSet, training: Iterable[str] | None = None) -> Findings:
    """The figures of systems, one or more, and of the differences of the others from the first.

    `training` has the sources that the first of the systems was trained on.
    """
    frequencies = None if training is None else word_frequencies(training, tests.languages[0])
    first, *others = [figures_of(output, tests, frequencies) for output in outputs]
    return Findings(tests=tests, evaluations=[first, *others], comparisons=[_compare(each, first) for each in others])


def figures_of(output: SystemOutput, tests: EvaluationSet, frequencies: Mapping[str, int] | None = None) -> Evaluation:
    """The figures of a system; `frequencies` are `word_frequencies` of training sources."""
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
    lengths = [len(words_of(source, src)) for source in sources]
    rarest = [] if frequencies is None else [_rarest(source, src, frequencies) for source in sources]
    return Evaluation(
        output=output,
        scores=_scores(by_source),
        of_sources=_scores(of_sources),
        lowercase=_scores({metric: scorer.by(sources) for metric, scorer in lowercase.items()}),
        length_ratio=_words(hypotheses, tgt) / max(1, _words([text for [text] in references], tgt)),
        loop_rate=output.loop_rate(tgt),
        losses=losses_of(output.texts, tests.references, tests.languages),
        by_length=_parts(of_pairs["BLEU"], lengths, _LENGTHS),
        by_frequency=_parts(of_pairs["BLEU"], rarest, _FREQUENCIES),
        source_scores=np.array([of_each_source.of_sum(row) for row in of_each_source.statistics]),
        by_source=by_source,
    )


def word_frequencies(texts: Iterable[str], language: str) -> Counter[str]:
    """The number of texts that have each word, lower-cased and without the marks around it."""
    return Counter(word for text in texts for word in _plain_words(text, language))


def _rarest(source: str, language: str, frequencies: Mapping[str, int]) -> int:
    """The frequency of the rarest word of a source; 0 for a source without words."""
    return min((frequencies.get(word, 0) for word in _plain_words(source, language)), default=0)


def _plain_words(text: str, language: str) -> set[str]:
    words = ("".join(filter(str.isalnum, word)).lower() for word in words_of(text, language))
    return {word for word in words if word}


def _compare(system: Evaluation, baseline: Evaluation) -> Comparison:
    pairs = {metric: (scorer, baseline.by_source[metric]) for metric, scorer in system.by_source.items()}
    differences = {metric: difference(*of_metric) for metric, of_metric in pairs.items()}
    return Comparison(system=system.output.name, baseline=baseline.output.name, differences=differences)


def _scores(of_metrics: Mapping[str, Scorer]) -> tuple[Score, ...]:
    return tuple(
        Score(metric=name, value=scorer.score(), range=score_range(scorer), signature=scorer.signature)
        for name, scorer in of_metrics.items()
    )


def _parts(bleu: Scorer, values: Sequence[int], bounds: Sequence[tuple[int, int | None]]) -> tuple[Part, ...]:
    """BLEU of the pairs whose values lie within each of the bounds; parts without pairs are left out."""
    parts = []
    for low, high in bounds:
        name = f"{low} and more" if high is None else f"{low}" if low == high else f"{low} to {high}"
        chosen = np.array([i for i, value in enumerate(values) if low <= value and (high is None or value <= high)])
        if chosen.size:
            is_countable = bleu.statistics[chosen, _REFERENCE_LENGTH].max() >= _LONGEST_NGRAM
            parts.append(Part(name, len(chosen), bleu.score(chosen) if is_countable else None))
    return tuple(parts)


def _words(texts: Sequence[str], language: str) -> int:
    return sum(len(words_of(text, language)) for text in texts)
