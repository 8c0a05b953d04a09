"""The prompt: a text per line."""

import contextlib
import sys
from itertools import count

from seq2seq_cli.cli.parsing import check_utf8
from seq2seq_cli.cli.terminal import tell_error
from seq2seq_cli.cli.translating.presenter import Presenter
from seq2seq_cli.errors import InputError, one_line
from seq2seq_cli.text.languages import name_of

STDIN = "standard input"
"""Its name in messages."""
_PROMPT = "src> "


def run_prompt(presenter: Presenter) -> None:
    """Ask until Ctrl-D, ``quit`` or ``exit``; Ctrl-C clears the line, or ends the translation that is under way."""
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  # gives input() the arrow keys, where it is installed
    # As Python reads arguments: bytes that are not UTF-8 become characters that check_utf8 finds.
    sys.stdin.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
    codecs = presenter.translator.src_codec, presenter.translator.tgt_codec
    direction = " -> ".join(one_line(name_of(codec.config.language)) for codec in codecs)
    sys.stderr.write(f"{direction}, {presenter.name}; Ctrl-D ends\n")
    for number in count(1):
        try:
            line = _typed_line()
            if line.strip() in ("quit", "exit"):
                return
            check_utf8(f"{STDIN}:{number}", line)
            if line.strip():
                presenter.show(presenter.translator.translate_stream([line]), name_unknown=True)
        except EOFError:
            sys.stderr.write("\n")
            return
        except KeyboardInterrupt:
            sys.stderr.write("\nCtrl-D, quit or exit ends\n")
        except InputError as error:
            for problem in error.lines():
                tell_error(problem)


def _typed_line() -> str:
    if sys.stdout.isatty():
        return input(_PROMPT)
    # Only translations go to a stdout that is a file.
    sys.stderr.write(_PROMPT)
    sys.stderr.flush()
    return input()
