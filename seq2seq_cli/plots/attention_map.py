"""The attention of one translation, as every picture of it takes it."""

from dataclasses import dataclass

import numpy as np

from seq2seq_cli.shapes import Float


@dataclass(frozen=True, kw_only=True)
class AttentionMap:
    """A sentence, its translation, and the attention between them; S source tokens, T target tokens."""

    source: str
    """The sentence as it was given."""
    text: str
    """The translation as plain text; empty for a blank sentence."""
    src_tokens: list[str]
    """S: the words of the source in their own case (their parts with bpe, characters with character), ``<eos>``."""
    tgt_tokens: list[str]
    """T: the units of the translation, then ``<eos>`` unless the length limit came first."""
    weights: Float[np.ndarray, "T S"]
    """The attention weights. A row sums to 1; with local attention to 1 or less; without attention to 0."""
