"""Pictures: the attention of sentences, and how any figure of matplotlib becomes a file.

Of attention, source words are along the top, target words down the left side. There is a row of panels per sentence,
and a column per run where several are compared. Places and sizes are in inches.
"""

import io
import logging
import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seq2seq_cli.files.output import write_output
from seq2seq_cli.plots.attention_text import AttentionMap

logger = logging.getLogger(__name__)

Row: TypeAlias = Sequence[AttentionMap | None]
"""The attention of a sentence in each run; None where a run has fewer sentences, because it cuts texts differently."""
_Panels: TypeAlias = Mapping[tuple[int, int], Axes]
"""The panels by row and column."""

_DPI = 150
"""Dots per inch of a png."""
_CELL = 0.36
"""Side of the cell of one word: enough for a line of text."""
_LONGEST_SIDE = 60
"""Cells and letters shrink to fit, so that rendering needs some hundred megabytes at most."""
_LABELS = 8
"""Cells above a panel that its labels take, where the rows that fit are counted."""
_FONT_SIZE = 11.0
"""Points, in cells of full size."""
_NAME_SIZE = 12.0
_GAP = 0.3
"""Between two panels."""
_BAR_WIDTH = 0.16
_BAR_HEIGHT = 1.6
"""Smallest height of the colour bar."""

# Matplotlib's own font first, then system fonts for the scripts that it lacks.
_FONTS = (
    *("DejaVu Sans", "Noto Sans", "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans Devanagari", "Noto Sans Thai"),
    *("Noto Emoji", "Arial Unicode MS", "Hiragino Sans", "PingFang SC", "Apple SD Gothic Neo", "Microsoft YaHei"),
    *("Yu Gothic", "Malgun Gothic", "Nirmala UI", "Leelawadee UI"),
)
_DATES = {"svg": "Date", "pdf": "CreationDate"}
"""The metadata key of the date, which is left out so that the same figure gives the same bytes."""
_UNDRAWABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may hold, not even escaped: https://www.w3.org/TR/xml/#charsets"""


def save_attention(rows: Sequence[Row], path: Path, *, runs: Sequence[str] = (), overwrite: bool = False) -> int:
    """Draw the attention of as many sentences as fit in a picture; returns how many.

    There is a row per sentence, with its attention in each run; `runs` are the names of several. With 0 sentences there
    is no picture. Raises UsageError when the file cannot be written, or would be replaced without `overwrite`.
    """
    worded = [row for row in rows if any(panel and panel.weights.size for panel in row)]
    if not worded:
        return 0
    shown = worded[: rows_that_fit(worded)]
    content = render_attention(shown, path.suffix.lower().removeprefix("."), runs=runs)
    write_output(path, content, overwrite=overwrite)
    return len(shown)


def rows_that_fit(rows: Iterable[Row]) -> int:
    """The number of rows, from the first on, whose heights a picture holds at full size; at least 1."""
    left = _LONGEST_SIDE / _CELL
    fitting = 0
    for row in rows:
        left -= _LABELS + max((len(panel.tgt_tokens) for panel in row if panel), default=0)
        if left < 0:
            break
        fitting += 1
    return max(1, fitting)


def render_attention(rows: Sequence[Row], image_format: str, *, runs: Sequence[str] = ()) -> bytes:
    """The picture as the content of a file; it grows with the number of words. See `render` for missing fonts.

    `runs` are the names of the columns, which stand above their panels. Raises ValueError when no sentence has words.
    """
    return render(lambda: _figure(rows, runs), image_format)


def render(draw: Callable[[], Figure], image_format: str) -> bytes:
    """The figure that `draw` makes, as the content of a file (png, svg or pdf), with room for all labels.

    A character without an installed font appears as a box, with one warning in the log. The same figure gives the same
    bytes.
    """
    content = io.BytesIO()
    installed = set(font_manager.get_font_names())
    settings = mpl.rc_context(
        {
            "font.family": [family for family in _FONTS if family in installed],
            "text.usetex": False,
            "text.parse_math": False,  # "$" is a word
            "svg.fonttype": "none",  # text stays text: it can be searched, and the viewer chooses the font
            "svg.hashsalt": "s2s",
            "pdf.fonttype": 42,  # text, here too
        }
    )
    metadata = {_DATES[image_format]: None} if image_format in _DATES else {}
    with settings, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        draw().savefig(content, format=image_format, dpi=_DPI, bbox_inches="tight", pad_inches=0.15, metadata=metadata)
    others = [warning for warning in caught if "missing from font" not in str(warning.message)]
    for warning in others:
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if len(others) < len(caught):  # matplotlib warns of each character
        logger.warning(
            "no installed font has some of the characters: the picture shows boxes in their place; install a font of"
            " their script, such as one of Noto, and remove the list of fonts in %s",
            mpl.get_cachedir(),
        )
    return content.getvalue()


def drawable(text: str) -> str:
    """The text with U+FFFD for each character that a picture cannot hold; all texts of a figure must go through it."""
    return _UNDRAWABLE.sub("\ufffd", text)


def _figure(rows: Sequence[Row], runs: Sequence[str]) -> Figure:
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
    cell = min(_CELL, _LONGEST_SIDE / _most_cells(shown))
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


def _panel(figure: Figure, attention: AttentionMap, *, cell: float) -> Axes:
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


def _arrange(figure: Figure, panels: _Panels) -> float:
    """Give each panel its place below 0, clear of the labels of the others; returns the right end of all."""
    to_inches = figure.dpi_scale_trans.inverted()
    boxes = {place: box.transformed(to_inches) for place, axes in panels.items() if (box := axes.get_tightbbox())}
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


def _colour_bar(figure: Figure, panels: _Panels, left: float) -> None:
    """Draw the scale beside the first row."""
    first = next(iter(panels.values()))
    panel = first.get_position()
    height = max(_BAR_HEIGHT, min(panel.height, 4 * _BAR_HEIGHT))
    bar = figure.add_axes((left, panel.y1 - height, _BAR_WIDTH, height))
    figure.colorbar(first.images[0], cax=bar, label="attention weight", ticks=[0, 0.25, 0.5, 0.75, 1])
