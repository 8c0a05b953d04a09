"""Waiting for what another process or thread does."""

import time
from collections.abc import Callable
from typing import Protocol


class Process(Protocol):
    """One that may end, of `subprocess` or of ``tests.forks``."""

    def poll(self) -> int | None:
        """The exit code; None while it runs."""
        ...

    def communicate(self) -> tuple[str | bytes, str | bytes]:
        """What it has written, once it has ended."""
        ...


def wait_until(condition: Callable[[], object], *, of: Process | None = None, seconds: float = 120) -> None:
    """Until the condition holds; the test fails where the process ends before, or where that takes too long."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert of is None or of.poll() is None, of.communicate()
        assert time.monotonic() < deadline, f"not after {seconds} seconds"
        time.sleep(0.01)
