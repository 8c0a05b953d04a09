"""``s2s translate``: texts in, translations out."""

import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from seq2seq_cli.cli.plain_command import loading
from seq2seq_cli.cli.translating.arguments import ON_TERMINAL, STANDARD_STREAM, TranslateCommand, check_utf8
from seq2seq_cli.cli.translating.formats import View
from seq2seq_cli.cli.translating.options import (
    Align,
    Attention,
    Device,
    Format,
    GlossaryFile,
    Input,
    MinScore,
    Models,
    NBest,
    OutputFile,
    Overrides,
    Overwrite,
    Prefix,
    Score,
    Texts,
    Threads,
    Tokens,
)
from seq2seq_cli.cli.translating.output import open_output
from seq2seq_cli.cli.translating.presenter import Presenter
from seq2seq_cli.cli.translating.prompt import Prompt
from seq2seq_cli.cli.translating.streams import STDIN, translate_file, translate_lines
from seq2seq_cli.config.choices import DeviceName
from seq2seq_cli.errors import UsageError

if TYPE_CHECKING:
    from seq2seq_cli.decoding.demands import Demands
    from seq2seq_cli.decoding.lines import ByteStream
    from seq2seq_cli.decoding.translator import Translator

COMMAND_CLASS = TranslateCommand


def translate(
    texts: Texts = None,
    model: Models = None,
    input_: Input = None,
    output: OutputFile = None,
    overwrite: Overwrite = False,
    format_: Format = "text",
    nbest: NBest = None,
    score: Score = False,
    align: Align = False,
    min_score: MinScore = None,
    prefix: Prefix = "",
    glossary: GlossaryFile = None,
    tokens: Tokens = False,
    attention: Attention = None,
    threads: Threads = None,
    device: Device = "auto",
    overrides: Overrides = None,
) -> None:
    """Translate texts with a trained run.

    The texts are arguments, the lines of a file or a pipe, or what is typed at a prompt. N lines in give N lines out,
    in the same order; a blank line stays blank.
    """
    view = View(
        format=format_,
        tokens=tokens,
        score=score,
        align=align,
        attention=attention == ON_TERMINAL,
        min_score=_threshold(min_score),
    )
    picture = None if attention in {None, ON_TERMINAL} else Path(str(attention))
    output = None if output == STANDARD_STREAM else output
    _check(texts or [], input_, output, view, picture, overwrite=overwrite)
    with open_output(output, overwrite=overwrite) as results:
        with loading():
            demands = _demands(prefix, glossary)
        translator = _translator(model, device, overrides, threads, nbest, demands)
        if attention is not None and not translator.engine.has_attention:
            raise UsageError("--attention: this model has no attention: its model.attention.score is none or fixed")
        view = replace(view, nbest=translator.options.n_best)
        presenter = Presenter(output=results, view=view, picture=picture, overwrite=overwrite)
        if texts:
            presenter.show(translator.translate_stream(texts, "TEXT {}".format), name_unknown=True)
        elif input_ is not None and input_ != STANDARD_STREAM:
            translate_file(input_, translator, presenter)
        elif input_ is None and sys.stdin.isatty():
            Prompt(translator=translator, presenter=presenter).run()
        else:
            translate_lines(cast("ByteStream", sys.stdin.buffer), STDIN, translator, presenter)


def _translator(
    model: list[Path] | None,
    device: DeviceName,
    overrides: list[str] | None,
    threads: int | None,
    nbest: int | None,
    demands: "Demands",
) -> "Translator":
    options = {} if threads is None else {"threads": threads}
    with loading():
        from seq2seq_cli.decoding.load import load

        translator = load(model or None, device=device, overrides=overrides or [], options=options).translator
    translator = translator.with_demands(demands)
    return translator if nbest is None else translator.with_n_best(nbest)


def _demands(prefix: str, glossary: Path | None) -> "Demands":
    from seq2seq_cli.decoding.demands import Demands
    from seq2seq_cli.decoding.glossary import Glossary

    check_utf8("--prefix", prefix)
    return Demands(prefix=prefix, glossary=Glossary() if glossary is None else Glossary.read(glossary))


def _threshold(score: float | None) -> float:
    if score is None:
        return -math.inf
    if not score <= 0:
        known = f"; a confidence of {score:g} is a score of {math.log(score):.3f}" if 0 < score <= 1 else ""
        raise UsageError(f"--min-score {score:g}: a score is at most 0{known}")
    return score


def _check(
    texts: list[str], input_: Path | None, output: Path | None, view: View, picture: Path | None, *, overwrite: bool
) -> None:
    """Raise InputError for options that contradict each other and for texts that are not UTF-8."""
    if texts and input_ is not None:
        raise UsageError("--input: there is TEXT as well: give one of them")
    if output is not None and not texts and input_ is None and sys.stdin.isatty():
        raise UsageError("--output: the prompt needs the terminal: give TEXT, --input or a pipe")
    if view.attention and view.format == "tsv":
        raise UsageError("--attention: tsv has no column for it: --format json has, and --attention FILE draws it")
    if picture is not None:
        from seq2seq_cli.plots.attention_files import check_attention_path

        check_attention_path(picture, overwrite=overwrite)
    for number, text in enumerate(texts, start=1):
        check_utf8(f"TEXT {number}", text)
