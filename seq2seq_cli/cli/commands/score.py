"""``s2s score``: the probability of given translations."""

import sys
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Literal

import typer

from seq2seq_cli.cli.parsing import Device, Overrides, check_utf8, loading, run_option
from seq2seq_cli.cli.terminal import json_line
from seq2seq_cli.counts import counted
from seq2seq_cli.decoding.lines import read_lines
from seq2seq_cli.decoding.load import load
from seq2seq_cli.decoding.scoring import PairScore, score_pairs
from seq2seq_cli.decoding.translation import TotalScore
from seq2seq_cli.errors import InputError, UsageError
from seq2seq_cli.files.reading import is_file
from seq2seq_cli.files.writing import json_number


def score(
    src: Annotated[str, typer.Argument(metavar="SRC", help="A text, or a file with a text per line.")],
    tgt: Annotated[str, typer.Argument(metavar="TGT", help="Its translation, or a file with a translation per line.")],
    model: Annotated[Path | None, run_option("The run to score with")] = None,
    format_: Annotated[
        Literal["text", "json"],
        typer.Option("--format", help="text: a line per pair and one for all; json: an object for each."),
    ] = "text",
    device: Device = "auto",
    overrides: Overrides = None,
) -> None:
    """Print the log-probability of given translations under a trained run.

    The log-probability of a translation is the sum over its tokens, <eos> counted. Its score is the mean per token, at
    most 0; the confidence is exp(score), from 0 to 1. The perplexity of all pairs is exp(-s), where s is their mean
    log-probability per token.
    """
    pairs, place = _pairs((src, tgt))
    with loading():
        translator = load(model, device=device, overrides=overrides or []).translator
    is_json = format_ == "json"
    count, total = 0, TotalScore()
    for pair in score_pairs(translator, pairs, place):
        count, total = count + 1, total + pair
        sys.stdout.write(_pair_json(pair) if is_json else _line(pair, f"confidence {pair.confidence:.4f}"))
    content = {"pairs": count, **_numbers(total), "perplexity": json_number(total.perplexity)}
    shown = _line(total, f"perplexity {total.perplexity:.4f}")
    sys.stdout.write(json_line(content, sys.stdout) if is_json else f"all {count:,}: {shown}")


def _pairs(texts: tuple[str, str]) -> tuple[Iterator[tuple[str, str]], Callable[[int], str]]:
    """The pairs, and the place of each in messages; raises InputError unless both are files or both are texts."""
    are_files = [is_file(text) for text in texts]
    if all(are_files):
        return _pairs_of_lines(*map(Path, texts)), lambda number: f"{texts[0]}:{number}"
    if any(are_files):
        file, text = texts if are_files[0] else texts[::-1]
        raise UsageError(f"{text}: no such file, but {file} is one: give two files, or two texts")
    check_utf8({"SRC": texts[0], "TGT": texts[1]})
    return iter([texts]), lambda _: "SRC"


def _pairs_of_lines(src: Path, tgt: Path) -> Iterator[tuple[str, str]]:
    for number, (source, target) in enumerate(zip_longest(read_lines(src), read_lines(tgt)), start=1):
        if source is None or target is None:
            shorter, longer = (src, tgt) if source is None else (tgt, src)
            raise InputError(f"{longer}:{number}: has no partner in {shorter}, which ends before it")
        yield source, target


def _line(total: TotalScore, more: str) -> str:
    tokens = counted(total.length, "token")
    return f"log-probability {total.log_probability:z.4f} of {tokens}, score {total.score:z.4f}, {more}\n"


def _pair_json(pair: PairScore) -> str:
    content = {"source": pair.src.text, "translation": pair.tgt.text, **_numbers(pair)}
    return json_line({**content, "confidence": json_number(pair.confidence), "unknown": pair.unknown}, sys.stdout)


def _numbers(total: TotalScore) -> dict[str, float | None]:
    return {
        "log_probability": json_number(total.log_probability),
        "tokens": total.length,
        "score": json_number(total.score),
    }
