"""The prompt: a text per line, and commands that begin with a colon."""

import contextlib
import re
import sys
from dataclasses import replace
from itertools import count

from seq2seq_cli.cli.parsing import check_utf8
from seq2seq_cli.cli.terminal import tell_error
from seq2seq_cli.cli.translating.presenter import Presenter
from seq2seq_cli.config.choices import LARGEST_BEAM
from seq2seq_cli.errors import InputError, UsageError, one_line
from seq2seq_cli.text.languages import name_of

STDIN = "standard input"
"""Its name in messages."""
_PROMPT = "src> "
_COMMAND = re.compile(r"\s*:([A-Za-z]+)\s*(\S*)\s*")
_COMMANDS = ":attention shows the attention weights, or no longer; :beam N searches with N hypotheses, 1 is greedy"


def run_prompt(presenter: Presenter) -> None:
    """Ask until Ctrl-D, ``quit`` or ``exit``; Ctrl-C clears the line, or ends the translation that is under way."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  # gives input() the arrow keys, where it is installed
    # As Python reads arguments: bytes that are not UTF-8 become characters that check_utf8 finds.
    sys.stdin.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
    codecs = presenter.translator.src_codec, presenter.translator.tgt_codec
    direction = " -> ".join(one_line(name_of(codec.config.language)) for codec in codecs)
    sys.stderr.write(f"{direction}, {presenter.name}; :help, Ctrl-D ends\n")
    for number in count(1):
        try:
            line = _typed_line()
            if line.strip() in ("quit", "exit"):
                return
            check_utf8(f"{STDIN}:{number}", line)
            _answer(line, presenter)
        except EOFError:
            sys.stderr.write("\n")
            return
        except KeyboardInterrupt:
            sys.stderr.write("\nCtrl-D, quit or exit ends\n")
        except InputError as error:
            for problem in error.lines():
                tell_error(problem)


def _answer(line: str, presenter: Presenter) -> None:
    """Translate the line, or obey it; raises InputError for what cannot be translated or obeyed."""
    command = _COMMAND.fullmatch(line)
    name, value = (command[1].lower(), command[2]) if command else ("", "")
    if command is None:
        if line.strip():
            presenter.show(presenter.translator.translate_stream([line]), name_unknown=True)
    elif name == "attention":
        if not presenter.translator.engine.has_attention:
            raise UsageError(":attention: this model has no attention")
        presenter.view = replace(presenter.view, attention=not presenter.view.attention)
    elif name == "beam":
        least = presenter.view.nbest
        if value not in map(str, range(least, LARGEST_BEAM + 1)):  # int() refuses thousands of digits
            raise UsageError(f":beam needs a number from {least} to {LARGEST_BEAM:,}")
        uncorrected = presenter.run.uncorrected.with_options(beam_size=int(value))
        presenter.run = replace(presenter.run, uncorrected=uncorrected)
    else:
        sys.stderr.write(f"{_COMMANDS}\n")


def _typed_line() -> str:
    if sys.stdout.isatty():
        return input(_PROMPT)
    # Only translations go to a stdout that is a file.
    sys.stderr.write(_PROMPT)
    sys.stderr.flush()
    return input()
