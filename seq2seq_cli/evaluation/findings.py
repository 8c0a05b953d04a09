"""What an evaluation found out."""

from collections.abc import Sequence
from dataclasses import dataclass

from seq2seq_cli.evaluation.figures import Contrast, Evaluation, differences, figures_of, largest_contrasts
from seq2seq_cli.evaluation.significance import Difference
from seq2seq_cli.evaluation.system import SystemOutput
from seq2seq_cli.evaluation.test_set import TestSet
from seq2seq_cli.evaluation.training_sources import TrainingSources

_CONTRASTS = 5
"""Sentences that are shown for each of two systems where it is the better."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Two systems on the same sentences."""

    system: str
    baseline: str
    differences: dict[str, Difference]
    """By the metric."""
    better: list[Contrast]
    worse: list[Contrast]


@dataclass(frozen=True, kw_only=True)
class Findings:
    """All figures of one call, whatever the form in which they are shown."""

    tests: TestSet
    evaluations: list[Evaluation]
    comparisons: list[Comparison]
    """Each other system with the first one."""


def find_out(outputs: Sequence[SystemOutput], tests: TestSet, training: TrainingSources | None = None) -> Findings:
    """The figures of systems, one or more, and of the differences of the others from the first."""
    evaluations = [figures_of(output, tests, training) for output in outputs]
    comparisons = [_compare(evaluation, evaluations[0], tests) for evaluation in evaluations[1:]]
    return Findings(tests=tests, evaluations=evaluations, comparisons=comparisons)


def _compare(system: Evaluation, baseline: Evaluation, tests: TestSet) -> Comparison:
    better, worse = largest_contrasts(system, baseline, tests, _CONTRASTS)
    return Comparison(
        system=system.output.name,
        baseline=baseline.output.name,
        differences=differences(system, baseline),
        better=better,
        worse=worse,
    )
