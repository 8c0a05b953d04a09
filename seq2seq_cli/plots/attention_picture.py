"""Attention as a picture: source words along the top, target words down the left side."""

from typing import TYPE_CHECKING

from seq2seq_cli.plots.attention_map import AttentionMap
from seq2seq_cli.plots.rendering import drawable, render

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_CELL = 0.36
"""Side of the cell of one word, in inches: enough for a line of text."""
_LONGEST_SIDE = 60.0
"""Inches. Cells and letters shrink to fit, so that rendering needs some hundred megabytes at most."""
_FONT_SIZE = 11.0
"""Points, in cells of full size."""
_BAR_HEIGHT = 1.6
"""Smallest height of the colour bar, in inches."""


def render_attention(attention: AttentionMap, image_format: str) -> bytes:
    """The picture as the content of a file; it grows with the number of words. See `render` for missing fonts."""
    return render(lambda: _figure(attention), image_format)


def _figure(attention: AttentionMap) -> "Figure":
    from matplotlib.figure import Figure

    rows, columns = attention.weights.shape
    cell = min(_CELL, _LONGEST_SIDE / max(rows, columns))
    width, height = columns * cell, rows * cell
    figure = Figure(figsize=(width, height))
    # The axes fill the figure; `render` makes room for the labels around them.
    axes = figure.add_axes((0, 0, 1, 1))
    image = axes.imshow(attention.weights, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    _label(axes, attention, font_size=_FONT_SIZE * cell / _CELL)
    bar_height = max(_BAR_HEIGHT, min(height, 4 * _BAR_HEIGHT))
    bar = figure.add_axes((1 + 0.25 / width, 1 - bar_height / height, 0.16 / width, bar_height / height))
    figure.colorbar(image, cax=bar, label="attention weight", ticks=[0, 0.25, 0.5, 0.75, 1])
    return figure


def _label(axes: "Axes", attention: AttentionMap, *, font_size: float) -> None:
    """Write the words along the axes, and draw thin lines between the cells."""
    rows, columns = attention.weights.shape
    axes.tick_params(top=True, bottom=False, labeltop=True, labelbottom=False, length=0, labelsize=font_size)
    src_labels, tgt_labels = ([*map(drawable, tokens)] for tokens in (attention.src_tokens, attention.tgt_tokens))
    axes.set_xticks(range(columns), src_labels, rotation=50, ha="left", va="baseline", rotation_mode="anchor")
    axes.set_yticks(range(rows), tgt_labels)
    axes.set_xticks([column - 0.5 for column in range(1, columns)], minor=True)
    axes.set_yticks([row - 0.5 for row in range(1, rows)], minor=True)
    axes.tick_params(which="minor", length=0, top=False, bottom=False, left=False)
    axes.grid(which="minor", color="0.9", linewidth=0.6)
    axes.xaxis.set_label_position("top")
    axes.set_xlabel("source")
    axes.set_ylabel("translation")
