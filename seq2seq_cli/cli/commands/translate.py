"""``s2s translate``: texts in, translations out.

A text goes from here to `Translator.translate_stream`; `Presenter.show` writes what comes back. A document is taken
apart into texts, and written with their translations.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Annotated, Literal

import typer

from seq2seq_cli.cli.parsing import Device, Overrides, Overwrite, Threads, check_utf8, loading, option, run_option
from seq2seq_cli.cli.terminal import progress_bar, tell
from seq2seq_cli.cli.translating import OutputOptions, Presenter, open_output
from seq2seq_cli.config.choices import LARGEST_BEAM
from seq2seq_cli.decoding.demands import Demands, glossary_of
from seq2seq_cli.decoding.lines import LONGEST_LINE, read_blocks, read_lines
from seq2seq_cli.decoding.load import load
from seq2seq_cli.decoding.translation import Translation
from seq2seq_cli.documents.plain_text import TRANSLATED
from seq2seq_cli.errors import InputError, UsageError, command_line, how_to_install, one_line
from seq2seq_cli.files.reading import is_file
from seq2seq_cli.files.writing import check_output_path, write_output
from seq2seq_cli.text.languages import name_of

STDIN = "standard input"


def translate(
    texts: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="Texts, or a document. Else each line of a pipe or the prompt is a text."),
    ] = None,
    model: Annotated[
        list[Path] | None,
        run_option(
            "The run to translate with",
            "; given more than once, the runs translate together: the probability of a token is the mean of theirs",
        ),
    ] = None,
    input_: Annotated[Path | None, option("FILE", "Translate the lines of a file.", "--input", "-i")] = None,
    output: Annotated[
        Path | None, option("FILE", "Write to FILE, which appears when it is complete.", "--output", "-o")
    ] = None,
    overwrite: Overwrite = False,
    format_: Annotated[
        Literal["text", "json"],
        typer.Option("--format", help="text: a line per text; json: an object per line, with all that is known."),
    ] = "text",
    nbest: Annotated[
        int,
        option(
            "N",
            "Show the N best translations of each text, best first: N lines of text each, or alternatives in json.",
            min=1,
            max=LARGEST_BEAM,
        ),
    ] = 1,
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
    prefix: Annotated[str, option("TEXT", "Begin each translation with these words.")] = "",
    glossary: Annotated[
        Path | None,
        option(
            "FILE",
            "Translate terms as FILE says: a term, a tab or =, and its translation per line; several lines of a term"
            " are alternatives.",
        ),
    ] = None,
    attention: Annotated[
        bool, typer.Option("--attention", help="Show the attention weights: a table below each text, or in json.")
    ] = False,
    draw: Annotated[
        Path | None,
        option(
            "FILE",
            "Draw the attention weights as a .png, .svg or .pdf, or as an .html page for a browser, with the searches"
            " as well. At the prompt, FILE shows the last text.",
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
    texts = texts or []
    _check(texts, input_, output)
    named = [text for text in texts if Path(text).suffix.lower() in TRANSLATED]
    document = Path(texts[0]) if len(texts) == len(named) == 1 and is_file(texts[0]) else None
    if document:
        if output is None:
            raise UsageError(f"{document}: give the translated document a name: --output FILE{document.suffix}")
        if draw:
            raise UsageError("--draw: the attention of a document is not drawn: leave --draw out")
        check_output_path(output, content="this document", endings=[document.suffix.lower()], overwrite=overwrite)
    elif named and output and output.suffix.lower() in TRANSLATED:
        raise UsageError(f"{named[0]}: no such file, or not the only one: a command translates one document")
    elif output and len(texts) == 1 and is_file(texts[0]):
        cure = f"to translate its lines, give {command_line('--input', texts[0])}"
        raise UsageError(f"{texts[0]}: is a file, but not a document: {cure}")
    check_utf8({"--prefix": prefix})
    if draw and output and os.path.realpath(draw) == os.path.realpath(output):
        raise UsageError(f"--draw and --output: both are {output}: give two names")
    if draw:
        check_output_path(draw, content="attention", endings=(".png", ".svg", ".pdf", ".html"), overwrite=overwrite)
    with open_output(None if document else output, overwrite=overwrite) as results:
        terms = {} if glossary is None else glossary_of(read_lines(glossary), str(glossary))
        with loading():
            loaded = load(model or None, device=device, overrides=overrides or [], threads=threads)
        translator = loaded.uncorrected.with_demands(Demands(prefix=prefix, terms=terms))
        if (attention or draw) and not translator.engine.has_attention:
            given = "--draw" if draw else "--attention"
            raise UsageError(f"{given}: this model has no attention: leave {given} out, or name another run")
        presenter = Presenter(
            run=replace(loaded, uncorrected=translator.with_n_best(nbest)),
            name=" + ".join(one_line(path.resolve().name) for path in model or [loaded.path]),
            output=results,
            options=OutputOptions(format=format_, score=score, align=align, attention=attention, nbest=nbest),
            draw=draw,
            overwrite=overwrite,
        )
        if document and output:
            write_output(output, _translated(document, presenter), overwrite=overwrite)
        else:
            _present(texts, input_, presenter)


def _translated(path: Path, presenter: Presenter) -> bytes:
    """The translation of a document, told and warned of on stderr; raises InputError for one that cannot be read."""
    try:
        from seq2seq_cli.documents.open_document import open_document  # not above: an extra
    except ModuleNotFoundError as error:
        raise UsageError(f"{path}: needs the package {error.name}: {how_to_install('documents')}") from None
    translator, texts = presenter.run.translator, list[str]()
    draft = open_document(path, (translator.src_codec.config.language, translator.tgt_codec.config.language))
    tell(f"{path} is a document: its text is translated")
    with progress_bar("translate", " texts") as show:
        for translation in translator.translate_stream([slot.text for slot in draft.slots]):
            texts.append(translation.text)
            show(len(texts), len(draft.slots))
            presenter.warn_once(str(path), translation)
    return draft.written(texts)


def _check(texts: list[str], input_: Path | None, output: Path | None) -> None:
    """Raise InputError for options that contradict each other and for texts that are not UTF-8."""
    if texts and input_ is not None:
        raise UsageError("--input: there is TEXT as well: give one of them")
    if input_ is not None and input_.suffix.lower() in TRANSLATED and input_.is_file():
        raise UsageError(f"--input: {input_} is a document, not a file of lines: give it as TEXT, with --output")
    if output is not None and not texts and input_ is None and sys.stdin.isatty():
        raise UsageError("--output: the prompt needs the terminal: give TEXT, --input or a pipe")
    check_utf8({f"TEXT {number}": text for number, text in enumerate(texts, start=1)})


def _present(texts: list[str], input_: Path | None, presenter: Presenter) -> None:
    """Show the translations of the texts, else of a file, of what is typed at the prompt, or of the lines of a pipe."""
    if texts:
        if named := next(filter(is_file, texts), None):
            is_document = Path(named).suffix.lower() in TRANSLATED
            meant = "to translate it, alone and with --output" if is_document else command_line("--input", named)
            tell(f"{named} is a file: did you mean {meant}?")
        presenter.show(presenter.run.translator.translate_stream(texts), "TEXT {}".format, name_unknown=True)
    elif input_ is not None:
        presenter.show(_of_file(input_, presenter), lambda number: f"{input_}:{number}")
    elif sys.stdin.isatty():
        _ask(presenter)
    else:
        presenter.show(_of_pipe(presenter), lambda number: f"{STDIN}:{number}")


def _of_file(path: Path, presenter: Presenter) -> Iterator[Translation]:
    """The translation of each line of a file, and a bar on stderr where no translations come between."""
    translations = presenter.run.translator.translate_stream(read_lines(path))
    if not path.is_file() or presenter.output.isatty() or not sys.stderr.isatty():
        yield from translations
        return
    with path.open("rb") as file:  # not read_lines: a bad line is told when its turn comes
        total = sum(1 for _ in iter(partial(file.readline, LONGEST_LINE), b""))
    with progress_bar("translate", " lines") as show:
        for done, translation in enumerate(translations, start=1):
            yield translation
            show(done, total)


def _of_pipe(presenter: Presenter) -> Iterator[Translation]:
    """The translation of each line of standard input, at once where its writer waits for it."""
    for block in read_blocks(sys.stdin.buffer, STDIN):  # type: ignore[arg-type]  # a BufferedReader
        yield from presenter.run.translator.translate_stream(block)
        presenter.output.flush()


def _ask(presenter: Presenter) -> None:
    """Ask until Ctrl-D, ``quit`` or ``exit``; Ctrl-C clears the line, or ends the translation that is under way."""
    with suppress(ImportError):
        import readline  # noqa: F401  # gives input() the arrow keys, where it is installed
    # As Python reads arguments: bytes that are not UTF-8 become characters that check_utf8 finds.
    sys.stdin.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
    codecs = presenter.run.translator.src_codec, presenter.run.translator.tgt_codec
    direction = " -> ".join(one_line(name_of(codec.config.language)) for codec in codecs)
    sys.stderr.write(f"{direction}, {presenter.name}; Ctrl-D ends\n")
    for number in count(1):
        try:
            # Only translations go to a stdout that is a file.
            with redirect_stdout(sys.stdout if sys.stdout.isatty() else sys.stderr):
                line = input("src> ")
            if line.strip() in ("quit", "exit"):
                return
            check_utf8({f"{STDIN}:{number}": line})
            if line.strip():
                presenter.show(presenter.run.translator.translate_stream([line]), name_unknown=True)
        except EOFError:
            sys.stderr.write("\n")
            return
        except KeyboardInterrupt:
            sys.stderr.write("\nCtrl-D, quit or exit ends\n")
        except InputError as error:
            for problem in error.args:
                tell(f"error: {problem}")
