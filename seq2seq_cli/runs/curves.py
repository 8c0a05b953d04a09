"""Learning curves of runs, as a picture or a page: losses, and a held-out score or the entropy of the attention."""

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

from seq2seq_cli.config.choices import CurveAxis, CurveMeasure
from seq2seq_cli.errors import ModelFileError, UsageError
from seq2seq_cli.files.writing import write_output
from seq2seq_cli.pages.page import film_page
from seq2seq_cli.plots.pictures import drawable, picture
from seq2seq_cli.runs.listing import Run
from seq2seq_cli.runs.records import EpochRecord, StepRecord, films_of

logger = logging.getLogger(__name__)

_X_AXES: Mapping[CurveAxis, tuple[str, Callable[[StepRecord | EpochRecord], float]]] = {
    "epoch": ("epochs", lambda record: record.epochs),
    "minutes": ("minutes, validation included", lambda record: record.seconds / 60),
    "tokens": ("millions of target tokens", lambda record: record.tokens / 1e6),
}
"""The label of an axis, and the place of a record on it."""
_Y_LABELS: dict[CurveMeasure, str] = {
    "bleu": "held-out BLEU (0 to 100)",
    "chrf": "held-out chrF (0 to 100)",
    "loss": "loss (nats per target token)",
    "entropy": "entropy of the attention (nats)",
}
_DIGITS: dict[CurveMeasure, str] = {"bleu": ".1f", "chrf": ".1f", "loss": ".3f", "entropy": ".2f"}

# The colour-blind safe palette of Okabe and Ito without its yellow; neighbours differ in grey, too.
_COLOURS = ("#0072B2", "#E69F00", "#000000", "#56B4E9", "#D55E00", "#009E73", "#CC79A7")
_MARKERS = "os^Dvp*X"
"""One more than the colours, so that a pair of both repeats only after 56 runs."""
_MOST_MARKERS = 25
"""Markers per curve; more would merge into a thick line."""
_WIDTH, _HEIGHT = 7.0, 3.2
"""The size of a panel, in inches."""
_LOSS_TICKS, _FEW_LOSS_TICKS = (1, 1.5, 2, 3, 4, 6, 8), (1, 2, 5)
"""Per power of ten; the few, where the highest loss is more than twenty times the lowest."""


def plot_runs(
    runs: Mapping[str, Run], out: Path, *, axis: CurveAxis, measure: CurveMeasure | None = None, overwrite: bool
) -> None:
    """Write the learning curves of runs, by their names: a picture, or for .html a page with their films.

    Without a measure it is the metric of the first run, or the loss where no run has a score of held-out sentences by
    it. Raises ModelFileError when no run has recorded anything, UsageError as `curves_figure` and `write_output`.
    """
    if empty := [name for name, run in runs.items() if not (run.history.steps or run.history.validations)]:
        if len(empty) == len(runs):
            cure = "wait for the end of the first epoch, or name the run that an export was made from"
            raise ModelFileError(f"{', '.join(empty)}: no metrics are recorded: {cure}")
        logger.warning("%s: left out: no metrics are recorded", ", ".join(empty))
        runs = {name: run for name, run in runs.items() if name not in empty}
    if measure is None:
        metric = next(iter(runs.values())).config.training.metric
        measure = metric if any(held_out_curve(run, metric, axis) for run in runs.values()) else "loss"
    ending = out.suffix.lower().removeprefix(".")
    is_page = ending == "html"
    content = picture(lambda: curves_figure(runs, axis=axis, measure=measure), "svg" if is_page else ending)
    if is_page:
        films = films_of({name: run.history for name, run in runs.items()})
        if missing := runs.keys() - {film["name"] for film in films}:
            logger.warning("%s: shows no attention of %s, for none is recorded", out, ", ".join(sorted(missing)))
        content = film_page(f"s2s runs: {', '.join(runs)}", films, content)
    write_output(out, content, overwrite=overwrite)


def curves_figure(runs: Mapping[str, Run], *, axis: CurveAxis, measure: CurveMeasure) -> Figure:
    """The measure of runs, by their names, above their losses, or the losses alone.

    Each run has a colour and a marker of its own; the legend beside a panel has the last values of the runs. Raises
    UsageError when no run has a value of the measure.
    """
    if measure != "loss" and not any(held_out_curve(run, measure, axis) for run in runs.values()):
        raise UsageError(f"{', '.join(runs)}: no {measure} of held-out sentences is recorded: draw the --metric loss")
    panels: list[CurveMeasure] = ["loss"] if measure == "loss" else [measure, "loss"]
    figure = Figure(figsize=(_WIDTH, _HEIGHT * len(panels)))
    all_axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    figure.subplots_adjust(hspace=0.08)
    for axes, shown in zip(all_axes, panels, strict=True):
        for number, name in enumerate(runs):
            _draw(axes, name, runs[name], shown, axis, number)
        _set_up_y_axis(axes, shown)
        if shown == "loss" and any(held_out_curve(run, shown, axis) for run in runs.values()):
            axes.set_ylabel(f"{_Y_LABELS[shown]}\nheld out; dotted: training")
        if axes.get_legend_handles_labels()[0]:
            axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    all_axes[-1].set_xlabel(_X_AXES[axis][0])
    all_axes[-1].set_xlim(left=0)
    if axis == "epoch":
        all_axes[-1].xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def held_out_curve(run: Run, measure: CurveMeasure, axis: CurveAxis) -> list[tuple[float, float]]:
    """The points of a measure: the place on the x axis of each validation that has one, and the value there."""
    records = run.history.validations
    values = [each.attention_entropy if measure == "entropy" else each.score(measure) for each in records]
    return [(_X_AXES[axis][1](record), y) for record, y in zip(records, values, strict=True) if y is not None]


def training_curve(run: Run, axis: CurveAxis) -> list[tuple[float, float]]:
    """The points of the training loss, likewise."""
    steps, validations = run.history.steps, run.history.validations
    # Most step records are of every hundredth update: where epochs are shorter, their means say more.
    records: Sequence[StepRecord | EpochRecord] = steps if len(steps) > len(validations) else validations
    return [(_X_AXES[axis][1](record), record.train_loss) for record in records if record.train_loss is not None]


def _draw(axes: Axes, name: str, run: Run, shown: CurveMeasure, axis: CurveAxis, number: int) -> None:
    """Draw the curves of a run: what is held out, with the training loss dotted, or the training loss alone."""
    colour, marker = _COLOURS[number % len(_COLOURS)], _MARKERS[number % len(_MARKERS)]
    held_out = held_out_curve(run, shown, axis)
    training = training_curve(run, axis) if shown == "loss" else []
    main = held_out or training
    if not main:
        return
    if held_out and training:
        axes.plot(*zip(*training, strict=True), color=colour, linewidth=1.8, linestyle=":")
    last = f"{main[-1][1]:{_DIGITS[shown]}}{'' if held_out else ', training'}"
    axes.plot(
        *zip(*main, strict=True),
        label=f"{' ' * name.startswith('_')}{drawable(name)}: last {last}",  # matplotlib leaves out what begins with _
        color=colour,
        linewidth=2.5,
        marker=marker,
        markersize=7,
        markevery=max(1, len(main) // _MOST_MARKERS),
        markeredgecolor="white",
        markeredgewidth=0.8,
    )


def _set_up_y_axis(axes: Axes, shown: CurveMeasure) -> None:
    axes.set_ylabel(_Y_LABELS[shown])
    axes.grid(color="0.9", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if shown == "loss":
        # A log scale shows the differences after the first steep fall.
        axes.set_yscale("log")
        low, high = axes.get_ylim()
        axes.yaxis.set_major_locator(LogLocator(subs=_LOSS_TICKS if high < 20 * low else _FEW_LOSS_TICKS))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(bottom=0)
