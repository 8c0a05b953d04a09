"""The way of a training as points to draw: its losses and scores over epochs, minutes or target tokens."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from seq2seq_cli.config.choices import Metric
from seq2seq_cli.errors import ModelFileError, UsageError
from seq2seq_cli.plots.curves import Axis, LearningCurves, Point
from seq2seq_cli.runs.layout import METRICS
from seq2seq_cli.runs.listing import Run
from seq2seq_cli.runs.metrics import History

_WHOLE = 0.95
"""An epoch that has less of an ordinary one was cut short: batches, and the tokens in them, differ a little."""


_WITHOUT: Mapping[Axis, str] = {
    "epoch": "its first epoch is not over: wait for it, or draw over --x minutes or --x tokens",
    "minutes": f"{METRICS} does not tell the time: draw over --x epoch",
    "tokens": f"{METRICS} does not count the tokens, as an older s2s or a very short run: draw over --x epoch",
}


def learning_curves(runs: Mapping[str, Run], *, axis: Axis, metric: Metric) -> list[LearningCurves]:
    """What there is to draw of runs, by the names to show them under.

    Raises ModelFileError when one has recorded nothing yet, UsageError when one lacks the axis, or all the metric.
    """
    curves = [_curves(run, name, axis, metric) for name, run in runs.items()]
    if metric != "loss" and not any(curve.score for curve in curves):
        raise UsageError(f"{', '.join(runs)}: no {metric} of held-out sentences is recorded: draw the --metric loss")
    return curves


def _curves(run: Run, name: str, axis: Axis, metric: Metric) -> LearningCurves:
    history = run.history
    if not history.stretches and not history.validations:
        raise ModelFileError(f"{run.path}: no metrics are recorded yet: wait for the end of the first epoch")
    places = timeline(history, axis)
    if places is None:
        raise UsageError(f"{run.path}: {_WITHOUT[axis]}")
    loss = [(places.at(v.step), v.loss) for v in history.validations]
    score = [(places.at(v.step), v.value(metric)) for v in history.validations]
    return LearningCurves(
        name=name,
        train_loss=_known((places.at(step), loss) for step, loss in _train_losses(history)),
        valid_loss=_known(loss),
        score=[] if metric == "loss" else _known(score),
    )


def _train_losses(history: History) -> list[tuple[int, float | None]]:
    """Of every stretch; of every epoch where a stretch has the loss of one batch alone, which jumps about."""
    by_stretch = [(line.step, line.loss) for line in history.stretches if line.tokens]
    by_epoch = [(v.step, v.train_loss) for v in history.validations]
    if len(by_stretch) > 1 or not by_epoch:
        return by_stretch or [(line.step, line.loss) for line in history.stretches]
    return by_epoch


def _known(points: Iterable[tuple[float, float | None]]) -> list[Point]:
    return [(x, y) for x, y in points if y is not None]


@dataclass(frozen=True)
class Timeline:
    """Known points (step, place), with straight lines between them; the last line goes on."""

    points: Sequence[tuple[int, float]]

    @classmethod
    def through(cls, points: Iterable[tuple[int, float]]) -> "Timeline":
        """The line from (0, 0) through points in any order; of two at one step the later counts."""
        return cls(sorted({0: 0.0, **dict(points)}.items()))

    def at(self, step: int) -> float:
        """The place of a step; ValueError when no step but 0 is known."""
        if len(self.points) < 2:
            raise ValueError("no line goes through one point")
        after = min(max(bisect_left(self.points, (step,)), 1), len(self.points) - 1)
        (left, low), (right, high) = self.points[after - 1], self.points[after]
        share = (step - left) / (right - left)
        return (1 - share) * low + share * high


def timeline(history: History, axis: Axis) -> Timeline | None:
    """The places of a run's steps; None when the run has not recorded (yet) what that takes."""
    points = {"epoch": _epochs, "minutes": _minutes, "tokens": _tokens}[axis](history)
    return Timeline.through(points) if points else None


def _tokens(history: History) -> list[tuple[int, float]]:
    """Target tokens read, from the start."""
    points, total = [], 0
    for line in history.stretches:
        if line.tokens is None:
            return []
        total += line.tokens
        points.append((line.step, float(total)))
    return points


def _minutes(history: History) -> list[tuple[int, float]]:
    """Validations tell the time; before the first, the rate of the tokens does."""
    points = [(v.step, v.seconds / 60) for v in history.validations if v.seconds is not None]
    if points:
        return points
    seconds = 0.0
    for line in history.stretches:
        if not line.tokens or not line.tokens_per_second:
            return []
        seconds += line.tokens / line.tokens_per_second
        points.append((line.step, seconds / 60))
    return points


def _epochs(history: History) -> list[tuple[int, float]]:
    """Each validation ends an epoch; the last may have come in the middle of one, when the time was over."""
    points = [(v.step, float(v.epoch)) for v in history.validations]
    places = timeline(history, "tokens")
    if places and len(points) > 1:
        ends = [0.0, *(places.at(step) for step, _ in points)]
        *whole, last = [end - start for start, end in pairwise(ends)]
        share = last / median(whole)
        if share < _WHOLE:
            step, epoch = points[-1]
            points[-1] = (step, epoch - 1 + share)
    return points
