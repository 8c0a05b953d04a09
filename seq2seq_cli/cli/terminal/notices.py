"""Notices, warnings and errors on stderr, a line each; what the library logs or warns of is a warning, too."""

import contextlib
import logging
import sys
import warnings
from typing import Any

from typing_extensions import override

from seq2seq_cli.errors import one_line

NOTICE = "s2s: "
WARNING = f"{NOTICE}warning: "
ERROR = f"{NOTICE}error: "
"""What these lines begin with."""


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


def tell(text: str) -> None:
    """Write a notice to stderr, as one line."""
    _write(NOTICE, text)


def warn(text: str) -> None:
    """Write a warning to stderr, as one line."""
    _write(WARNING, text)


def tell_error(problem: str) -> None:
    """Write an error to stderr, as one line."""
    _write(ERROR, problem)


def _write(beginning: str, text: str) -> None:
    with contextlib.suppress(OSError):
        sys.stderr.write(f"{beginning}{one_line(text)}\n")
