"""A command on a terminal: keys that are pressed, and what is shown."""

import io
import os
import select
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from seq2seq_cli.cli.terminal import guard_streams

CTRL_C, CTRL_D = "\x03", "\x04"

_LONGEST_WAIT = 60.0
"""Seconds."""
_LOST = 2.0
"""Seconds without an answer after which a signal is taken for lost."""


class Terminal:
    """One end of a pseudo-terminal, at whose other end a command runs."""

    def __init__(self, descriptor: int, process: "subprocess.Popen[bytes]") -> None:
        self._descriptor = descriptor
        self._is_open = True
        self._process = process
        self._unread = b""

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._descriptor, keys.encode())

    def interrupt_to(self, end: str) -> str:
        """Press Ctrl-C, and read as `read_to`; again after a while: Python may lose one between two of its waits."""
        self.press(CTRL_C)
        while end.encode() not in self._unread and not select.select([self._descriptor], [], [], _LOST)[0]:
            self.press(CTRL_C)
        return self.read_to(end)

    def close(self) -> None:
        """Close this end, if it is open."""
        if self._is_open:
            os.close(self._descriptor)
            self._is_open = False

    def read_to(self, end: str) -> str:
        """What is shown from the last call on, to the next `end`; raises AssertionError where that does not come."""
        while end.encode() not in self._unread:
            shown = self._read()
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
        """What is shown next; empty at the end, and after a long wait."""
        ready, _, _ = select.select([self._descriptor], [], [], _LONGEST_WAIT)
        try:
            return os.read(self._descriptor, 4096) if ready else b""
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
        terminal = Terminal(ours, process)
        try:
            yield terminal
        finally:
            process.kill()
            terminal.close()


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
