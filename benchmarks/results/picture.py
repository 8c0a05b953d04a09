"""The picture of what minutes and pairs bring: the BLEU of the dial, and of another toolkit."""

from collections.abc import Sequence
from statistics import mean

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from benchmarks.results.table import Result
from seq2seq_cli.plots.pictures import picture

_COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7")
"""Of numbers of pairs, the largest first: of the colour-blind safe palette of Okabe and Ito."""
_SYSTEMS = {
    "dial": ("s2s", "o-"),
    "joeynmt-rnn": ("JoeyNMT, RNN", "s--"),
    "joeynmt-transformer": ("…, Transformer", "^:"),
}
"""In the picture: the name, and the style of the points and the line."""
_SIZE = (7.0, 3.8)
"""Width and height, in inches."""


def minutes_picture(results: Sequence[Result], pairs: str) -> bytes | None:
    """A png of the means over the seeds, by minutes, of the pair files whose name begins so; None where there are none.

    Results with settings of their own are left out.
    """
    scores: dict[tuple[int, str], dict[float, list[float]]] = {}
    for result in results:
        system, _, minutes = result.system.partition(":")
        if system in _SYSTEMS and minutes and result.pairs.startswith(pairs) and not result.settings:
            curve = scores.setdefault((result.training_pairs, system), {})
            curve.setdefault(float(minutes), []).append(result.bleu.value)
    return picture(lambda: _figure(scores), "png") if scores else None


def _figure(scores: dict[tuple[int, str], dict[float, list[float]]]) -> Figure:
    figure = Figure(figsize=_SIZE, layout="constrained")
    axes = figure.add_subplot()
    counts = sorted({count for count, _ in scores}, reverse=True)
    for (count, system), curve in sorted(scores.items(), key=lambda item: (-item[0][0], item[0][1])):
        name, style = _SYSTEMS[system]
        points = {minutes: mean(curve[minutes]) for minutes in sorted(curve)}
        colour = _COLOURS[counts.index(count) % len(_COLOURS)]
        axes.plot(*zip(*points.items(), strict=True), style, color=colour, label=f"{name}, {count:,} pairs")
    ticks = sorted({minutes for curve in scores.values() for minutes in curve})
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda minutes, _: f"{minutes:g}"))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("minutes of training")
    axes.set_ylabel("BLEU of the test split")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right center", frameon=False, fontsize="small")
    return figure
