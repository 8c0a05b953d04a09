"""The attention of translations as plain values, and these in a file of JSON."""

import json
from collections.abc import Sequence
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from seq2seq_cli.files.json_files import json_number
from seq2seq_cli.shapes import Float

FORMAT = 1
"""The format number of the JSON file."""


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


Row: TypeAlias = Sequence[AttentionMap | None]
"""The attention of a sentence in each run; None where a run has fewer sentences, because it cuts texts differently."""


def attention_json(rows: Sequence[Row], runs: Sequence[str] = ()) -> str:
    """Strict JSON: the format number and the sentences, one per line, with weights rounded to six decimals.

    A weight that is not finite is null. With several runs, a sentence is there once per run, and names it.
    """
    names = [{"model": name} for name in runs] or [{}]
    sentences = (
        name | _sentence(attention) for row in rows for name, attention in zip(names, row, strict=True) if attention
    )
    lines = ",\n".join(json.dumps(sentence, ensure_ascii=False, allow_nan=False) for sentence in sentences)
    return f'{{"format": {FORMAT}, "sentences": [\n{lines}\n]}}\n'


def _sentence(attention: AttentionMap) -> dict[str, object]:
    return {
        "source": attention.source,
        "translation": attention.text,
        "src_tokens": attention.src_tokens,
        "tgt_tokens": attention.tgt_tokens,
        "weights": [list(map(json_number, row)) for row in attention.weights.tolist()],
    }
