"""Stopping on request: Ctrl-C and SIGTERM let the running step finish; a second one quits at once."""

import signal
from types import FrameType, TracebackType

EXIT_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}


class StopRequest:
    """Inside the ``with`` block the first signal only sets `exit_code`; it is up to the block to look and stop."""

    def __init__(self) -> None:
        self.exit_code: int | None = None
        """What the program should exit with; None as long as nobody asked it to stop."""

    def __enter__(self) -> "StopRequest":
        self._before = {number: signal.signal(number, self._on_signal) for number in EXIT_CODES}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._put_back()

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        self.exit_code = EXIT_CODES[signal.Signals(number)]
        self._put_back()

    def _put_back(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
