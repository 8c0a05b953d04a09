"""Warnings on stderr, a line each: those of the commands, and what the library has logged or warned of."""

import contextlib
import logging
import sys
import warnings
from typing import Any

from typing_extensions import override

from seq2seq_cli.errors import one_line


def show_warnings() -> None:
    """From now on, write what nobody else handles to stderr: logged warnings, and those of Python's libraries."""
    logging.lastResort = _Lines(logging.WARNING)
    warnings.showwarning = _show


class _Lines(logging.Handler):
    """Writes each record as a line."""

    @override
    def emit(self, record: logging.LogRecord) -> None:
        warn(record.getMessage())


def _show(message: Warning | str, *_place: Any, **_options: Any) -> None:
    warn(str(message))


def warn(text: str) -> None:
    """Write a warning to stderr, as one line."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"s2s: warning: {one_line(text)}\n")
