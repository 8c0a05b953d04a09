"""Attention as a picture: of each sentence, source words along the top, target words down the left side.

There is a row of panels per sentence, and a column per run where several are compared. Places and sizes are in inches.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, cast

from seq2seq_cli.plots.attention_map import AttentionMap
from seq2seq_cli.plots.rendering import DPI, drawable, render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import BboxBase

Row: TypeAlias = Sequence[AttentionMap | None]
"""The attention of a sentence in each run; None where a run has fewer sentences, because it cuts texts differently."""
_Panels: TypeAlias = Mapping[tuple[int, int], "Axes"]
"""The panels by row and column."""

_CELL = 0.36
"""Side of the cell of one word: enough for a line of text."""
_LONGEST_SIDE = 9000
"""Pixels. Cells and letters shrink to fit, so that rendering needs some hundred megabytes at most."""
_LABELS = 8
"""Cells above a panel that its labels take, where the rows that fit are counted."""
_FONT_SIZE = 11.0
"""Points, in cells of full size."""
_NAME_SIZE = 12.0
_TITLE_SIZE = 15.0
_GAP = 0.3
"""Between two panels, and below the title."""
_BAR_WIDTH = 0.16
_BAR_HEIGHT = 1.6
"""Smallest height of the colour bar."""


def rows_that_fit(rows: Iterable[Row], dpi: int = DPI) -> int:
    """The number of rows, from the first on, whose heights a picture holds at full size; at least 1."""
    left = _LONGEST_SIDE / dpi / _CELL
    fitting = 0
    for row in rows:
        left -= _LABELS + max((len(panel.tgt_tokens) for panel in row if panel), default=0)
        if left < 0:
            break
        fitting += 1
    return max(1, fitting)


def render_attention(
    rows: Sequence[Row], image_format: str, *, runs: Sequence[str] = (), title: str = "", dpi: int = DPI
) -> bytes:
    """The picture as the content of a file; it grows with the number of words. See `render` for missing fonts.

    `runs` are the names of the columns, which stand above their panels. Raises ValueError when no sentence has words.
    """
    return render(lambda: _figure(rows, runs, title, longest=_LONGEST_SIDE / dpi), image_format, dpi=dpi)


def _figure(rows: Sequence[Row], runs: Sequence[str], title: str, *, longest: float) -> "Figure":
    from matplotlib.figure import Figure

    shown = {
        (row, column): attention
        for row, attentions in enumerate(rows)
        for column, attention in enumerate(attentions)
        if attention and attention.weights.size
    }
    if not shown:
        raise ValueError("no sentence has words")
    # One inch wide and high, so that its coordinates are inches; `render` takes in all that is drawn around it.
    figure = Figure(figsize=(1, 1))
    cell = min(_CELL, longest / _most_cells(shown))
    panels = {place: _panel(figure, attention, cell=cell) for place, attention in shown.items()}
    for (row, column), axes in panels.items():
        if row == 0:
            axes.set_xlabel("source")
        if column == 0:
            axes.set_ylabel("translation")
        if runs:
            axes.set_title(drawable(runs[column]), loc="left", fontsize=_NAME_SIZE, fontweight="bold")
    right = _arrange(figure, panels)
    _colour_bar(figure, panels, right)
    if title:
        figure.text(0, _GAP, drawable(title), fontsize=_TITLE_SIZE, va="bottom")
    return figure


def _most_cells(shown: Mapping[tuple[int, int], AttentionMap]) -> int:
    """The number of cells along the longer side of the picture."""
    heights: dict[int, int] = {}
    widths: dict[int, int] = {}
    for (row, column), attention in shown.items():
        height, width = attention.weights.shape
        heights[row] = max(heights.get(row, 0), height)
        widths[column] = max(widths.get(column, 0), width)
    return max(sum(heights.values()), sum(widths.values()))


def _panel(figure: "Figure", attention: AttentionMap, *, cell: float) -> "Axes":
    rows, columns = attention.weights.shape
    axes = figure.add_axes((0, 0, columns * cell, rows * cell))
    axes.imshow(attention.weights, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.tick_params(
        top=True, bottom=False, labeltop=True, labelbottom=False, length=0, labelsize=_FONT_SIZE * cell / _CELL
    )
    src_labels, tgt_labels = ([*map(drawable, tokens)] for tokens in (attention.src_tokens, attention.tgt_tokens))
    axes.set_xticks(range(columns), src_labels, rotation=50, ha="left", va="baseline", rotation_mode="anchor")
    axes.set_yticks(range(rows), tgt_labels)
    axes.set_xticks([column - 0.5 for column in range(1, columns)], minor=True)
    axes.set_yticks([row - 0.5 for row in range(1, rows)], minor=True)
    axes.tick_params(which="minor", length=0, top=False, bottom=False, left=False)
    axes.grid(which="minor", color="0.9", linewidth=0.6)
    axes.xaxis.set_label_position("top")
    if not attention.weights.any():
        axes.text(0.5, 0.5, "no attention", transform=axes.transAxes, ha="center", va="center", color="0.5")
    return axes


def _arrange(figure: "Figure", panels: _Panels) -> float:
    """Give each panel its place below 0, clear of the labels of the others; returns the right end of all."""
    to_inches = figure.dpi_scale_trans.inverted()
    boxes = {place: cast("BboxBase", axes.get_tightbbox()).transformed(to_inches) for place, axes in panels.items()}
    sizes = {place: axes.get_position().size for place, axes in panels.items()}
    left, top = {}, {}
    right = bottom = 0.0
    for column in sorted({column for _, column in panels}):
        places = [place for place in panels if place[1] == column]
        left[column] = right + max(-boxes[place].x0 for place in places)
        right = left[column] + max(boxes[place].x1 for place in places) + _GAP
    for row in sorted({row for row, _ in panels}):
        places = [place for place in panels if place[0] == row]
        top[row] = bottom - max(boxes[place].y1 - sizes[place][1] for place in places)
        bottom = top[row] - max(sizes[place][1] - boxes[place].y0 for place in places) - _GAP
    for (row, column), axes in panels.items():
        width, height = sizes[row, column]
        axes.set_position((left[column], top[row] - height, width, height))
    return right


def _colour_bar(figure: "Figure", panels: _Panels, left: float) -> None:
    """Draw the scale beside the first row."""
    first = next(iter(panels.values()))
    panel = first.get_position()
    height = max(_BAR_HEIGHT, min(panel.height, 4 * _BAR_HEIGHT))
    bar = figure.add_axes((left, panel.y1 - height, _BAR_WIDTH, height))
    figure.colorbar(first.images[0], cax=bar, label="attention weight", ticks=[0, 0.25, 0.5, 0.75, 1])
