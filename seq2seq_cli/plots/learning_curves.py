"""Learning curves of one or more runs as a picture: losses, and a held-out score or the entropy of the attention."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

from seq2seq_cli.config.choices import CurveAxis, CurveMeasure
from seq2seq_cli.plots.pictures import drawable

Point = tuple[float, float]
"""The place on the x axis, in its unit, and the value there."""

_X_LABELS: dict[CurveAxis, str] = {
    "epoch": "epochs",
    "minutes": "minutes, validation included",
    "tokens": "millions of target tokens",
}
_Y_LABELS: dict[CurveMeasure, str] = {
    "bleu": "held-out BLEU (0 to 100)",
    "chrf": "held-out chrF (0 to 100)",
    "loss": "loss (nats per target token)",
    "entropy": "entropy of the attention (nats)",
}
_DIGITS: dict[CurveMeasure, str] = {"bleu": ".1f", "chrf": ".1f", "loss": ".2f", "entropy": ".2f"}

# The colour-blind safe palette of Okabe and Ito without its yellow; neighbours differ in grey, too.
_COLOURS = ("#0072B2", "#E69F00", "#000000", "#56B4E9", "#D55E00", "#009E73", "#CC79A7")
_MARKERS = "os^Dvp*X"
"""One more than the colours, so that a pair of both repeats only after 56 runs."""
_MOST_MARKERS = 25
"""Markers per curve; more would merge into a thick line."""
_SIZE = (7.0, 3.2)
"""Width and height of a panel, in inches."""
_LOSS_TICKS, _FEW_LOSS_TICKS = (1, 1.5, 2, 3, 4, 6, 8), (1, 2, 5)
"""Per power of ten; the few, where the highest loss is more than twenty times the lowest."""


@dataclass(frozen=True, kw_only=True)
class LearningCurves:
    """The curves of one run."""

    name: str
    train_loss: Sequence[Point]
    valid_loss: Sequence[Point]
    measured: Sequence[Point]
    """The values of the upper panel; empty when only losses are drawn."""


def curves_figure(runs: Sequence[LearningCurves], *, axis: CurveAxis, measure: CurveMeasure) -> Figure:
    """The measure above the losses, or the losses alone.

    Each run has a colour and a marker of its own; the legend beside a panel has the last values of the runs.
    """
    panels: list[CurveMeasure] = ["loss"] if measure == "loss" else [measure, "loss"]
    width, height = _SIZE
    figure = Figure(figsize=(width, height * len(panels)))
    all_axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    figure.subplots_adjust(hspace=0.08)
    for axes, shown in zip(all_axes, panels, strict=True):
        for number, run in enumerate(runs):
            _draw(axes, run, shown, number)
        _set_up_y_axis(axes, shown)
        if shown == "loss" and any(run.valid_loss for run in runs):
            axes.set_ylabel(f"{_Y_LABELS[shown]}\nheld out; dotted: training")
        if axes.get_legend_handles_labels()[0]:
            axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)
    all_axes[-1].set_xlabel(_X_LABELS[axis])
    all_axes[-1].set_xlim(left=0)
    if axis == "epoch":
        all_axes[-1].xaxis.set_major_locator(MaxNLocator(integer=True))
    return figure


def _draw(axes: Axes, run: LearningCurves, shown: CurveMeasure, number: int) -> None:
    """Draw the curves of a run: what is held out, with the training loss dotted, or the training loss alone."""
    colour, marker = _style(number)
    held_out = run.valid_loss if shown == "loss" else run.measured
    training = run.train_loss if shown == "loss" else []
    main = held_out or training
    if not main:
        return
    if held_out and training:
        axes.plot(*zip(*training, strict=True), color=colour, linewidth=1.8, linestyle=":")
    axes.plot(
        *zip(*main, strict=True),
        label=f"{drawable(run.name)}: last {main[-1][1]:{_DIGITS[shown]}}{'' if held_out else ', training'}",
        color=colour,
        linewidth=2.5,
        marker=marker,
        markersize=7,
        markevery=max(1, len(main) // _MOST_MARKERS),
        markeredgecolor="white",
        markeredgewidth=0.8,
    )


def _style(number: int) -> tuple[str, str]:
    return _COLOURS[number % len(_COLOURS)], _MARKERS[number % len(_MARKERS)]


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
