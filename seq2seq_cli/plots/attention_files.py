"""Attention in files: pictures (.png, .svg), or the numbers themselves (.json)."""

import json
import math
import re
from collections.abc import Sequence
from pathlib import Path

from seq2seq_cli.files.output import check_output
from seq2seq_cli.plots.attention_map import AttentionMap
from seq2seq_cli.plots.attention_picture import render_attention
from seq2seq_cli.plots.output import check_output_path, write_output

FORMAT = 1
"""The format number of the JSON file."""

_DECIMALS = 6


def check_attention_path(path: Path, *, overwrite: bool) -> None:
    """Raise UsageError, before any work, unless attention can be written to `path`.

    Pictures of several sentences, which a text may turn out to have, are not replaced unasked either.
    """
    check_output_path(path, content="attention", endings=(".png", ".svg", ".json"), overwrite=overwrite)
    picture = re.compile(rf"{re.escape(path.stem)}-\d+{re.escape(path.suffix)}")
    for file in path.parent.iterdir():
        if picture.fullmatch(file.name):
            check_output(file, overwrite=overwrite)


def save_attention(attentions: Sequence[AttentionMap], path: Path, *, overwrite: bool = False) -> list[Path]:
    """Write the attention of some sentences; returns the files written.

    A .json file holds all sentences. A picture shows one: with several sentences, the third goes to ``NAME-3.png``; a
    sentence without words has no picture. Existing files are replaced only with `overwrite`. Raises UsageError when
    `check_attention_path` does, and when a file cannot be written.
    """
    check_attention_path(path, overwrite=overwrite)
    image_format = path.suffix.lower().removeprefix(".")
    if image_format == "json":
        write_output(path, attention_json(attentions).encode("utf-8"), overwrite=overwrite)
        return [path]
    written = []
    for number, attention in enumerate(attentions, start=1):
        if attention.weights.size == 0:
            continue
        file = path if len(attentions) == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
        write_output(file, render_attention(attention, image_format), overwrite=overwrite)
        written.append(file)
    return written


def attention_json(attentions: Sequence[AttentionMap]) -> str:
    """Strict JSON: the format number and the sentences, one per line, with weights rounded to six decimals.

    A weight that is not finite is null.
    """
    sentences = (
        {
            "source": attention.source,
            "translation": attention.text,
            "src_tokens": attention.src_tokens,
            "tgt_tokens": attention.tgt_tokens,
            "weights": [[_json_number(weight) for weight in row] for row in attention.weights.tolist()],
        }
        for attention in attentions
    )
    lines = ",\n".join(json.dumps(sentence, ensure_ascii=False, allow_nan=False) for sentence in sentences)
    return f'{{"format": {FORMAT}, "sentences": [\n{lines}\n]}}\n'


def _json_number(value: float) -> float | None:
    return round(value, _DECIMALS) if math.isfinite(value) else None
