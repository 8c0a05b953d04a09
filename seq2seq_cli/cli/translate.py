"""``s2s translate``: sentences in, translations out."""

import codecs
import contextlib
import itertools
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer
from typer.core import TyperCommand

from seq2seq_cli.config.choices import DeviceName
from seq2seq_cli.errors import InputError, UsageError

if TYPE_CHECKING:
    from seq2seq_cli.decoding.translator import Translation, Translator

PROMPT = "src> "

_TERMINAL = "-"
"""The value of ``--attention`` without a file."""
_PICTURES = (".png", ".svg", ".json")
_OTHER_FILES = (".pdf", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".eps", ".html", ".txt", ".csv", ".tsv", ".npy")
"""Endings of files that attention cannot be drawn in: refused, and not taken for a sentence."""


class TranslateCommand(TyperCommand):
    """Lets ``--attention`` stand with and without a file."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Give every ``--attention`` a value, then parse as ever."""
        return super().parse_args(ctx, with_attention_values(args))


def with_attention_values(args: list[str]) -> list[str]:
    """The arguments with ``--attention [FILE]`` as one word, ``--attention=FILE``, or ``--attention=-`` without FILE.

    ``--attention "she kissed him ."`` and ``--attention map.png`` look alike to a parser of options: the ending
    tells whether the next word is a file.
    """
    words = list(args)
    end = words.index("--") if "--" in words else len(words)
    for i in reversed(range(end)):
        if words[i] != "--attention":
            continue
        if i + 1 < end and words[i + 1].lower().endswith(_PICTURES + _OTHER_FILES):
            words[i : i + 2] = [f"--attention={words[i + 1]}"]
        else:
            words[i] = f"--attention={_TERMINAL}"
    return words


def translate(
    texts: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="Sentences; without any, a line of the pipe or the prompt is one."),
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", metavar="RUN", help="The run to translate with.", show_default="newest")
    ] = None,
    attention: Annotated[
        str | None,
        typer.Option(
            "--attention",
            metavar="[FILE]",
            help="Show where the model looked: as a table, or in FILE, whose name ends in .png, .svg or .json"
            " (a next word that ends otherwise is a sentence). Of several sentences, each has its own picture,"
            " FILE-1, FILE-2 and so on; at the prompt FILE shows the last one.",
        ),
    ] = None,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Print the words separated by spaces instead of plain text.")
    ] = False,
    device: Annotated[DeviceName, typer.Option("--device", help="Where to compute.")] = "auto",
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Override the config, such as decoding.batch_size=16."),
    ] = None,
) -> None:
    """Translate sentences with a trained run.

    They are arguments, the lines of a pipe, or what is typed at a prompt. N lines in are N lines out, in the same
    order; a blank line stays blank.
    """
    picture = None if attention in {None, _TERMINAL} else Path(str(attention))
    if picture is not None:
        from seq2seq_cli.plots.pictures import check_picture_path

        check_picture_path(picture)
    for number, text in enumerate(texts or [], start=1):
        _check_utf8(f"TEXT {number}", text)
    translator = _load(model, device, overrides or [])
    if attention is not None and not translator.model.decoder.attention.has_weights:
        raise UsageError("--attention: this model looks nowhere: its model.attention.score is none or fixed")
    output = _Output(tokens=tokens, table=attention == _TERMINAL, picture=picture)
    if texts:
        _answer(texts, translator, output)
    elif sys.stdin.isatty():
        for line in _typed():
            _answer([line], translator, output)
    else:
        output.show(translator.translate_stream(_lines(sys.stdin.buffer)))


def _load(model: Path | None, device: DeviceName, overrides: list[str]) -> "Translator":
    """The translator of a run, searching as the overrides say."""
    for override in overrides:
        if not override.startswith("decoding."):
            raise UsageError(f"--set {override}: only decoding.KEY=VALUE: the model is trained already")

    from seq2seq_cli.compute.device import choose_device
    from seq2seq_cli.config.loader import load_saved_config
    from seq2seq_cli.decoding.load import load_translator
    from seq2seq_cli.runs.folder import RunFolder

    run = RunFolder.find_model(model)
    config = load_saved_config(run.path / "config.yaml", overrides) if overrides else None
    return load_translator(run, choose_device(device), config)


def _answer(texts: list[str], translator: "Translator", output: "_Output") -> None:
    """Translate for somebody who is watching."""
    translations = translator.translate(texts)
    output.show(translations)
    output.report_unknown(translations)


@dataclass(frozen=True, kw_only=True)
class _Output:
    """Where translations go: stdout, and the file of a picture if one is wanted."""

    tokens: bool
    table: bool
    picture: Path | None
    reported: set[str] = field(default_factory=set)

    def show(self, translations: "Iterable[Translation]") -> None:
        """Print each translation as soon as it is there; write the picture when all are."""
        drawn = []
        for translation in translations:
            sys.stdout.write(self._text(translation))
            sys.stdout.flush()
            if self.picture is not None:
                drawn.append(translation)
        if self.picture is not None:
            from seq2seq_cli.plots.pictures import save_pictures

            for file in save_pictures(drawn, self.picture):
                sys.stderr.write(f"s2s: attention written to {file}\n")

    def report_unknown(self, translations: "Iterable[Translation]") -> None:
        """Name the words that the model does not know on stderr, each only once."""
        unknown = dict.fromkeys(word for translation in translations for word in translation.unknown)
        new = [word for word in unknown if word not in self.reported]
        if new:
            sys.stderr.write(f"s2s: not known: {' '.join(new)}\n")
            self.reported.update(new)

    def _text(self, translation: "Translation") -> str:
        from seq2seq_cli.text.vocabulary import EOS_UNIT

        text = translation.text
        if self.tokens:
            # An unknown word for which there was nothing to copy is an empty token.
            text = " ".join(token for token in translation.tgt_tokens if token not in {"", EOS_UNIT})
        table = _table(translation) if self.table else ""
        return f"{text}\n\n{table}\n\n" if table else f"{text}\n"


def _table(translation: "Translation") -> str:
    """The attention, as wide as the terminal and in characters that it has."""
    from seq2seq_cli.plots.heatmap import draw_heatmap

    encoding = sys.stdout.encoding
    if not sys.stdout.isatty():
        return draw_heatmap(translation, style="numbers", encoding=encoding)
    unicode = codecs.lookup(encoding).name == "utf-8"
    width = shutil.get_terminal_size().columns
    return draw_heatmap(translation, style="shades" if unicode else "numbers", width=width, encoding=encoding)


def _check_utf8(place: str, text: str) -> None:
    """Raise InputError where the shell or the terminal handed over bytes that are not UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"{place}: character {error.start + 1} is not UTF-8: check the terminal") from None


def _lines(stream: BinaryIO) -> Iterator[str]:
    """The lines of a pipe; InputError at the first that is not UTF-8."""
    for number, line in enumerate(stream, start=1):
        try:
            yield line.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            place = f"standard input:{number}:{error.start + 1}"
            wrong = f"byte 0x{line[error.start]:02x} is not UTF-8"
            raise InputError(f"{place}: {wrong}: convert the text to UTF-8 first") from None


def _typed() -> Iterator[str]:
    """What the user types at the prompt until Ctrl-D, without the blank lines."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - gives input() the arrow keys and a history
    # Python reads arguments in this way always, and what is typed only in some locales.
    sys.stdin.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
    for number in itertools.count(1):
        try:
            line = _ask()
        except KeyboardInterrupt:
            sys.stderr.write("\n")
            raise
        except EOFError:
            sys.stderr.write("\n")
            return
        _check_utf8(f"standard input:{number}", line)
        if line.strip():
            yield line


def _ask() -> str:
    if sys.stdout.isatty():
        return input(PROMPT)
    # Only translations go to a stdout that is a file.
    sys.stderr.write(PROMPT)
    sys.stderr.flush()
    return input()
