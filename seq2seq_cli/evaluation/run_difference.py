"""Whether the scores of two runs differ by more than chance, by the statistics that the runs keep."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from sacrebleu.metrics.base import Metric as SacreBleuMetric

from seq2seq_cli.config.choices import Metric
from seq2seq_cli.corpus.splits import SplitName
from seq2seq_cli.evaluation.scorer import Scorer, bleu, chrf
from seq2seq_cli.evaluation.significance import Difference, difference
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.listing import Run
from seq2seq_cli.runs.sentence_statistics import MetricStatistics, SentenceStatistics

_METRICS: Mapping[Metric, Callable[[], SacreBleuMetric]] = {"bleu": bleu, "chrf": chrf}
_ROUNDING = 0.005
"""Largest difference of a score that is recorded and the same computed again."""


class IncomparableError(Exception):
    """The statistics of two runs do not tell whether these differ; the message is the reason."""


@dataclass(frozen=True, kw_only=True)
class RunDifference:
    """The differences of the scores of two runs on the same sentences."""

    split: SplitName
    sentences: int
    by_metric: dict[str, Difference]


def run_difference(system: Run, baseline: Run) -> RunDifference:
    """The differences on the test split, or on the validation split where not both are scored on the test split.

    Raises IncomparableError when one of them has kept no statistics of the scores, and when the sentences or the
    settings are not the same.
    """
    split: SplitName = "test" if system.history.test and baseline.history.test else "valid"
    ours, theirs = (_statistics(run, split) for run in (system, baseline))
    # A stranger's file may name the same sentences, and have counts of more.
    if ours.sentences != theirs.sentences or len(ours.metrics["bleu"].counts) != len(theirs.metrics["bleu"].counts):
        raise IncomparableError(f"their {split} splits have other sentences")
    found: dict[str, Difference] = {}
    for name, metric in _METRICS.items():
        a, b = (_scorer(metric(), of_run.metrics[name]) for of_run in (ours, theirs))
        if a.signature != b.signature:
            raise IncomparableError(f"{name} was computed with different settings")
        found[name] = difference(a, b)
    return RunDifference(split=split, sentences=len(ours.metrics["bleu"].counts), by_metric=found)


def _statistics(run: Run, split: SplitName) -> SentenceStatistics:
    """The statistics of the recorded scores."""
    record = run.history.test if split == "test" else run.history.best
    path = RunFolder(run.path).statistics_path(split)
    if record is None or record.bleu is None or not path.is_file():
        raise IncomparableError(f"{run.path} has kept no statistics of its {split} scores")
    found = SentenceStatistics.read(path)
    for name, metric in _METRICS.items():
        score = record.score(name)
        if score is None or abs(_scorer(metric(), found.metrics[name]).score() - score) > _ROUNDING:
            raise IncomparableError(f"{path} is not of the best weights")
    return found


def _scorer(metric: SacreBleuMetric, kept: MetricStatistics) -> Scorer:
    return Scorer(metric, kept.counts.astype(np.float64), kept.signature)
