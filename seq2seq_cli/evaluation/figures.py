"""The figures of a system on a test set, and of the difference between two."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from seq2seq_cli.evaluation.languages import words_of
from seq2seq_cli.evaluation.losses import Losses, losses_of
from seq2seq_cli.evaluation.scorer import Scorer, chrf, scorers
from seq2seq_cli.evaluation.significance import Difference, Range, difference, score_range
from seq2seq_cli.evaluation.system import SystemOutput
from seq2seq_cli.evaluation.test_set import TestSet
from seq2seq_cli.evaluation.training_sources import TrainingSources
from seq2seq_cli.shapes import Float

_LONGEST_NGRAM = 4
"""The most tokens in a row that BLEU counts."""
_REFERENCE_LENGTH = 1
"""The column of BLEU's statistics with the tokens of the reference."""
_LENGTHS = ((1, 4), (5, 8), (9, 15), (16, None))
"""Source words per sentence, from and to."""
_FREQUENCIES = ((0, 0), (1, 9), (10, 99), (100, None))
"""Training sources that have the rarest word of a source."""
_MOST_DECIMALS = 6
"""Most decimals with which the bounds of scores are shown."""
_NEIGHBOURS = ((0, 0), (1, 9), (10, None))
"""Training sources near a source."""


@dataclass(frozen=True, kw_only=True)
class Score:
    """A score of a test set."""

    metric: str
    value: float
    range: Range
    signature: str
    """SacreBLEU's; compare only scores with equal ones."""


class Part(NamedTuple):
    """A part of the test set."""

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
    by_neighbours: tuple[Part, ...]
    """By the number of training sources near the source; none where these are not at hand."""
    by_score: tuple[Part, ...]
    """By the score that the model gives to its translation, in four parts of about as many pairs; none for outputs of
    unknown origin."""
    score_correlation: float | None
    """Spearman's rank correlation, over the distinct sources, of that score and chrF2++; None where one is constant."""
    source_scores: Float[np.ndarray, " n"] = field(repr=False, compare=False)
    """chrF2++ of the translation of each distinct source, against all of its references."""
    by_source: Mapping[str, Scorer] = field(repr=False, compare=False)
    """The metrics of `scores`, with the statistics of each source."""


def figures_of(output: SystemOutput, tests: TestSet, training: TrainingSources | None = None) -> Evaluation:
    """The figures of a system; `training` has the sources that the first of the systems was trained on."""
    src, tgt = tests.languages
    hypotheses, references = pair_outputs(output, tests)
    of_pairs = scorers(hypotheses, references, language=tgt)
    several = list(tests.references.values())
    translated = [output.texts[source] for source in tests.references]
    has_several = max(map(len, several)) > 1
    of_sources = scorers(translated, several, language=tgt) if has_several else {}
    lowercase = scorers(hypotheses, references, language=tgt, lowercase=True) if output.lowercase else {}
    sources = [source for source, _ in tests.pairs]
    by_source = {metric: scorer.by(sources) for metric, scorer in of_pairs.items()}
    lengths = [len(words_of(source, src)) for source, _ in tests.pairs]
    known = [training.known(source) for source, _ in tests.pairs] if training else []
    scores = output.model_scores or {}
    of_each_source = _source_scores(translated, several)
    return Evaluation(
        output=output,
        scores=_scores(by_source),
        of_sources=_scores(of_sources),
        lowercase=_scores({metric: scorer.by(sources) for metric, scorer in lowercase.items()}),
        length_ratio=_words(hypotheses, tgt) / max(1, _words([text for [text] in references], tgt)),
        loop_rate=output.loop_rate(tgt),
        losses=losses_of(output.texts, tests.references, tests.languages),
        by_length=_parts(of_pairs["BLEU"], _within(lengths, _LENGTHS)),
        by_frequency=_parts(of_pairs["BLEU"], _within([each.rarest_frequency for each in known], _FREQUENCIES)),
        by_neighbours=_parts(of_pairs["BLEU"], _within([each.neighbours for each in known], _NEIGHBOURS)),
        by_score=_parts(of_pairs["BLEU"], _quarters([scores.get(source) for source in sources])) if scores else (),
        score_correlation=_score_correlation(output, tests, of_each_source),
        source_scores=of_each_source,
        by_source=by_source,
    )


def differences(system: Evaluation, baseline: Evaluation) -> dict[str, Difference]:
    """The difference of a system from the baseline by each metric, with one reference per hypothesis."""
    return {metric: difference(scorer, baseline.by_source[metric]) for metric, scorer in system.by_source.items()}


class Contrast(NamedTuple):
    """A sentence that two systems translate differently."""

    source: str
    reference: str
    system: str
    baseline: str
    difference: float
    """chrF2++ of the system's translation less that of the baseline's."""


def largest_contrasts(
    system: Evaluation, baseline: Evaluation, tests: TestSet, count: int
) -> tuple[list[Contrast], list[Contrast]]:
    """The sentences at which the system is the better by most, and those at which the baseline is."""
    sources, references = list(tests.references), list(tests.references.values())
    gains = system.source_scores - baseline.source_scores
    order = np.argsort(-gains, kind="stable").tolist()
    contrasts = [
        Contrast(
            source=sources[i],
            reference=references[i][0],
            system=system.output.texts[sources[i]],
            baseline=baseline.output.texts[sources[i]],
            difference=float(gains[i]),
        )
        for i in order
    ]
    better = [contrast for contrast in contrasts[:count] if contrast.difference > 0]
    worse = [contrast for contrast in contrasts[: -count - 1 : -1] if contrast.difference < 0]
    return better, worse


def _source_scores(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> Float[np.ndarray, " n"]:
    scorer = Scorer.of(chrf(words=2), hypotheses, references)
    return np.array([scorer.of_sum(row) for row in scorer.statistics])


def pair_outputs(output: SystemOutput, tests: TestSet) -> tuple[list[str], list[list[str]]]:
    """The hypothesis of each pair, and its reference."""
    return [output.texts[source] for source, _ in tests.pairs], [[reference] for _, reference in tests.pairs]


def _scores(of_metrics: Mapping[str, Scorer]) -> tuple[Score, ...]:
    return tuple(
        Score(metric=name, value=scorer.score(), range=score_range(scorer), signature=scorer.signature)
        for name, scorer in of_metrics.items()
    )


def _score_correlation(output: SystemOutput, tests: TestSet, source_scores: Float[np.ndarray, " n"]) -> float | None:
    if not output.model_scores:
        return None
    scored = np.array([source in output.model_scores for source in tests.references])
    scores = np.array([output.model_scores[source] for source in tests.references if source in output.model_scores])
    ranks = [_ranks(values) - (len(values) - 1) / 2 for values in (scores, source_scores[scored])]
    norm = float(np.prod([np.linalg.norm(of_values) for of_values in ranks]))
    return float(ranks[0] @ ranks[1]) / norm if norm else None


def _ranks(values: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """The place of each value in ascending order, from 0; equal values share the mean of their places."""
    _, of_value, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts + 1) / 2)[of_value]


def _within(values: Sequence[int], bounds: Sequence[tuple[int, int | None]]) -> dict[str, list[int]]:
    """The numbers of the values that lie within each of the bounds, by its name."""
    parts = {}
    for low, high in bounds:
        name = f"{low} and more" if high is None else f"{low}" if low == high else f"{low} to {high}"
        parts[name] = [i for i, value in enumerate(values) if low <= value and (high is None or value <= high)]
    return parts


def _quarters(scores: Sequence[float | None]) -> dict[str, list[int]]:
    """The numbers of the scores in four parts of about equal size, the highest first, by the bounds of the part."""
    known = [score for score in scores if score is not None]
    quartiles = sorted(set(np.quantile(known, [0.75, 0.5, 0.25]).tolist()), reverse=True)

    def cuts(decimals: int) -> list[float]:
        return list(dict.fromkeys(round(quartile, decimals) for quartile in quartiles))

    # As few decimals as tell them apart, two at least. They divide the scores as they are shown.
    decimals = next((d for d in range(2, _MOST_DECIMALS + 1) if len(cuts(d)) == len(quartiles) and all(cuts(d))), 2)
    shown = [f"{cut:.{decimals}f}" for cut in cuts(decimals)]
    names = [f"{shown[0]} and more", *(f"{low} to {high}" for high, low in pairwise(shown)), f"below {shown[-1]}"]
    bounds = pairwise([math.inf, *cuts(decimals), -math.inf])
    return {
        name: [i for i, score in enumerate(scores) if score is not None and low <= score < high]
        for name, (high, low) in zip(names, bounds, strict=True)
    }


def _parts(bleu: Scorer, pairs_of: Mapping[str, Sequence[int]]) -> tuple[Part, ...]:
    """BLEU of the pairs of each part; parts without pairs are left out."""
    parts = []
    for name, pairs in pairs_of.items():
        if pairs:
            chosen = np.array(pairs)
            is_countable = bleu.statistics[chosen, _REFERENCE_LENGTH].max() >= _LONGEST_NGRAM
            parts.append(Part(name, len(chosen), bleu.score(chosen) if is_countable else None))
    return tuple(parts)


def _words(texts: Sequence[str], language: str) -> int:
    return sum(len(words_of(text, language)) for text in texts)
