"""Attention as text: a table with a column per source word and a row per target word."""

import unicodedata
from dataclasses import dataclass
from typing import Literal

import numpy as np

from seq2seq_cli.shapes import Float

Style = Literal["shades", "numbers"]

_SHADES = ((0.75, "█"), (0.5, "▓"), (0.25, "▒"), (0.05, "░"))
_LEGEND = "░ from .05   ▒ from .25   ▓ from .50   █ from .75"
_LONGEST_LABEL = 20
_NARROWEST: dict[Style, int] = {"shades": 2, "numbers": 3}


@dataclass(frozen=True, kw_only=True)
class AttentionMap:
    """The tokens of a sentence and of its translation, and the attention between them; S source, T target tokens."""

    src_tokens: list[str]
    """S: the words of the source in their own case (their parts with bpe, characters with character), ``<eos>``."""
    tgt_tokens: list[str]
    """T: the units of the translation, then ``<eos>`` unless the length limit came first."""
    weights: Float[np.ndarray, "T S"]
    """The attention weights. A row sums to 1; with local attention to 1 or less; without attention to 0."""


def attention_table(attention: AttentionMap, *, style: Style, width: int | None = None) -> str:
    """The table as text, without a newline at its end; empty for an empty sentence.

    `style`: "shades" fills the cells with blocks, "numbers" prints the weights (``.83``; ``.`` below .005). A table
    that is wider than `width` terminal cells is continued below.
    """
    from rich.cells import cell_len, set_cell_size  # not above: most translations do without

    if not attention.src_tokens or not attention.tgt_tokens:
        return ""
    labels = ["", *map(_label, attention.tgt_tokens)]
    left = max(map(cell_len, labels))
    panels: list[list[list[str]]] = []
    used = 0
    for token, weights in zip(attention.src_tokens, attention.weights.T.tolist(), strict=True):
        label = _label(token)
        size = max(_NARROWEST[style], cell_len(label))
        if not panels or (width is not None and used + 1 + size > width):
            panels.append([[set_cell_size(row, left) for row in labels]])
            used = left
        column = [label, *(_cell(weight, style, size) for weight in weights)]
        panels[-1].append([set_cell_size(cell, size) for cell in column])
        used += 1 + size
    legend = [_LEGEND] if style == "shades" else []
    shown = ("\n".join(" ".join(line).rstrip() for line in zip(*columns, strict=True)) for columns in panels)
    return "\n\n".join([*shown, *legend])


def _cell(weight: float, style: Style, width: int) -> str:
    if style == "numbers":
        rounded = f"{weight:.2f}"  # 1.0, .83, or . below .005
        return "." if rounded == "0.00" else rounded[:3] if rounded[0] == "1" else rounded[1:]
    return next((shade for least, shade in _SHADES if weight >= least), " ") * width


def _label(token: str) -> str:
    """The token without line breaks, cut to `_LONGEST_LABEL`; a sign for an empty one, as on the pages."""
    from rich.cells import cell_len, set_cell_size

    visible = "".join("?" if unicodedata.category(c) in {"Cc", "Zl", "Zp"} else c for c in token or "\u2205")
    text = visible.strip("\u200d")  # at the end, the zero-width joiner would join the word to the padding
    return text if cell_len(text) <= _LONGEST_LABEL else set_cell_size(text, _LONGEST_LABEL - 2) + ".."
