"""The picture of what minutes and pairs bring: the BLEU of the recipes and of the dial, and of another toolkit."""

from collections.abc import Sequence
from statistics import mean

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from benchmarks.results.table import Result, by_system
from seq2seq_cli.plots.pictures import picture

_TOOLKITS = {
    **dict.fromkeys(("few", "quick", "fast", "best", "dial"), "s2s"),  # the points of the dial
    "joeynmt-rnn": "JoeyNMT, RNN",
    "joeynmt-transformer": "JoeyNMT, Transformer",
}
"""The toolkits of the systems; a config of ours that is no recipe has none."""
_STYLES = {"s2s": "o-", "JoeyNMT, RNN": "s", "JoeyNMT, Transformer": "^"}
"""The toolkits with the style of their points and lines."""
_COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7")
"""Of numbers of pairs, the largest first: of the colour-blind safe palette of Okabe and Ito."""
_TICKS = (1, 2, 3, 6, 10, 20, 30, 60, 120)
_SIZE = (7.0, 3.8)
"""Width and height, in inches."""


def minutes_picture(results: Sequence[Result], pairs: str) -> bytes | None:
    """A png of the BLEU by minutes and training pairs, of the pair files whose name begins so; None where none has any.

    A point is the mean over the seeds on one machine; of systems or machines with as many minutes, that of the best
    one. A curve joins machines. Results with other settings than the minutes are left out.
    """
    points: dict[tuple[str, int], dict[float, float]] = {}
    for (_, _, system, settings, _), several in by_system(results).items():
        toolkit, first = _TOOLKITS.get(system.partition(":")[0]), several[0]
        is_plain = all(setting.startswith("training.max_minutes=") for setting in settings)
        if toolkit and is_plain and first.pairs.startswith(pairs):
            curve = points.setdefault((toolkit, first.training_pairs), {})
            minutes = round(2 * mean(each.minutes for each in several)) / 2  # a training ends a little earlier
            curve[minutes] = max(curve.get(minutes, 0.0), mean(each.bleu.value for each in several))
    return picture(lambda: _figure(points), "png") if points else None


def _figure(points: dict[tuple[str, int], dict[float, float]]) -> Figure:
    figure = Figure(figsize=_SIZE, layout="constrained")
    axes = figure.add_subplot()
    counts = sorted({count for _, count in points}, reverse=True)
    for (toolkit, count), curve in sorted(points.items(), key=lambda item: ([*_STYLES].index(item[0][0]), -item[0][1])):
        colour = _COLOURS[counts.index(count) % len(_COLOURS)]
        x, y = zip(*sorted(curve.items()), strict=True)
        axes.plot(x, y, _STYLES[toolkit], color=colour, label=f"{toolkit}, {count:,} pairs")
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(_TICKS))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda minutes, _: f"{minutes:g}"))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("minutes of training")
    axes.set_ylabel("BLEU of the test split")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right center", frameon=False, fontsize="small")
    return figure
