"""Stopping on request: after Ctrl-C or SIGTERM the running step is finished; a second signal ends at once."""

import signal
import threading
from types import FrameType

from seq2seq_cli.errors import exit_code_of_signal

EXIT_CODES = {number: exit_code_of_signal(number) for number in (signal.SIGINT, signal.SIGTERM)}


class StopRequest:
    """Inside the ``with`` block the first signal only sets `exit_code`, which the block checks."""

    def __init__(self) -> None:
        self.exit_code: int | None = None
        """The exit code of the program; None before any signal."""

    def __enter__(self) -> "StopRequest":
        # Python allows handlers in the main thread alone, which is also the one that signals interrupt.
        is_main = threading.current_thread() is threading.main_thread()
        self._before = {number: signal.signal(number, self._on_signal) for number in EXIT_CODES} if is_main else {}
        return self

    def __exit__(self, *_: object) -> None:
        self._put_back()

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.exit_code = EXIT_CODES[signal.Signals(number)]
        self._put_back()

    def _put_back(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
