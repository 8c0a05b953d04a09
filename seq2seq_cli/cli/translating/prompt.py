"""The prompt: a text per line, and commands that begin with a colon."""

import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from seq2seq_cli.cli.translating.arguments import check_utf8
from seq2seq_cli.cli.translating.presenter import Presenter
from seq2seq_cli.cli.translating.streams import STDIN
from seq2seq_cli.errors import InputError, UsageError, one_line

if TYPE_CHECKING:
    from seq2seq_cli.decoding.translator import Translator

PROMPT = "src> "

_COMMAND = re.compile(r"\s*:([A-Za-z]+)(?:\s+(.*?))?\s*")
_HISTORY_LINES = 1000


@dataclass(kw_only=True)
class Prompt:
    """A conversation: a text is translated and shown, a command changes how."""

    presenter: Presenter
    _lines: int = 0
    _ended: bool = False

    def run(self) -> None:
        """Ask until Ctrl-D or ``:quit``; Ctrl-C clears the line, or ends the translation that is under way."""
        # As Python reads arguments: bytes that are not UTF-8 become characters that check_utf8 finds.
        sys.stdin.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
        with _history():
            while not self._ended:
                try:
                    self.answer(_ask())
                except EOFError:
                    sys.stderr.write("\n")
                    return
                except KeyboardInterrupt:
                    sys.stderr.write("\n")
                except InputError as error:
                    sys.stderr.writelines(f"s2s: error: {one_line(problem)}\n" for problem in error.lines())

    def answer(self, line: str) -> None:
        """Translate the line, or obey it; raises InputError for what cannot be translated or obeyed."""
        self._lines += 1
        place = f"{STDIN}:{self._lines}"
        check_utf8(place, line)
        if found := _COMMAND.fullmatch(line):
            name, value = found[1].lower(), found[2] or ""
            if name not in COMMANDS:
                raise UsageError(f":{name} is no command; these are: {' '.join(f':{known}' for known in COMMANDS)}")
            COMMANDS[name].run(self, value)
        elif line.strip():
            translations = self.presenter.translators.translate_stream([line], lambda _: place)
            self.presenter.show(translations, name_unknown=True)

    def set_attention(self, value: str) -> None:
        """Show the attention from now on, or no longer."""
        if value not in {"on", "off"}:
            raise UsageError(":attention needs on or off")
        if value == "on" and not self.presenter.translators.have_attention:
            raise UsageError(":attention on: this model has no attention")
        self.presenter.view = replace(self.presenter.view, attention=value == "on")

    def set_beam(self, value: str) -> None:
        """Search with another beam size; the model stays in memory."""
        beam_size = _positive("beam", value)
        if beam_size < self.presenter.view.nbest:
            raise UsageError(f":beam {value} is too small for :nbest {self.presenter.view.nbest}")
        self._change(lambda each: each.with_options(beam_size=beam_size))

    def set_nbest(self, value: str) -> None:
        """Show another number of translations."""
        nbest = _positive("nbest", value)
        self._change(lambda each: each.with_n_best(nbest))
        self.presenter.view = replace(self.presenter.view, nbest=nbest)

    def _change(self, change: "Callable[[Translator], Translator]") -> None:
        self.presenter.translators = self.presenter.translators.changed(change)

    def help(self, _value: str) -> None:
        """Say what the commands do."""
        sys.stderr.writelines(f":{f'{name} {command.value}':<18}{command.help}\n" for name, command in COMMANDS.items())

    def quit(self, _value: str) -> None:
        """End the conversation."""
        self._ended = True


class _Command(NamedTuple):
    value: str
    help: str
    run: Callable[[Prompt, str], None]


COMMANDS: Mapping[str, _Command] = {
    "attention": _Command("on|off", "show the attention weights below each translation", Prompt.set_attention),
    "beam": _Command("N", "hypotheses that the search keeps; 1 is greedy", Prompt.set_beam),
    "nbest": _Command("N", "translations per sentence", Prompt.set_nbest),
    "help": _Command("", "this list", Prompt.help),
    "quit": _Command("", "end; so does Ctrl-D", Prompt.quit),
}


def _positive(name: str, value: str) -> int:
    if not value.isdecimal() or int(value) < 1:
        raise UsageError(f":{name} needs a number from 1 on")
    return int(value)


def _ask() -> str:
    if sys.stdout.isatty():
        return input(PROMPT)
    # Only translations go to a stdout that is a file.
    sys.stderr.write(PROMPT)
    sys.stderr.flush()
    return input()


@contextlib.contextmanager
def _history() -> Iterator[None]:
    """Inside, input() has the arrow keys and the lines of earlier conversations, which are kept in a file of the user.

    Where there is no readline or the file cannot be used, without.
    """
    try:
        import readline

        file = _state_folder() / "history"
    except (ImportError, RuntimeError):  # no readline; no home
        yield
        return
    if not sys.stdout.isatty():
        yield  # input() does not use readline then
        return
    with contextlib.suppress(OSError):
        readline.read_history_file(file)
    readline.set_history_length(_HISTORY_LINES)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(file)


def _state_folder() -> Path:
    """The folder in which a program keeps its history: XDG Base Directory Specification 0.8."""
    folder = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (folder if folder.is_absolute() else Path.home() / ".local" / "state") / "s2s"
