"""Learning curves of one or more runs as a picture: losses, and a held-out score or the entropy of the attention."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from seq2seq_cli.config.choices import Metric
from seq2seq_cli.files.output import check_output_path, write_output
from seq2seq_cli.plots.rendering import drawable, render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Axis = Literal["epoch", "minutes", "tokens"]
Measure = Literal[Metric, "entropy"]
"""The upper panel: a held-out score, or the entropy of the attention; with the loss there is none."""
Point = tuple[float, float]
"""The place on the x axis, in its unit, and the value there."""

_X_LABELS: dict[Axis, str] = {
    "epoch": "epochs",
    "minutes": "minutes, validation included",
    "tokens": "millions of target tokens",
}
_Y_LABELS: dict[Measure, str] = {
    "bleu": "held-out BLEU (0 to 100)",
    "chrf": "held-out chrF (0 to 100)",
    "loss": "loss (nats per target token), log scale",
    "entropy": "entropy of the attention (nats)",
}

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
_LINE = 0.065
"""Least distance between two names, as a fraction of the panel's height."""
_DIGITS: dict[Measure, str] = {"bleu": ".1f", "chrf": ".1f", "loss": ".2f", "entropy": ".2f"}


@dataclass(frozen=True, kw_only=True)
class LearningCurves:
    """The curves of one run."""

    name: str
    train_loss: Sequence[Point]
    valid_loss: Sequence[Point]
    measured: Sequence[Point]
    """The values of the upper panel; empty when only losses are drawn."""


def check_curves_path(path: Path, *, overwrite: bool) -> None:
    """Raise UsageError, before any work, when the picture cannot be written or would replace a file unasked."""
    check_output_path(path, content="learning curves", endings=(".png", ".svg", ".pdf"), overwrite=overwrite)


def save_curves(runs: Sequence[LearningCurves], path: Path, *, axis: Axis, measure: Measure, overwrite: bool) -> None:
    """Write the picture; raises UsageError when it cannot be written, or would replace a file unasked."""
    picture = render_curves(runs, path.suffix.lower().removeprefix("."), axis=axis, measure=measure)
    write_output(path, picture, overwrite=overwrite)


def render_curves(runs: Sequence[LearningCurves], image_format: str, *, axis: Axis, measure: Measure) -> bytes:
    """The picture as the content of a file: the measure above the losses, or the losses alone.

    Each run has a colour and a marker of its own; its name, with the last value, is to the right of its curve.
    """
    named = [replace(run, name=drawable(run.name)) for run in runs]
    return render(lambda: _figure(named, axis, measure), image_format)


def _figure(runs: Sequence[LearningCurves], axis: Axis, measure: Measure) -> "Figure":
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    panels: list[Measure] = ["loss"] if measure == "loss" else [measure, "loss"]
    width, height = _SIZE
    figure = Figure(figsize=(width, height * len(panels)))
    all_axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    figure.subplots_adjust(hspace=0.08)
    for axes, shown in zip(all_axes, panels, strict=True):
        ends = [_draw(axes, run, shown, number) for number, run in enumerate(runs)]
        _set_up_y_axis(axes, shown)
        _name_ends(axes, runs, shown, ends)
    all_axes[-1].set_xlabel(_X_LABELS[axis])
    all_axes[-1].set_xlim(left=0)
    if axis == "epoch":
        all_axes[-1].xaxis.set_major_locator(MaxNLocator(integer=True))
    _legend(all_axes[0], runs)
    return figure


def _draw(axes: "Axes", run: LearningCurves, shown: Measure, number: int) -> Point | None:
    """Draw the curves of a run; returns the end of the curve to write its name at, None when it has no curve."""
    colour, marker = _style(number)
    held_out = run.valid_loss if shown == "loss" else run.measured
    training = run.train_loss if shown == "loss" else []
    axes.plot(*zip(*training, strict=True), color=colour, linewidth=0.9, linestyle=":")
    axes.plot(
        *zip(*held_out, strict=True),
        color=colour,
        linewidth=1.6,
        marker=marker,
        markersize=5,
        markevery=max(1, len(held_out) // _MOST_MARKERS),
        markeredgecolor="white",
        markeredgewidth=0.5,
    )
    named = held_out or training
    return named[-1] if named else None


def _style(number: int) -> tuple[str, str]:
    return _COLOURS[number % len(_COLOURS)], _MARKERS[number % len(_MARKERS)]


def _set_up_y_axis(axes: "Axes", shown: Measure) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

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


def _name_ends(axes: "Axes", runs: Sequence[LearningCurves], shown: Measure, ends: Sequence[Point | None]) -> None:
    """Write the name and the last value of each run to the right of its curve, clear of the other names."""
    to_height = axes.transData + axes.transAxes.inverted()
    named = [(run, end, number) for number, (run, end) in enumerate(zip(runs, ends, strict=True)) if end]
    named.sort(key=lambda item: (item[1][1], -item[2]))
    heights = _spread([to_height.transform(end)[1] for _, end, _ in named], _LINE)
    for (run, end, number), height in zip(named, heights, strict=True):
        of_training = ", training" if shown == "loss" and not run.valid_loss else ""
        axes.text(
            1.02,
            height,
            f"{run.name}: last {end[1]:{_DIGITS[shown]}}{of_training}",
            transform=axes.transAxes,
            va="center",
            fontsize=9,
            color=_style(number)[0],
        )


def _spread(heights: Sequence[float], distance: float) -> list[float]:
    """Ascending heights, moved as little as possible until neighbours are at least ``distance`` apart.

    Isotonic regression by pooling adjacent violators (Barlow et al. 1972), after taking the distances out.
    """
    pools: list[list[float]] = []
    for number, height in enumerate(heights):
        pools.append([height - number * distance])
        while len(pools) > 1 and _mean(pools[-2]) > _mean(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    means = [_mean(pool) for pool in pools for _ in pool]
    return [mean + number * distance for number, mean in enumerate(means)]


def _mean(values: Sequence[float]) -> float:  # importing statistics would slow s2s --help
    return sum(values) / len(values)


def _legend(axes: "Axes", runs: Sequence[LearningCurves]) -> None:
    """Draw the legend above the picture: the kinds of lines, and the marker of each run."""
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], color="0.3", linewidth=1.6, label="held out"),
        Line2D([], [], color="0.3", linewidth=0.9, linestyle=":", label="training"),
    ]
    for number, run in enumerate(runs):
        colour, marker = _style(number)
        lines.append(Line2D([], [], color=colour, linewidth=1.6, marker=marker, markersize=5, label=run.name))
    axes.legend(handles=lines, loc="lower left", bbox_to_anchor=(0, 1.01), ncols=4, frameon=False, fontsize=9)
