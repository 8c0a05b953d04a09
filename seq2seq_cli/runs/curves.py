"""Learning curves of runs: losses, scores and entropy over epochs, minutes or millions of target tokens; their page."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from seq2seq_cli.config.choices import CurveAxis, CurveMeasure
from seq2seq_cli.errors import ModelFileError, UsageError
from seq2seq_cli.files.output import write_output
from seq2seq_cli.pages.page import film_page
from seq2seq_cli.plots.learning_curves import LearningCurves, Point, curves_figure
from seq2seq_cli.plots.pictures import picture
from seq2seq_cli.runs.about import films_of
from seq2seq_cli.runs.listing import Run
from seq2seq_cli.runs.records import EpochRecord, StepRecord

logger = logging.getLogger(__name__)

_PLACES: Mapping[CurveAxis, Callable[[StepRecord | EpochRecord], float]] = {
    "epoch": lambda record: record.epochs,
    "minutes": lambda record: record.seconds / 60,
    "tokens": lambda record: record.tokens / 1e6,
}


def plot_runs(
    runs: Mapping[str, Run], out: Path, *, axis: CurveAxis, measure: CurveMeasure | None = None, overwrite: bool
) -> None:
    """Write the learning curves of runs, by their names: a picture, or for .html a page with their films.

    Without a measure it is the `default_measure`. Raises UsageError as `learning_curves` and `write_output`.
    """
    measure = measure or default_measure(list(runs.values()))
    curves = learning_curves(runs, axis=axis, measure=measure)
    ending = out.suffix.lower().removeprefix(".")
    is_page = ending == "html"
    content = picture(lambda: curves_figure(curves, axis=axis, measure=measure), "svg" if is_page else ending)
    if is_page:
        films = films_of({name: run.history for name, run in runs.items()})
        content = film_page(f"s2s runs: {', '.join(runs)}", films, content)
    write_output(out, content, overwrite=overwrite)


def learning_curves(runs: Mapping[str, Run], *, axis: CurveAxis, measure: CurveMeasure) -> list[LearningCurves]:
    """The learning curves of runs, by the names to show them under.

    Raises UsageError when no run has a value of the measure.
    """
    curves = [_curves(run, name, axis, measure) for name, run in runs.items()]
    if measure != "loss" and not any(curve.measured for curve in curves):
        raise UsageError(f"{', '.join(runs)}: no {measure} of held-out sentences is recorded: draw the --metric loss")
    return curves


def default_measure(runs: Sequence[Run]) -> CurveMeasure:
    """The metric of the first run; the loss where no run has a score of held-out sentences by it."""
    metric = runs[0].config.training.metric
    scored = (record.score(metric) is not None for run in runs for record in run.history.validations)
    return metric if any(scored) else "loss"


def with_curves(runs: Sequence[Run]) -> list[Run]:
    """The runs that have recorded anything to draw; a warning names the others.

    Raises ModelFileError when there are no such runs.
    """
    found = [run for run in runs if run.history.steps or run.history.validations]
    for run in runs:
        if not found:
            raise ModelFileError(f"{run.path}: no metrics are recorded yet: wait for the end of the first epoch")
        if run not in found:
            logger.warning("%s: left out: no metrics are recorded yet", run.path)
    return found


def _curves(run: Run, name: str, axis: CurveAxis, measure: CurveMeasure) -> LearningCurves:
    steps, validations = run.history.steps, run.history.validations
    place = _PLACES[axis]
    # Step records are of every hundredth update: where epochs are shorter, their means say more.
    trained: Sequence[StepRecord | EpochRecord] = steps if len(steps) > len(validations) else validations
    values = (
        (place(record), record.attention_entropy if measure == "entropy" else record.score(measure))
        for record in validations
    )
    return LearningCurves(
        name=name,
        train_loss=_points((place(record), record.train_loss) for record in trained),
        valid_loss=_points((place(record), record.loss) for record in validations),
        measured=[] if measure == "loss" else _points(values),
    )


def _points(values: Iterable[tuple[float, float | None]]) -> list[Point]:
    return [(x, y) for x, y in values if y is not None]
