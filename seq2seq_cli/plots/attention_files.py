"""Attention in files: pictures (.png, .svg, .pdf), or the numbers themselves (.json)."""

import json
from collections.abc import Sequence
from pathlib import Path

from seq2seq_cli.files.json_files import json_number
from seq2seq_cli.files.output import write_output
from seq2seq_cli.plots.attention_map import AttentionMap
from seq2seq_cli.plots.attention_picture import Row, render_attention, rows_that_fit
from seq2seq_cli.plots.rendering import DPI

FORMAT = 1
"""The format number of the JSON file."""


def save_attention(
    rows: Sequence[Row],
    path: Path,
    *,
    runs: Sequence[str] = (),
    title: str = "",
    dpi: int = DPI,
    overwrite: bool = False,
) -> int:
    """Write the attention of some sentences; returns how many of them the file shows.

    There is a row per sentence, with its attention in each run; `runs` are the names of several. A .json file holds all
    sentences; a picture holds those that fit in it. With 0 sentences there is no picture.

    Raises UsageError when the file cannot be written, or would be replaced without `overwrite`.
    """
    image_format = path.suffix.lower().removeprefix(".")
    if image_format == "json":
        shown, content = len(rows), attention_json(rows, runs).encode("utf-8")
    else:
        drawable = [row for row in rows if any(panel and panel.weights.size for panel in row)]
        if not drawable:
            return 0
        shown = rows_that_fit(drawable, dpi)
        content = render_attention(drawable[:shown], image_format, runs=runs, title=title, dpi=dpi)
    write_output(path, content, overwrite=overwrite)
    return shown


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
