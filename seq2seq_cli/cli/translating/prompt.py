"""The prompt: a text per line, and commands that begin with a colon."""

import contextlib
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from seq2seq_cli.cli.parsing import check_utf8
from seq2seq_cli.cli.terminal import tell_error
from seq2seq_cli.cli.translating.presenter import Presenter, Translators
from seq2seq_cli.config.choices import LARGEST_BEAM
from seq2seq_cli.errors import InputError, UsageError, one_line
from seq2seq_cli.text.languages import name_of

STDIN = "standard input"
"""Its name in messages."""
_PROMPT = "src> "
_LAST_WORDS = ("quit", "exit")
_HOW_TO_END = "Ctrl-D, quit or exit ends"

_COMMAND = re.compile(r"\s*:([A-Za-z]+)(?:\s+(.*?))?\s*")


@dataclass(kw_only=True)
class Prompt:
    """A conversation: a text is translated and shown, a command changes how."""

    presenter: Presenter
    _lines: int = 0
    _ended: bool = False

    def run(self) -> None:
        """Ask until Ctrl-D or ``quit``; Ctrl-C clears the line, or ends the translation that is under way."""
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  # gives input() the arrow keys, where it is installed
        # As Python reads arguments: bytes that are not UTF-8 become characters that check_utf8 finds.
        sys.stdin.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
        sys.stderr.write(f"{_greeting(self.presenter.translators)}\n")
        while not self._ended:
            try:
                self.answer(_typed_line())
            except EOFError:
                sys.stderr.write("\n")
                return
            except KeyboardInterrupt:
                sys.stderr.write(f"\n{_HOW_TO_END}\n")
            except InputError as error:
                for problem in error.lines():
                    tell_error(problem)

    def answer(self, line: str) -> None:
        """Translate the line, or obey it; raises InputError for what cannot be translated or obeyed."""
        self._lines += 1
        check_utf8(f"{STDIN}:{self._lines}", line)
        if found := _COMMAND.fullmatch(line):
            name, value = found[1].lower(), found[2] or ""
            if name not in _COMMANDS:
                raise UsageError(f":{name} is no command; these are: {' '.join(f':{known}' for known in _COMMANDS)}")
            _COMMANDS[name].run(self, value)
        elif line.strip() in _LAST_WORDS:
            self._ended = True
        elif line.strip():
            self.presenter.show(self.presenter.translators.translate_stream([line]), name_unknown=True)

    def set_attention(self, value: str) -> None:
        """Show the attention from now on, or no longer."""
        if value not in {"on", "off"}:
            raise UsageError(":attention needs on or off")
        if value == "on" and not self.presenter.translators.have_attention:
            raise UsageError(":attention on: this model has no attention")
        self.presenter.view = replace(self.presenter.view, attention=value == "on")

    def set_beam(self, value: str) -> None:
        """Search with another beam size; the model stays in memory."""
        if value not in map(str, range(1, LARGEST_BEAM + 1)):  # int() refuses thousands of digits
            raise UsageError(f":beam needs a number from 1 to {LARGEST_BEAM:,}")
        if int(value) < self.presenter.view.nbest:
            raise UsageError(f":beam {value} is too small for --nbest {self.presenter.view.nbest}")
        translators = self.presenter.translators
        self.presenter.translators = translators.changed(lambda each: each.with_options(beam_size=int(value)))

    def help(self, _value: str) -> None:
        """Say what the commands do."""
        for name, command in _COMMANDS.items():
            sys.stderr.write(f":{f'{name} {command.value}':<18}{command.help}\n")

    def quit(self, _value: str) -> None:
        """End the conversation."""
        self._ended = True


class _Command(NamedTuple):
    value: str
    help: str
    run: Callable[[Prompt, str], None]


_COMMANDS: Mapping[str, _Command] = {
    "attention": _Command("on|off", "show the attention weights below each translation", Prompt.set_attention),
    "beam": _Command("N", "hypotheses that the search keeps; 1 is greedy", Prompt.set_beam),
    "help": _Command("", "this list", Prompt.help),
    "quit": _Command("", "end; so do quit, exit and Ctrl-D", Prompt.quit),
}


def _greeting(translators: Translators) -> str:
    """A line: the languages, the runs, and how to get help and to end."""
    sides = [(each.src_codec, each.tgt_codec) for each in translators.members]
    directions = dict.fromkeys(
        " -> ".join(one_line(name_of(codec.config.language)) for codec in both) for both in sides
    )
    return f"{' and '.join(directions)}, {', '.join(translators.names)}; :help, Ctrl-D ends"


def _typed_line() -> str:
    if sys.stdout.isatty():
        return input(_PROMPT)
    # Only translations go to a stdout that is a file.
    sys.stderr.write(_PROMPT)
    sys.stderr.flush()
    return input()
