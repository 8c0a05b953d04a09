"""The prompt: a text per line, and commands that begin with a colon."""

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from seq2seq_cli.cli.terminal.notices import tell_error
from seq2seq_cli.cli.translating.arguments import check_utf8, hint_at_options
from seq2seq_cli.cli.translating.greeting import greeting
from seq2seq_cli.cli.translating.history import half_typed, history
from seq2seq_cli.cli.translating.presenter import Presenter
from seq2seq_cli.cli.translating.streams import STDIN
from seq2seq_cli.config.choices import LARGEST_BEAM
from seq2seq_cli.errors import InputError, UsageError

if TYPE_CHECKING:
    from seq2seq_cli.cli.translating.translators import Translators
    from seq2seq_cli.decoding.translator import Translator

PROMPT = "src> "
_LAST_WORDS = ("quit", "exit")
_HOW_TO_END = "Ctrl-D, quit or exit ends"

_COMMAND = re.compile(r"\s*:([A-Za-z]+)(?:\s+(.*?))?\s*")


@dataclass(kw_only=True)
class Prompt:
    """A conversation: a text is translated and shown, a command changes how."""

    presenter: Presenter
    chosen: "Translators"
    """The translators without the wider beam that several translations of a text need."""
    _lines: int = 0
    _ended: bool = False

    def run(self) -> None:
        """Ask until Ctrl-D or ``quit``; Ctrl-C clears the line, or ends the translation that is under way."""
        # As Python reads arguments: bytes that are not UTF-8 become characters that check_utf8 finds.
        sys.stdin.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
        sys.stderr.write(f"{greeting(self.presenter.translators)}\n")
        with history():
            while not self._ended:
                line = self._ask()
                if line is None:
                    continue
                try:
                    self.answer(line)
                except KeyboardInterrupt:
                    sys.stderr.write("\n")
                except InputError as error:
                    for problem in error.lines():
                        tell_error(problem)

    def _ask(self) -> str | None:
        """The next line; None at Ctrl-D, which ends the conversation, and at Ctrl-C."""
        try:
            return _typed_line()
        except EOFError:
            sys.stderr.write("\n")
            self._ended = True
        except KeyboardInterrupt:
            sys.stderr.write("\n" if half_typed() else f"\n{_HOW_TO_END}\n")
        return None

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
        elif line.strip() in _LAST_WORDS:
            self._ended = True
        elif line.strip():
            hint_at_options([line.strip()])
            translations = self.presenter.translators.translate_stream([line])
            self.presenter.show(translations, name_unknown=True)

    def set_attention(self, value: str) -> None:
        """Show the attention from now on, or no longer."""
        if value not in {"on", "off"}:
            raise UsageError(":attention needs on or off")
        if value == "on" and not self.presenter.translators.have_attention:
            raise UsageError(":attention on: this model has no attention")
        if value == "on" and self.presenter.view.format == "tsv":
            raise UsageError(":attention on: the format tsv has no column for attention: --format json has")
        self.presenter.view = replace(self.presenter.view, attention=value == "on")

    def set_beam(self, value: str) -> None:
        """Search with another beam size; the model stays in memory."""
        beam_size = _size("beam", value)
        if beam_size < self.presenter.view.nbest:
            raise UsageError(f":beam {value} is too small for :nbest {self.presenter.view.nbest}")
        self._change(lambda each: each.with_options(beam_size=beam_size, n_best=1), self.presenter.view.nbest)

    def set_nbest(self, value: str) -> None:
        """Show another number of translations."""
        nbest = _size("nbest", value)
        self._change(lambda each: each.with_options(n_best=1), nbest)
        self.presenter.view = replace(self.presenter.view, nbest=nbest)

    def _change(self, change: "Callable[[Translator], Translator]", nbest: int) -> None:
        """Change what was chosen before; the beam is made wide enough for `nbest` translations while they are shown."""
        self.chosen = self.chosen.changed(change)
        self.presenter.translators = self.chosen.changed(lambda each: each.with_n_best(nbest))

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
    "quit": _Command("", "end; so do quit, exit and Ctrl-D", Prompt.quit),
}


def _size(name: str, value: str) -> int:
    if value not in map(str, range(1, LARGEST_BEAM + 1)):  # int() refuses thousands of digits
        raise UsageError(f":{name} needs a number from 1 to {LARGEST_BEAM:,}")
    return int(value)


def _typed_line() -> str:
    if sys.stdout.isatty():
        return input(PROMPT)
    # Only translations go to a stdout that is a file.
    sys.stderr.write(PROMPT)
    sys.stderr.flush()
    return input()
