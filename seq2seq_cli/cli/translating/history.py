"""The lines that were typed at the prompt, on this day and on earlier ones."""

import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NoReturn

from seq2seq_cli.errors import exit_code_of_signal

_LINES = 1000
"""Lines that are kept."""


@contextlib.contextmanager
def history() -> Iterator[None]:
    """Inside, input() has the arrow keys and the lines of earlier conversations, which are kept in a file of the user.

    Where there is no readline or the file cannot be used, without.
    """
    try:
        import readline

        file = state_folder(sys.platform, os.environ) / "history"
    except (ImportError, RuntimeError):  # no readline; no home
        yield
        return
    if not sys.stdout.isatty():
        yield  # input() does not use readline then
        return
    with contextlib.suppress(OSError):
        readline.read_history_file(file)
    known = readline.get_current_history_length()
    readline.set_history_length(_LINES)
    if hasattr(signal, "SIGHUP"):  # Windows has none
        signal.signal(signal.SIGHUP, _end)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if file.exists() and hasattr(readline, "append_history_file"):  # that of another prompt stays
                readline.append_history_file(readline.get_current_history_length() - known, file)
            else:
                readline.write_history_file(file)


def _end(number: int, _frame: object) -> NoReturn:
    """End as a signal does that is not handled, but keep the lines: the window of the terminal was closed."""
    sys.exit(exit_code_of_signal(number))


def half_typed() -> str:
    """The line that was being typed when Ctrl-C was pressed, as far as readline knows it."""
    readline = sys.modules.get("readline")
    return readline.get_line_buffer() if readline else ""


def state_folder(platform: str, environment: Mapping[str, str]) -> Path:
    """The folder in which a program of the user keeps its history.

    That of the XDG Base Directory Specification 0.8; where XDG_STATE_HOME is not set, the one that Windows or macOS has
    for it. Raises RuntimeError for a user without a home.
    """
    folder = Path(environment.get("XDG_STATE_HOME", ""))
    if not folder.is_absolute():
        match platform:
            case "win32":
                folder = Path(environment.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
            case "darwin":
                folder = Path.home() / "Library" / "Application Support"
            case _:
                folder = Path.home() / ".local" / "state"
    return folder / "s2s"
