"""Attention as a picture, by matplotlib."""

from typing import TYPE_CHECKING, Literal

from seq2seq_cli.plots.attention_map import AttentionMap
from seq2seq_cli.plots.canvas import image_bytes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CELL = 0.36
"""Inches of one word: enough for a line of text."""
_LONGEST_SIDE = 60.0
"""Inches; beyond, cells and letters shrink, so that a picture never needs more than some hundred megabytes."""
_FONT_SIZE = 11.0
"""Points, for cells of full size."""
_BAR_HEIGHT = 1.6
"""Inches that the colour bar needs at least."""


def render_figure(attention: AttentionMap, image: Literal["png", "svg"], *, title: str | None = None) -> bytes:
    """The picture as a file's content: source words along the top, target words down the left side.

    It grows with the number of words. Of characters that no installed font has, it shows boxes, and says so in the
    log. The same attention gives the same bytes.
    """
    return image_bytes(lambda: _figure(attention, title), image)


def _figure(attention: AttentionMap, title: str | None) -> "Figure":
    from matplotlib.figure import Figure

    rows, columns = attention.weights.shape
    cell = min(_CELL, _LONGEST_SIDE / max(rows, columns))
    width, height = columns * cell, rows * cell
    figure = Figure(figsize=(width, height))
    # The axes fill the figure, and saving makes room for what stands around them: no label is ever cut.
    axes = figure.add_axes((0, 0, 1, 1))
    image = axes.imshow(attention.weights, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    _label(axes, attention, font_size=_FONT_SIZE * cell / _CELL)
    if title:
        axes.set_title(title, pad=12)
    bar_height = max(_BAR_HEIGHT, min(height, 4 * _BAR_HEIGHT))
    bar = figure.add_axes((1 + 0.25 / width, 1 - bar_height / height, 0.16 / width, bar_height / height))
    figure.colorbar(image, cax=bar, label="attention weight", ticks=[0, 0.25, 0.5, 0.75, 1])
    return figure


def _label(axes: "Axes", attention: AttentionMap, *, font_size: float) -> None:
    """Put the words on the axes, and thin lines between the cells."""
    rows, columns = attention.weights.shape
    axes.tick_params(top=True, bottom=False, labeltop=True, labelbottom=False, length=0, labelsize=font_size)
    axes.set_xticks(
        range(columns), list(attention.src_tokens), rotation=50, ha="left", va="baseline", rotation_mode="anchor"
    )
    axes.set_yticks(range(rows), list(attention.tgt_tokens))
    axes.set_xticks([column - 0.5 for column in range(1, columns)], minor=True)
    axes.set_yticks([row - 0.5 for row in range(1, rows)], minor=True)
    axes.tick_params(which="minor", length=0, top=False, bottom=False, left=False)
    axes.grid(which="minor", color="0.9", linewidth=0.6)
    axes.xaxis.set_label_position("top")
    axes.set_xlabel("source")
    axes.set_ylabel("translation")
