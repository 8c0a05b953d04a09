"""The words of the command line, before they are options and sentences."""

from typing import Any

from typing_extensions import override

from seq2seq_cli.cli.plain_command import PlainCommand
from seq2seq_cli.errors import InputError

ON_TERMINAL = "-"
"""The value of ``--attention`` without a file."""
_PICTURES = (".png", ".svg", ".json")
_OTHER_FILES = (".pdf", ".jpg", ".jpeg", ".gif", ".bmp", ".webp", ".eps", ".html", ".txt", ".csv", ".tsv", ".npy")
"""Endings of files in which attention cannot be drawn: such a word is refused, and not taken for a sentence."""


class TranslateCommand(PlainCommand):
    """A command whose option ``--attention`` may stand with and without a value."""

    @override
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_attention_values(args))


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
            words[i] = f"--attention={ON_TERMINAL}"
    return words


def check_utf8(place: str, text: str) -> None:
    """Raise InputError where the shell or the terminal handed over bytes that are not UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"{place}: character {error.start + 1} is not UTF-8: check the terminal") from None
