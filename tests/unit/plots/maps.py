"""Attention to draw."""

from collections.abc import Sequence

import numpy as np

from seq2seq_cli.plots.attention_text import AttentionMap


def make_map(src: Sequence[str], tgt: Sequence[str], weights: Sequence[Sequence[float]] | None = None) -> AttentionMap:
    """With uniform weights unless others are given."""
    table = np.full((len(tgt), len(src)), 1 / max(len(src), 1)) if weights is None else np.array(weights)
    return AttentionMap(src_tokens=list(src), tgt_tokens=list(tgt), weights=table.astype(np.float32))


KISS = make_map(
    ["She", "kissed", "him", "."],
    ["Sie", "küsste", "ihn", "."],
    [[0.83, 0.1, 0.07, 0.0], [0.2, 0.8, 0.0, 0.0], [0.0, 0.3, 0.7, 0.0], [0.0, 0.0, 0.0, 1.0]],
)
