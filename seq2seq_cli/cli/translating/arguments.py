"""The words of the command line, before they are options and sentences."""

import re
from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import Any

from typer import TyperException
from typing_extensions import override

from seq2seq_cli.cli.plain_command import PlainCommand, before_dashes
from seq2seq_cli.cli.terminal.notices import tell
from seq2seq_cli.errors import InputError, ModelFileError, UsageError
from seq2seq_cli.runs.archive import is_archive
from seq2seq_cli.runs.finding import named_run
from seq2seq_cli.runs.layout import CONFIG

ON_TERMINAL = "-"
"""The value of ``--attention`` without a file."""
_FILES = (
    *(".png", ".svg", ".pdf", ".html", ".json"),
    *(".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".eps", ".htm", ".txt", ".csv", ".tsv", ".npy"),
)
"""Endings of files: such a word is not taken for a sentence, but refused where it cannot hold attention."""
_PATH = re.compile(r"[/\\]|\.[A-Za-z]\w{0,7}$")

STANDARD_STREAM = Path("-")
"""The name of standard input as ``--input``, of standard output as ``--output``."""


class TranslateCommand(PlainCommand):
    """A command whose option ``--attention`` may stand with and without a value."""

    @override
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, with_attention_values(args))
        except TyperException as error:
            options = tuple(f"{name}=" for parameter in self.params for name in parameter.opts)
            words = [word for word in before_dashes(args) if word.startswith("-") and " " in word]
            texts = [word for word in words if not word.startswith(options)]
            if not texts:
                raise
            message = error.format_message().rstrip(". ")
            hint = f"a text that begins with - stands after --: {ctx.command_path} -- '{texts[0]}'"
            raise UsageError(f"{message}: {hint}") from None


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
        if i + 1 < end and words[i + 1].lower().endswith(_FILES):
            words[i : i + 2] = [f"--attention={words[i + 1]}"]
        else:
            words[i] = f"--attention={ON_TERMINAL}"
    return words


def looks_like_path(text: str) -> bool:
    """Whether it is more likely the path of a file than a text: a word with a separator, or with an ending."""
    return not any(map(str.isspace, text)) and bool(_PATH.search(text))


def is_file(text: str) -> bool:
    """Whether there is a file of this name, or a pipe, such as /dev/fd/63."""
    try:
        return Path(text).exists() and not Path(text).is_dir()
    except (OSError, ValueError):  # too long for a name, or with a NUL
        return False


def hint_at_options(texts: Sequence[str]) -> None:
    """Say on stderr which option is meant, where one of the texts is the name of a run or of a file."""
    for kind, option, is_meant in (("run", "--model", _is_run), ("file", "--input", is_file)):
        if named := next(filter(is_meant, texts), None):
            tell(f"{named} is a {kind}: did you mean {option} {quote(named)}?")
            return


def _is_run(text: str) -> bool:
    """Whether a text is the name of a run in ``runs/``, or the path of a run folder or an archive."""
    try:
        path = named_run(Path(text))
        return bool(path.name) and ((path / CONFIG).is_file() or (is_archive(path) and path.is_file()))
    except (OSError, ValueError, ModelFileError):  # too long for a name, or with a NUL
        return False


def check_utf8(place: str, text: str) -> None:
    """Raise InputError where the shell or the terminal handed over bytes that are not UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"{place}: character {error.start + 1} is not UTF-8: check the terminal") from None
