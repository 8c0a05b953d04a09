"""Pictures: the attention of sentences, and how any figure of matplotlib becomes a file.

Of attention, source words are along the top, target words down the left side, and a sentence is below the one before
it. Places and sizes are in inches.
"""

import io
import logging
import re
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from seq2seq_cli.files.writing import write_output
from seq2seq_cli.plots.attention_text import AttentionMap

logger = logging.getLogger(__name__)

_DPI = 150
"""Dots per inch of a png."""
_CELL = 0.36
"""Side of the cell of one word: enough for a line of text."""
_LONGEST_SIDE = 60
"""Cells and letters shrink to fit, so that rendering needs some hundred megabytes at most."""
_MOST_SENTENCES = 10
_FONT_SIZE = 11.0
"""Points, in cells of full size."""
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
_UNDRAWABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may hold, not even escaped: https://www.w3.org/TR/xml/#charsets"""


def save_attention(sentences: Sequence[AttentionMap], path: Path, *, overwrite: bool = False) -> int:
    """Draw the attention of the first `_MOST_SENTENCES` sentences that have any; returns how many: with 0, no picture.

    Raises UsageError as `write_output`.
    """
    worded = [sentence for sentence in sentences if sentence.weights.size]
    if not worded:
        return 0
    shown = worded[:_MOST_SENTENCES]
    content = picture(lambda: _figure(shown), path.suffix.lower().removeprefix("."))
    write_output(path, content, overwrite=overwrite)
    return len(shown)


def picture(draw: Callable[[], Figure], image_format: str) -> bytes:
    """The figure that `draw` makes, with room for all labels, as a png, svg or pdf.

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
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(image_format)
    with settings, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        draw().savefig(content, format=image_format, dpi=_DPI, bbox_inches="tight", pad_inches=0.15, metadata=undated)
    if any("missing from font" in str(warning.message) for warning in caught):  # matplotlib warns of each character
        logger.warning(
            "no installed font has some of the characters: the picture shows boxes in their place; install a font of"
            " their script, such as one of Noto, and remove the list of fonts in %s",
            mpl.get_cachedir(),
        )
    return content.getvalue()


def drawable(text: str) -> str:
    """The text with U+FFFD for each character that a picture cannot hold, and a sign in place of none, as on the pages.

    All texts of a figure must go through it.
    """
    return _UNDRAWABLE.sub("\ufffd", text) or "\u2205"


def _figure(sentences: Sequence[AttentionMap]) -> Figure:
    # One inch wide and high, so that its coordinates are inches; `picture` takes in all that is drawn around it.
    figure = Figure(figsize=(1, 1))
    heights, widths = zip(*(sentence.weights.shape for sentence in sentences), strict=True)
    cell = min(_CELL, _LONGEST_SIDE / max(sum(heights), *widths))
    panels = [_panel(figure, sentence, cell=cell) for sentence in sentences]
    panels[0].set_xlabel("source")
    to_inches = figure.dpi_scale_trans.inverted()
    right = bottom = 0.0
    for panel in panels:
        panel.set_ylabel("translation")
        width, height = panel.get_position().size
        if box := panel.get_tightbbox():
            box = box.transformed(to_inches)
            top = bottom - (box.y1 - height)
            panel.set_position((0, top - height, width, height))
            right, bottom = max(right, box.x1), top - height + box.y0 - _GAP
    place = panels[0].get_position()
    bar_height = max(_BAR_HEIGHT, min(place.height, 4 * _BAR_HEIGHT))
    bar = figure.add_axes((right + _GAP, place.y1 - bar_height, _BAR_WIDTH, bar_height))
    figure.colorbar(panels[0].images[0], cax=bar, label="attention weight", ticks=[0, 0.25, 0.5, 0.75, 1])
    return figure


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
    return axes
