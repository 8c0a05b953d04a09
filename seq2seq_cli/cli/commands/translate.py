"""``s2s translate``: texts in, translations out.

A text goes from here to `Translator.translate_stream`; `Presenter.show` writes what comes back.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Literal, cast

import typer
from typing_extensions import override

from seq2seq_cli.cli.options import RUN_FORMS, Device, Overrides, Overwrite, Threads
from seq2seq_cli.cli.parsing import PlainCommand, before_dashes, check_utf8, is_file, loading
from seq2seq_cli.cli.terminal import progress_bar, tell
from seq2seq_cli.cli.translating.presenter import AttentionFile, Presenter, Translators
from seq2seq_cli.cli.translating.prompt import STDIN, Prompt
from seq2seq_cli.cli.translating.results import View, open_output
from seq2seq_cli.config.choices import LARGEST_BEAM, DeviceName
from seq2seq_cli.decoding.demands import Demands, read_glossary
from seq2seq_cli.decoding.lines import ByteStream, read_blocks
from seq2seq_cli.decoding.load import load
from seq2seq_cli.decoding.translation import Translation
from seq2seq_cli.errors import InputError, UsageError, one_line, unreadable

_ON_TERMINAL = "-"
"""The value of ``--attention`` without a file."""
_STANDARD_STREAM = Path("-")
"""The name of standard input as ``--input``, of standard output as ``--output``."""
_FILE = re.compile(r".*\.(png|svg|pdf|html?|json|jpe?g|gif|txt|csv|tsv)", re.IGNORECASE)
"""The name of a file: it is not taken for a sentence, but refused where it cannot hold attention."""


class TranslateCommand(PlainCommand):
    """A command whose option ``--attention`` may stand with and without a value."""

    @override
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_attention_values(args))


COMMAND_CLASS = TranslateCommand


def with_attention_values(args: list[str]) -> list[str]:
    """The arguments with ``--attention [FILE]`` as one word: ``--attention=FILE``, or ``--attention=-`` without FILE.

    The next word is FILE when it ends like the name of a file, and a sentence otherwise: ``--attention map.png``,
    ``--attention "she kissed him ."``.
    """
    words = list(args)
    end = len(before_dashes(words))
    for i in reversed(range(end)):
        if words[i] != "--attention":
            continue
        if i + 1 < end and _FILE.fullmatch(words[i + 1]):
            words[i : i + 2] = [f"--attention={words[i + 1]}"]
        else:
            words[i] = f"--attention={_ON_TERMINAL}"
    return words


def translate(
    texts: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="Texts. Without any, each line of the pipe or at the prompt is one."),
    ] = None,
    model: Annotated[
        list[Path] | None,
        typer.Option(
            "--model",
            metavar="RUN",
            help=f"The run to translate with: {RUN_FORMS}; given more than once, the runs are compared: each"
            " translates every text.",
            show_default="newest",
        ),
    ] = None,
    ensemble: Annotated[
        bool,
        typer.Option(
            "--ensemble", help="Several runs translate together: the probability of a token is the mean of theirs."
        ),
    ] = False,
    input_: Annotated[
        Path | None,
        typer.Option("--input", "-i", metavar="FILE", help="Translate the lines of a file; -: of standard input."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write to FILE, which appears when it is complete; -: to standard output.",
        ),
    ] = None,
    overwrite: Overwrite = False,
    format_: Annotated[
        Literal["text", "json"],
        typer.Option("--format", help="text: a line per text; json: an object per line, with all that is known."),
    ] = "text",
    nbest: Annotated[
        int | None,
        typer.Option(
            "--nbest",
            min=1,
            max=LARGEST_BEAM,
            metavar="N",
            help="Show the N best translations of each text, best first: N lines of text each, or alternatives in"
            " json.",
            show_default="1",
        ),
    ] = None,
    score: Annotated[
        bool,
        typer.Option(
            "--score",
            help="Add the score, which is the mean log-probability per token (<eos> counted), and exp(score), from"
            " 0 to 1: two columns of text. json always has them.",
        ),
    ] = False,
    align: Annotated[
        bool,
        typer.Option(
            "--align",
            help="Add a column with the alignment: i-j links word i of the text to word j of the translation. Words"
            " are separated by white space and counted from 0. json always has it.",
        ),
    ] = False,
    prefix: Annotated[
        str,
        typer.Option("--prefix", metavar="TEXT", help="Begin each translation with these words.", show_default=False),
    ] = "",
    glossary: Annotated[
        Path | None,
        typer.Option(
            "--glossary",
            metavar="FILE",
            help="Translate terms as FILE says: a term, a tab and its translation per line; several lines of a term"
            " are alternatives.",
        ),
    ] = None,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Print the tokens separated by spaces instead of plain text.")
    ] = False,
    attention: Annotated[
        str | None,
        typer.Option(
            "--attention",
            metavar="[FILE]",
            help="Show the attention weights: as a table, or in FILE, whose name ends in .png, .svg, .pdf or"
            " .html (a next argument with another ending is a text). A picture has a row per sentence and a column"
            " per run; a .html is a page for a browser, with the searches as well. At the prompt FILE shows the last"
            " text.",
        ),
    ] = None,
    threads: Threads = None,
    device: Device = "auto",
    overrides: Overrides = None,
) -> None:
    """Translate texts with a trained run.

    The texts are arguments, the lines of a file or a pipe, or what is typed at a prompt. N lines in give N lines out,
    in the same order; a blank line stays blank.
    """
    texts, output = texts or [], None if output == _STANDARD_STREAM else output
    shows_table = attention == _ON_TERMINAL
    is_drawn = attention is not None and not shows_table
    file = AttentionFile(path=Path(attention or ""), overwrite=overwrite) if is_drawn else None
    _check(texts, input_, output, file)
    if ensemble and len(model or []) < 2:
        raise UsageError("--ensemble: needs several runs: give --model more than once")
    with open_output(output, overwrite=overwrite) as results:
        check_utf8("--prefix", prefix)
        demands = Demands(prefix=prefix, terms={} if glossary is None else read_glossary(glossary))
        with loading():
            translators = _translators(model or [], device, overrides or [], threads, together=ensemble)
        translators = translators.changed(lambda each: each.with_demands(demands))
        if attention is not None and not translators.have_attention:
            raise UsageError(
                "--attention: this model has no attention: its model.attention.score is none or fixed; leave"
                " --attention out, or name another run"
            )
        if file and file.is_page:
            translators = translators.changed(lambda each: each.with_traces())
        shown = nbest or max(each.options.n_best for each in translators.members)
        translators = translators.changed(lambda each: each.with_n_best(shown))
        view = View(format=format_, tokens=tokens, score=score, align=align, attention=shows_table, nbest=shown)
        presenter = Presenter(translators=translators, output=results, view=view, attention_file=file)
        _present(texts, input_, presenter)


def _check(texts: list[str], input_: Path | None, output: Path | None, file: AttentionFile | None) -> None:
    """Raise InputError for options that contradict each other and for texts that are not UTF-8."""
    if texts and input_ is not None:
        raise UsageError("--input: there is TEXT as well: give one of them")
    if output is not None and not texts and input_ is None and sys.stdin.isatty():
        raise UsageError("--output: the prompt needs the terminal: give TEXT, --input or a pipe")
    if file and output is not None and file.path.resolve() == output.resolve():
        raise UsageError(f"--attention: {one_line(str(file.path))} is the file of --output as well: name two files")
    for number, text in enumerate(texts, start=1):
        check_utf8(f"TEXT {number}", text)


def _translators(
    models: list[Path], device: DeviceName, overrides: list[str], threads: int | None, *, together: bool
) -> Translators:
    """The translators of the runs, which are compared or translate together; the newest run where none is named."""
    groups: list[Any] = models if models and not together else [models or None]
    loaded = [load(runs, device=device, overrides=overrides, threads=threads) for runs in groups]
    names = _names(models or [loaded[0].path])
    members = tuple(each.translator for each in loaded)
    return Translators(members=members, names=(" + ".join(names),) if together else names)


def _names(runs: list[Path]) -> tuple[str, ...]:
    """A name for each run: the name of its folder, or its path where two names are the same or a file is named."""
    folders = [path.resolve().name for path in runs]
    are_clear = len({*folders}) == len(folders) and not any(path.is_file() for path in runs)
    return tuple(map(one_line, folders if are_clear else map(str, runs)))


def _present(texts: list[str], input_: Path | None, presenter: Presenter) -> None:
    """Show the translations of the texts, else of a file, of what is typed at the prompt, or of the lines of a pipe."""
    if texts:
        if named := next(filter(is_file, texts), None):
            tell(f"{named} is a file: did you mean --input {quote(named)}?")
        presenter.show(presenter.translators.translate_stream(texts), "TEXT {}".format, name_unknown=True)
    elif input_ is not None and input_ != _STANDARD_STREAM:
        _present_file(input_, presenter)
    elif input_ is None and sys.stdin.isatty():
        Prompt(presenter=presenter).run()
    else:
        _present_lines(cast("ByteStream", sys.stdin.buffer), STDIN, presenter)


def _present_file(path: Path, presenter: Presenter) -> None:
    """Show the translation of each line of a file, and a bar on stderr where no translations come between.

    Raises InputError for a file that cannot be read, and as `_present_lines` does.
    """
    with _reading(str(path)):
        file = path.open("rb")
    with file:
        if not sys.stderr.isatty() or presenter.output.is_terminal or not path.is_file():
            _present_lines(file, str(path), presenter)
            return
        with _reading(str(path)):
            total = sum(block.count(b"\n") for block in iter(lambda: file.read(2**20), b""))
            file.seek(0)
        with progress_bar("translate", " lines") as show:
            _present_lines(file, str(path), presenter, lambda done: show(done, total))


def _present_lines(
    stream: ByteStream, name: str, presenter: Presenter, progress: Callable[[int], object] = lambda _: None
) -> None:
    """Show the translation of each line; `progress` gets the number of lines so far.

    Raises InputError for a line that cannot be read, once the lines before it are translated; `name` is the name of
    the stream in messages.
    """

    def place(number: int) -> str:
        return f"{name}:{number}"

    def blocks() -> Iterator[list[str]]:
        with _reading(name):
            yield from read_blocks(stream, place)

    def translations() -> Iterator[tuple[Translation, ...]]:
        done = 0
        for block in blocks():
            for of_line in presenter.translators.translate_stream(block):
                yield of_line
                done += 1
                progress(done)
            presenter.output.flush()

    presenter.show(translations(), place)


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Name what cannot be read."""
    try:
        yield
    except OSError as error:
        raise InputError(unreadable(name, error)) from None
