"""Attention as text: a table with a column for each source word and a row for each target word."""

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len

from seq2seq_cli.plots.attention_map import AttentionMap

Style = Literal["shades", "numbers"]

_SHADES = ((0.75, "█"), (0.5, "▓"), (0.25, "▒"), (0.05, "░"))
_LEGEND = "░ from .05   ▒ from .25   ▓ from .50   █ from .75"
_LONGEST_LABEL = 20
_GAP = 1
_NARROWEST: dict[Style, int] = {"shades": 2, "numbers": 3}
_ZERO_WIDTH_JOINER = "\u200d"


@dataclass(frozen=True, kw_only=True)
class _Column:
    """One source word: its label, from top to bottom, and the cells under it."""

    header: list[str]
    width: int
    cells: list[str]


def draw_heatmap(attention: AttentionMap, *, style: Style, width: int | None = None, encoding: str = "utf-8") -> str:
    """The table, without a newline at its end; empty for an empty sentence.

    `style` shades the cells with blocks, or prints the weights as numbers (``.83``; ``.`` below .005), which any
    terminal can show. A table that is wider than `width` terminal cells writes the source words from top to bottom
    and, where that is not enough, goes on in a second table below. What `encoding` cannot express is escaped.
    """
    if not attention.src_tokens or not attention.tgt_tokens:
        return ""
    labels = [_label(token, encoding) for token in attention.tgt_tokens]
    label_width = max(map(cell_len, labels))
    columns = _columns(attention, style, encoding, upright=False)
    if width is not None and label_width + _total_width(columns) > width:
        columns = _columns(attention, style, encoding, upright=True)
        most = max(1, (width - label_width) // (columns[0].width + _GAP))
        count = math.ceil(len(columns) / most)
        size = math.ceil(len(columns) / count)
    else:
        size = len(columns)
    panels = [_panel(labels, columns[i : i + size]) for i in range(0, len(columns), size)]
    legend = [_LEGEND] if style == "shades" else []
    return "\n\n".join([*panels, *legend])


def _columns(attention: AttentionMap, style: Style, encoding: str, *, upright: bool) -> list[_Column]:
    """The columns, as wide as their words, or with upright words and all as narrow as can be."""
    columns = []
    for token, weights in zip(attention.src_tokens, attention.weights.T.tolist(), strict=True):
        label = _label(token, encoding)
        header = _graphemes(label) if upright else [label]
        width = max([_NARROWEST[style], *map(cell_len, header)])
        columns.append(_Column(header=header, width=width, cells=[_cell(weight, style, width) for weight in weights]))
    return columns


def _total_width(columns: Sequence[_Column]) -> int:
    return sum(column.width + _GAP for column in columns)


def _panel(labels: Sequence[str], columns: Sequence[_Column]) -> str:
    label_width = max(map(cell_len, labels))
    height = max(len(column.header) for column in columns)
    # The words end on the line above the cells.
    headers = [[""] * (height - len(column.header)) + column.header for column in columns]
    header = zip([""] * height, *headers, strict=True)
    body = zip(labels, *(column.cells for column in columns), strict=True)
    widths = [label_width, *(column.width for column in columns)]
    lines = []
    for line in [*header, *body]:
        padded = [_pad(text, width) for text, width in zip(line, widths, strict=True)]
        lines.append((" " * _GAP).join(padded).rstrip())
    return "\n".join(lines)


def _cell(weight: float, style: Style, width: int) -> str:
    if style == "numbers":
        return _number(weight)
    return next((shade for least, shade in _SHADES if weight >= least), " ") * width


def _number(weight: float) -> str:
    """At most three characters: ``1.0``, ``.83``, or ``.`` for next to nothing."""
    rounded = f"{weight:.2f}"
    if rounded == "0.00":
        return "."
    return rounded[:3] if weight >= 0.995 else rounded[1:]


def _label(token: str, encoding: str) -> str:
    """The token on one line, in characters of the encoding, and not longer than a label may be."""
    visible = "".join("?" if unicodedata.category(c) in {"Cc", "Zl", "Zp"} else c for c in token)
    # A joiner at the end would join the padding.
    text = visible.strip(_ZERO_WIDTH_JOINER).encode(encoding, "backslashreplace").decode(encoding)
    if cell_len(text) <= _LONGEST_LABEL:
        return text
    kept = ""
    for grapheme in _graphemes(text):
        if cell_len(kept + grapheme) > _LONGEST_LABEL - 2:
            break
        kept += grapheme
    return kept + ".."


def _graphemes(text: str) -> list[str]:
    """What a reader calls a character: a base and all that combines with it."""
    graphemes: list[str] = []
    for character in text:
        joins = cell_len(character) == 0 or (graphemes and graphemes[-1].endswith(_ZERO_WIDTH_JOINER))
        if graphemes and joins:
            graphemes[-1] += character
        else:
            graphemes.append(character)
    return graphemes


def _pad(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))
