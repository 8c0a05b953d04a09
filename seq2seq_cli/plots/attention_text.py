"""Attention as text: a table with a column per source word and a row per target word."""

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from rich.cells import cell_len, set_cell_size

from seq2seq_cli.shapes import Float

Style = Literal["shades", "numbers"]

_SHADES = ((0.75, "█"), (0.5, "▓"), (0.25, "▒"), (0.05, "░"))
_LEGEND = "░ from .05   ▒ from .25   ▓ from .50   █ from .75"
_LONGEST_LABEL = 20
_GAP = 1
_NARROWEST: dict[Style, int] = {"shades": 2, "numbers": 3}
_ZERO_WIDTH_JOINER = "\u200d"


@runtime_checkable
class AttentionMap(Protocol):
    """A sentence, its translation, and the attention between them; S source tokens, T target tokens."""

    @property
    def source(self) -> str:
        """The sentence as it was given."""

    @property
    def text(self) -> str:
        """The translation as plain text."""

    @property
    def src_tokens(self) -> list[str]:
        """S: the tokens of the source, ``<eos>``."""

    @property
    def tgt_tokens(self) -> list[str]:
        """T: the units of the translation, then ``<eos>`` unless the length limit came first."""

    @property
    def weights(self) -> Float[np.ndarray, "T S"]:
        """The attention weights; without attention, all are 0."""


@dataclass(frozen=True, kw_only=True)
class _Column:
    """A source word: its label, from top to bottom, and the cells below it."""

    header: list[str]
    width: int
    cells: list[str]


def attention_table(attention: AttentionMap, *, style: Style, width: int | None = None) -> str:
    """The table as text, without a newline at its end; empty for an empty sentence.

    `style`: "shades" fills the cells with blocks, "numbers" prints the weights (``.83``; ``.`` below .005). In a table
    wider than `width` terminal cells, the source words run from top to bottom; if it is still too wide, it is continued
    in a second table below.
    """
    if not attention.src_tokens or not attention.tgt_tokens:
        return ""
    labels = [_label(token) for token in attention.tgt_tokens]
    label_width = max(map(cell_len, labels))
    columns = _columns(attention, style, upright=False)
    if width is not None and label_width + sum(column.width + _GAP for column in columns) > width:
        columns = _columns(attention, style, upright=True)
        most = max(1, (width - label_width) // (columns[0].width + _GAP))
        count = math.ceil(len(columns) / most)
        size = math.ceil(len(columns) / count)
    else:
        size = len(columns)
    panels = [_panel(labels, columns[i : i + size]) for i in range(0, len(columns), size)]
    legend = [_LEGEND] if style == "shades" else []
    return "\n\n".join([*panels, *legend])


def _columns(attention: AttentionMap, style: Style, *, upright: bool) -> list[_Column]:
    """The columns: as wide as their words, or narrow, with the words running from top to bottom (`upright`)."""
    columns = []
    for token, weights in zip(attention.src_tokens, attention.weights.T.tolist(), strict=True):
        label = _label(token)
        header = _graphemes(label) if upright else [label]
        width = max([_NARROWEST[style], *map(cell_len, header)])
        columns.append(_Column(header=header, width=width, cells=[_cell(weight, style, width) for weight in weights]))
    return columns


def _panel(labels: Sequence[str], columns: Sequence[_Column]) -> str:
    label_width = max(map(cell_len, labels))
    height = max(len(column.header) for column in columns)
    # Upright words end on the line above the cells.
    headers = [[""] * (height - len(column.header)) + column.header for column in columns]
    header = zip([""] * height, *headers, strict=True)
    body = zip(labels, *(column.cells for column in columns), strict=True)
    widths = [label_width, *(column.width for column in columns)]
    lines = [map(set_cell_size, line, widths) for line in [*header, *body]]
    return "\n".join((" " * _GAP).join(line).rstrip() for line in lines)


def _cell(weight: float, style: Style, width: int) -> str:
    if style == "numbers":
        rounded = f"{weight:.2f}"  # 1.0, .83, or . below .005
        return "." if rounded == "0.00" else rounded[:3] if rounded[0] == "1" else rounded[1:]
    return next((shade for least, shade in _SHADES if weight >= least), " ") * width


def _label(token: str) -> str:
    """The token without line breaks, cut to `_LONGEST_LABEL`."""
    visible = "".join("?" if unicodedata.category(c) in {"Cc", "Zl", "Zp"} else c for c in token)
    # A joiner at the end would join the word to the padding.
    text = visible.strip(_ZERO_WIDTH_JOINER)
    if cell_len(text) <= _LONGEST_LABEL:
        return text
    kept = ""
    for grapheme in _graphemes(text):
        if cell_len(kept + grapheme) > _LONGEST_LABEL - 2:
            break
        kept += grapheme
    return kept + ".."


def _graphemes(text: str) -> list[str]:
    """The characters as a reader counts them: each base together with the marks that combine with it."""
    graphemes: list[str] = []
    for character in text:
        joins = cell_len(character) == 0 or (graphemes and graphemes[-1].endswith(_ZERO_WIDTH_JOINER))
        if graphemes and joins:
            graphemes[-1] += character
        else:
            graphemes.append(character)
    return graphemes
