"""A command on a terminal: keys that are pressed, and what is shown."""

import io
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from seq2seq_cli.cli.terminal.safe_stream import guard_streams

CTRL_C, CTRL_D, UP = "\x03", "\x04", "\x1b[A"

_LONGEST_WAIT = 60.0
"""Seconds."""


class Terminal:
    """One end of a pseudo-terminal, at whose other end a command runs."""

    def __init__(self, descriptor: int, process: "subprocess.Popen[bytes]") -> None:
        self._descriptor = descriptor
        self._process = process
        self._unread = b""

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._descriptor, keys.encode())

    def hang_up(self) -> None:
        """Tell the command that the window of the terminal is closed."""
        self._process.send_signal(signal.SIGHUP)

    def read_to(self, end: str) -> str:
        """What is shown from the last call on, to the next `end`; raises AssertionError where that does not come."""
        while end.encode() not in self._unread:
            ready, _, _ = select.select([self._descriptor], [], [], _LONGEST_WAIT)
            shown = self._read() if ready else b""
            assert shown, f"{end!r} does not come after {self._unread.decode()!r}"
            self._unread += shown
        shown, _, self._unread = self._unread.partition(end.encode())
        return shown.decode().replace("\r\n", "\n") + end

    def wait(self) -> tuple[int, str]:
        """The exit code, and what is shown from the last call on to the end."""
        while shown := self._read():
            self._unread += shown
        return self._process.wait(_LONGEST_WAIT), self._unread.decode().replace("\r\n", "\n")

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, 4096)
        except OSError:  # Linux: the other end is closed
            return b""


@contextmanager
def on_terminal(command: Sequence[str], folder: Path, **environment: str) -> Iterator[Terminal]:
    """Run a command on a terminal of 24 lines and 80 columns, which is all that it has."""
    import pty
    import termios

    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 80))
    with subprocess.Popen(
        command, cwd=folder, env={**os.environ, **environment}, preexec_fn=partial(os.login_tty, theirs)
    ) as process:
        os.close(theirs)
        try:
            yield Terminal(ours, process)
        finally:
            process.kill()
            os.close(ours)


@contextmanager
def stderr_on_terminal(*, columns: int) -> Iterator[int]:
    """The other end of a terminal that is stderr in the block, of this process."""
    pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, columns))
    with os.fdopen(theirs, "w", encoding="utf-8") as stream, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TERM", "xterm")
        patch.setattr(sys, "stdout", io.StringIO())
        patch.setattr(sys, "stderr", stream)
        guard_streams()
        yield ours
    os.close(ours)


def read_shown(terminal: int) -> str:
    """What has been written since the last call; nothing is written while a test reads."""
    shown = b""
    while select.select([terminal], [], [], 0)[0]:
        shown += os.read(terminal, 65_536)
    return shown.decode().replace("\r\n", "\n")
