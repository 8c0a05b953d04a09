"""The one place that keeps text from steering a terminal, whatever prints it."""

import sys
from collections.abc import Callable, Iterable
from typing import Any, TextIO, cast

from seq2seq_cli.errors import escape_steering


class _SafeStream:
    """A stream that escapes what would steer a terminal; all else is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.before_text: Callable[[], None] = lambda: None

    def write(self, text: str) -> int:
        self.before_text()
        self.stream.write(escape_steering(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        self.before_text()
        self.stream.writelines(map(escape_steering, lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def guard_streams() -> None:
    """Escape from now on what stdout shows on a terminal, and all of stderr, which often ends up in a log.

    A pipe or a file gets stdout as it is.
    """
    sys.stdout = for_terminal(sys.stdout)
    sys.stderr = cast("TextIO", _SafeStream(sys.stderr))


def for_terminal(stream: TextIO) -> TextIO:
    """The stream, which escapes if it is a terminal."""
    return cast("TextIO", _SafeStream(stream)) if stream.isatty() else stream


def call_before_text(function: Callable[[], None]) -> None:
    """Call a function, which removes a bar, before any text is written to stderr but that of the bar itself."""
    if isinstance(sys.stderr, _SafeStream):
        sys.stderr.before_text = function


def bar_stream() -> TextIO:
    """Stderr for a progress bar, which moves the cursor; its words must be our own."""
    return sys.stderr.stream if isinstance(sys.stderr, _SafeStream) else sys.stderr
