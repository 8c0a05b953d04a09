"""``s2s score``: the probability of given translations."""

import sys
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from seq2seq_cli.cli.completions import RUN_FORMS, complete_run
from seq2seq_cli.cli.plain_command import loading
from seq2seq_cli.cli.translating.arguments import check_utf8, is_file, looks_like_path
from seq2seq_cli.cli.translating.formats import FormatName, decimal, json_line, tsv_rows
from seq2seq_cli.cli.translating.options import Device, Overrides
from seq2seq_cli.cli.translating.output import Output
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import InputError, UsageError
from seq2seq_cli.files.json_files import json_number

if TYPE_CHECKING:
    from seq2seq_cli.decoding.scoring import PairScore
    from seq2seq_cli.decoding.translation import TotalScore


def score(
    src: Annotated[
        str, typer.Argument(metavar="SRC", help="A text, or a file with a text per line.", show_default=False)
    ],
    tgt: Annotated[
        str,
        typer.Argument(
            metavar="TGT", help="Its translation, or a file with a translation per line.", show_default=False
        ),
    ],
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            metavar="RUN",
            help=f"The run to score with: {RUN_FORMS}.",
            show_default="newest",
            autocompletion=complete_run,
        ),
    ] = None,
    format_: Annotated[
        FormatName,
        typer.Option(
            "--format",
            help="text: a line per pair and one for all; json: an object for each; tsv: a row for each, with number,"
            " source, translation, log-probability, tokens, score, confidence, unknown words.",
        ),
    ] = "text",
    device: Device = "auto",
    overrides: Overrides = None,
) -> None:
    """Print the log-probability of given translations under a trained run.

    The log-probability of a translation is the sum over its tokens, <eos> counted. Its score is the mean per token, at
    most 0; the confidence is exp(score), from 0 to 1. The perplexity of all pairs is exp(-s), where s is their mean
    log-probability per token.
    """
    pairs, place = _pairs(src, tgt)
    with loading():
        from seq2seq_cli.decoding.load import load
        from seq2seq_cli.decoding.scoring import score_pairs
        from seq2seq_cli.decoding.translation import TotalScore

        translator = load(model, device=device, overrides=overrides or []).translator
    output = Output(sys.stdout)
    count, total = 0, TotalScore()
    for pair in score_pairs(translator, pairs, place):
        count, total = count + 1, total + pair
        output.write(_of_pair(count, pair, format_, output))
    output.write(_of_all(count, total, format_, output))


def _pairs(src: str, tgt: str) -> tuple[Iterator[tuple[str, str]], Callable[[int], str]]:
    """The pairs, and the place of each in messages; raises InputError unless both are files or both are texts."""
    are_files = [is_file(text) for text in (src, tgt)]
    if all(are_files):
        return _pairs_of_lines(Path(src), Path(tgt)), lambda number: f"{src}:{number}"
    if any(are_files):
        file, text = (src, tgt) if are_files[0] else (tgt, src)
        raise UsageError(f"{text}: no such file, but {file} is one: give two files, or two texts")
    for name, text in (("SRC", src), ("TGT", tgt)):
        check_utf8(name, text)
        if looks_like_path(text):
            raise UsageError(f"{text}: no such file; if {name} is a text, begin it with a space")
    return iter([(src, tgt)]), lambda _: "SRC"


def _pairs_of_lines(src: Path, tgt: Path) -> Iterator[tuple[str, str]]:
    from seq2seq_cli.decoding.lines import read_lines

    for number, (source, target) in enumerate(zip_longest(read_lines(src), read_lines(tgt)), start=1):
        if source is None or target is None:
            shorter, longer = (src, tgt) if source is None else (tgt, src)
            raise InputError(f"{longer}:{number}: has no partner in {shorter}, which ends before it")
        yield source, target


def _of_pair(number: int, pair: "PairScore", format_: FormatName, output: Output) -> str:
    match format_:
        case "text":
            return f"{_in_words(pair)}, confidence {decimal(pair.confidence)}\n"
        case "json":
            content = {"source": pair.source, "translation": pair.translation, **_numbers(pair)}
            return json_line({**content, "confidence": json_number(pair.confidence), "unknown": pair.unknown}, output)
        case "tsv":
            return tsv_rows([[str(number), pair.source, pair.translation, *_columns(pair), " ".join(pair.unknown)]])


def _of_all(count: int, total: "TotalScore", format_: FormatName, output: Output) -> str:
    match format_:
        case "text":
            return f"all {count:,}: {_in_words(total)}, perplexity {decimal(total.perplexity)}\n"
        case "json":
            return json_line({"pairs": count, **_numbers(total), "perplexity": json_number(total.perplexity)}, output)
        case "tsv":
            return tsv_rows([["all", "", "", *_columns(total), ""]])


def _in_words(total: "TotalScore") -> str:
    tokens = counted(total.length, "token")
    return f"log-probability {decimal(total.log_probability)} of {tokens}, score {decimal(total.score)}"


def _numbers(total: "TotalScore") -> dict[str, float | None]:
    return {
        "log_probability": json_number(total.log_probability),
        "tokens": total.length,
        "score": json_number(total.score),
    }


def _columns(total: "TotalScore") -> list[str]:
    return [decimal(total.log_probability), str(total.length), decimal(total.score), decimal(total.confidence)]
