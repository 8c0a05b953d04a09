"""``s2s translate``: sentences in, translations out."""

import codecs
import contextlib
import itertools
import shutil
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand
from typing_extensions import override

from seq2seq_cli.config.choices import DeviceName
from seq2seq_cli.errors import InputError, UsageError

if TYPE_CHECKING:
    from seq2seq_cli.decoding.translation import SentenceTranslation, Translation

PROMPT = "src> "

_STDIN = "standard input:{}"
"""The place of a line in messages."""
_TERMINAL = "-"
"""The value of ``--attention`` without a file."""
_PICTURES = (".png", ".svg", ".json")
_OTHER_FILES = (".pdf", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".eps", ".html", ".txt", ".csv", ".tsv", ".npy")
"""Endings of files in which attention cannot be drawn: such a word is refused, and not taken for a sentence."""


class TranslateCommand(TyperCommand):
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
        typer.Argument(metavar="TEXT", help="Sentences. Without any, each line of the pipe or at the prompt is one."),
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            metavar="RUN",
            help="The run to translate with, or one of its files of weights.",
            show_default="newest",
        ),
    ] = None,
    attention: Annotated[
        str | None,
        typer.Option(
            "--attention",
            metavar="[FILE]",
            help="Show the attention weights: as a table, or in FILE, whose name ends in .png, .svg or .json"
            " (a next word that ends otherwise is a sentence). Of several sentences, each has its own picture,"
            " map-1.png, map-2.png and so on (.json holds all); at the prompt FILE shows the last one.",
        ),
    ] = None,
    tokens: Annotated[
        bool, typer.Option("--tokens", help="Print the tokens separated by spaces instead of plain text.")
    ] = False,
    device: Annotated[DeviceName, typer.Option("--device", help="Where to compute.")] = "auto",
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Override a decoding key of the config, such as decoding.batch_size=16."
        ),
    ] = None,
) -> None:
    """Translate sentences with a trained run.

    The sentences are arguments, the lines of a pipe, or what is typed at a prompt. N lines in give N lines out, in the
    same order; a blank line stays blank.
    """
    picture = None if attention in {None, _TERMINAL} else Path(str(attention))
    if picture is not None:
        from seq2seq_cli.plots.attention_files import check_attention_path

        check_attention_path(picture)
    for number, text in enumerate(texts or [], start=1):
        _check_utf8(f"TEXT {number}", text)
    from seq2seq_cli.decoding.load import load

    translator = load(model, device=device, overrides=overrides or []).translator
    if attention is not None and not translator.engine.has_attention:
        raise UsageError("--attention: this model has no attention: its model.attention.score is none or fixed")
    output = _Output(tokens=tokens, table=attention == _TERMINAL, picture=picture)
    if texts:
        output.show(translator.translate_stream(texts, "TEXT {}"), name_unknown=True)
    elif sys.stdin.isatty():
        for place, line in _typed():
            output.show(translator.translate_stream([line], place), name_unknown=True)
    else:
        from seq2seq_cli.decoding.lines import read_lines

        lines = read_lines(sys.stdin.buffer, _STDIN)
        output.show(translator.translate_stream(lines, _STDIN), name_unknown=False)


@dataclass(frozen=True, kw_only=True)
class _Output:
    """Prints translations, and writes the picture of their attention if one is wanted."""

    tokens: bool
    table: bool
    picture: Path | None
    named: set[str] = field(default_factory=set)

    def show(self, translations: "Iterable[Translation]", *, name_unknown: bool) -> None:
        """Print each translation as soon as it is there; then write the picture, and name new unknown words."""
        drawn: list[SentenceTranslation] = []
        unknown: dict[str, None] = {}
        for translation in translations:
            sys.stdout.write(self._text(translation))
            sys.stdout.flush()
            if self.picture is not None:
                drawn.extend(translation.sentences)
            if name_unknown:
                unknown.update(dict.fromkeys(translation.unknown))
        if self.picture is not None:
            from seq2seq_cli.plots.attention_files import save_attention

            for file in save_attention(drawn, self.picture):
                sys.stderr.write(f"s2s: attention written to {file}\n")
        if new := [word for word in unknown if word not in self.named]:
            sys.stderr.write(f"s2s: not known: {' '.join(new)}\n")
            self.named.update(new)

    def _text(self, translation: "Translation") -> str:
        from seq2seq_cli.text.vocabulary import EOS_UNIT

        text = translation.text
        if self.tokens:
            # An unknown word for which there was nothing to copy is an empty token.
            tokens = [token for sentence in translation.sentences for token in sentence.tgt_tokens]
            text = " ".join(token for token in tokens if token not in {"", EOS_UNIT})
        table = "\n\n".join(map(_table, translation.sentences)) if self.table else ""
        return f"{text}\n\n{table}\n\n" if table else f"{text}\n"


def _table(translation: "SentenceTranslation") -> str:
    """The attention, on a terminal no wider than it and in characters that it has."""
    from seq2seq_cli.plots.attention_text import attention_table

    encoding = sys.stdout.encoding
    if not sys.stdout.isatty():
        return attention_table(translation, style="numbers", encoding=encoding)
    unicode = codecs.lookup(encoding).name == "utf-8"
    width = shutil.get_terminal_size().columns
    return attention_table(translation, style="shades" if unicode else "numbers", width=width, encoding=encoding)


def _check_utf8(place: str, text: str) -> None:
    """Raise InputError where the shell or the terminal handed over bytes that are not UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"{place}: character {error.start + 1} is not UTF-8: check the terminal") from None


def _typed() -> Iterator[tuple[str, str]]:
    """Each line that the user types at the prompt until Ctrl-D, after its place; blank lines are left out."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - gives input() the arrow keys and a history
    # As Python reads arguments: bytes that are not UTF-8 become characters that _check_utf8 finds.
    sys.stdin.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
    for place in map(_STDIN.format, itertools.count(1)):
        try:
            line = _ask()
        except (KeyboardInterrupt, EOFError) as end:
            sys.stderr.write("\n")
            if isinstance(end, KeyboardInterrupt):
                raise
            return
        _check_utf8(place, line)
        if line.strip():
            yield place, line


def _ask() -> str:
    if sys.stdout.isatty():
        return input(PROMPT)
    # Only translations go to a stdout that is a file.
    sys.stderr.write(PROMPT)
    sys.stderr.flush()
    return input()
