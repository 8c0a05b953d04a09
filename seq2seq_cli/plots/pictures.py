"""Attention as files: pictures (.png, .svg), or the numbers themselves (.json)."""

import json
from collections.abc import Sequence
from pathlib import Path

from seq2seq_cli.errors import UsageError
from seq2seq_cli.files import write_whole
from seq2seq_cli.plots.attention_map import AttentionMap
from seq2seq_cli.plots.figure import render_figure

FORMAT = 1
"""Of the JSON file."""

_DECIMALS = 6


def check_picture_path(path: Path) -> None:
    """Raise UsageError, before any work is done, where `path` is not the name of a picture that could be written."""
    check_output_path(path, what="attention is", endings=(".png", ".svg", ".json"))


def check_output_path(path: Path, *, what: str, endings: Sequence[str]) -> None:
    """Raise UsageError where no file with one of the `endings` could be written; `what` begins the sentence."""
    if path.suffix.lower() not in endings:
        told = f"{', '.join(endings[:-1])} or {endings[-1]}"
        raise UsageError(f"{path}: {what} written as {told}: give a name with one of these endings")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}: make it first")
    if path.is_dir():
        raise UsageError(f"{path}: this is a folder: give the name of a file")


def save_pictures(attentions: Sequence[AttentionMap], path: Path) -> list[Path]:
    """Write the attention of some sentences, and return the files that now hold it.

    A .json file holds all of them. A picture shows one: of several sentences, the third is drawn in ``NAME-3.png``;
    one without words is not drawn. Files of these names are replaced. Raises UsageError for a path that
    `check_picture_path` refuses or that cannot be written.
    """
    check_picture_path(path)
    if path.suffix.lower() == ".json":
        write_output(path, to_json(attentions).encode("utf-8"))
        return [path]
    drawn = []
    for number, attention in enumerate(attentions, start=1):
        if attention.weights.size == 0:
            continue
        file = path if len(attentions) == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
        write_output(file, render_figure(attention, "png" if path.suffix.lower() == ".png" else "svg"))
        drawn.append(file)
    return drawn


def to_json(attentions: Sequence[AttentionMap]) -> str:
    """A format number and the sentences, one a line; weights are rounded to six decimals."""
    sentences = (
        {
            "source": attention.source,
            "translation": attention.text,
            "src_tokens": list(attention.src_tokens),
            "tgt_tokens": list(attention.tgt_tokens),
            "weights": [[round(weight, _DECIMALS) for weight in row] for row in attention.weights.tolist()],
        }
        for attention in attentions
    )
    lines = ",\n".join(json.dumps(sentence, ensure_ascii=False) for sentence in sentences)
    return f'{{"format": {FORMAT}, "sentences": [\n{lines}\n]}}\n'


def write_output(path: Path, content: bytes) -> None:
    """Write a file whole or not at all; UsageError where that cannot be done."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
