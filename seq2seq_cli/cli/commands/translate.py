"""``s2s translate``: texts in, translations out."""

import math
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from seq2seq_cli.cli.plain_command import loading
from seq2seq_cli.cli.translating.arguments import (
    ON_TERMINAL,
    STANDARD_STREAM,
    TranslateCommand,
    check_utf8,
    hint_at_options,
)
from seq2seq_cli.cli.translating.formats import View
from seq2seq_cli.cli.translating.options import (
    Align,
    Attention,
    Device,
    Format,
    GlossaryFile,
    Input,
    IsEnsemble,
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
    Title,
    Tokens,
)
from seq2seq_cli.cli.translating.output import open_output
from seq2seq_cli.cli.translating.presenter import Presenter
from seq2seq_cli.cli.translating.prompt import Prompt
from seq2seq_cli.cli.translating.streams import STDIN, translate_file, translate_lines
from seq2seq_cli.cli.translating.translators import Translators, names_of_runs
from seq2seq_cli.config.choices import DeviceName
from seq2seq_cli.errors import UsageError, one_line

if TYPE_CHECKING:
    from seq2seq_cli.cli.translating.attention_file import AttentionFile
    from seq2seq_cli.decoding.demands import Demands
    from seq2seq_cli.decoding.lines import ByteStream

COMMAND_CLASS = TranslateCommand


def translate(
    texts: Texts = None,
    model: Models = None,
    ensemble: IsEnsemble = False,
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
    title: Title = "",
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
    file = _attention_file(attention, title, overwrite=overwrite)
    output = None if output == STANDARD_STREAM else output
    _check(texts or [], input_, output, view)
    if file and output is not None and file.path.resolve() == output.resolve():
        raise UsageError(f"--attention: {one_line(str(file.path))} is the file of --output as well: name two files")
    if ensemble and len(model or []) < 2:
        raise UsageError("--ensemble: needs several runs: give --model more than once")
    with open_output(output, overwrite=overwrite) as results:
        with loading():
            demands = _demands(prefix, glossary)
        options = {} if threads is None else {"threads": threads}
        translators = _translators(model or [], device, overrides or [], options, together=ensemble)
        chosen = translators.changed(lambda each: each.with_demands(demands))
        if file and file.is_page:
            chosen = chosen.changed(lambda each: each.with_traces())
        shown = nbest or max(each.options.n_best for each in chosen.members)
        translators = chosen.changed(lambda each: each.with_n_best(shown))
        if attention is not None and not translators.have_attention:
            raise UsageError(
                "--attention: this model has no attention: its model.attention.score is none or fixed; leave"
                " --attention out, or name another run"
            )
        view = replace(view, nbest=shown)
        presenter = Presenter(translators=translators, output=results, view=view, attention_file=file)
        _present(texts or [], input_, presenter, chosen)


def _present(texts: list[str], input_: Path | None, presenter: Presenter, chosen: Translators) -> None:
    """Show the translations of the texts, else those of a file, of what is typed, or of the lines of a pipe."""
    if texts:
        hint_at_options(texts)
        presenter.show(presenter.translators.translate_stream(texts), "TEXT {}".format, name_unknown=True)
    elif input_ is not None and input_ != STANDARD_STREAM:
        translate_file(input_, presenter)
    elif input_ is None and sys.stdin.isatty():
        Prompt(presenter=presenter, chosen=chosen).run()
    else:
        translate_lines(cast("ByteStream", sys.stdin.buffer), STDIN, presenter)


def _translators(
    models: list[Path], device: DeviceName, overrides: list[str], options: Mapping[str, object], *, together: bool
) -> Translators:
    with loading():
        from seq2seq_cli.decoding.load import load

        are_compared = len(models) > 1 and not together
        loaded = [
            load(runs, device=device, overrides=overrides, options=options)
            for runs in (models if are_compared else [models or None])
        ]
    runs = tuple(models or [loaded[0].path])
    names = names_of_runs(runs)
    members = tuple(each.translator for each in loaded)
    return Translators(members=members, names=(" + ".join(names),) if together else names, runs=runs)


def _demands(prefix: str, glossary: Path | None) -> "Demands":
    from seq2seq_cli.decoding.demands import Demands, Glossary

    check_utf8("--prefix", prefix)
    return Demands(prefix=prefix, glossary=Glossary() if glossary is None else Glossary.read(glossary))


def _threshold(score: float | None) -> float:
    if score is None:
        return -math.inf
    if not score <= 0:
        known = f"; a confidence of {score:g} is a score of {math.log(score):.3f}" if 0 < score <= 1 else ""
        raise UsageError(f"--min-score {score:g}: a score is at most 0{known}")
    return score


def _attention_file(attention: str | None, title: str, *, overwrite: bool) -> "AttentionFile | None":
    if attention is None or attention == ON_TERMINAL:
        if title:
            raise UsageError("--title: is for a picture or a page: give --attention FILE, such as map.png")
        return None
    from seq2seq_cli.cli.translating.attention_file import AttentionFile

    file = AttentionFile(path=Path(attention), title=title, overwrite=overwrite)
    file.check()
    return file


def _check(texts: list[str], input_: Path | None, output: Path | None, view: View) -> None:
    """Raise InputError for options that contradict each other and for texts that are not UTF-8."""
    if texts and input_ is not None:
        raise UsageError("--input: there is TEXT as well: give one of them")
    if output is not None and not texts and input_ is None and sys.stdin.isatty():
        raise UsageError("--output: the prompt needs the terminal: give TEXT, --input or a pipe")
    if view.attention and view.format == "tsv":
        raise UsageError("--attention: tsv has no column for it: --format json has, and --attention FILE draws it")
    for number, text in enumerate(texts, start=1):
        check_utf8(f"TEXT {number}", text)
