"""What ``s2s`` costs as a process: seconds and memory."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Figure

COLD_STARTS = 5
_BYTES_OF_MAXRSS = 1 if sys.platform == "darwin" else 1024
_MEGABYTE = 1e6


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What one run of a command took."""

    seconds: float
    """From start to end, by the clock on the wall."""
    peak: float
    """Most memory that its largest process held, in MB; its children count one by one."""


def measure_prepare(pairs: Path, *, rounds: int) -> list[Figure]:
    """``s2s prepare`` of a whole pair file, with the default options."""
    with tempfile.TemporaryDirectory() as folder:
        costs = [run_s2s("prepare", str(pairs), "--out", f"{folder}/{number}") for number in range(rounds)]
    return [
        Figure(name="s2s prepare", unit="s", values=[cost.seconds for cost in costs]),
        Figure(name="s2s prepare, largest process", unit="MB", values=[cost.peak for cost in costs]),
    ]


def measure_commands(run: Path | None) -> list[Figure]:
    """``s2s --help``, and ``s2s translate`` of one sentence where there is a run: a new process each time."""
    figures = [_seconds("s2s --help", lambda: run_s2s("--help"))]
    if run:
        command = ("translate", "--model", str(run), "She kissed him.")
        figures.append(_seconds("s2s translate, one sentence", lambda: run_s2s(*command)))
    return figures


def run_s2s(*arguments: str) -> Cost:
    """Run a command to its end; raises RuntimeError with its last words when it fails.

    The system counts the memory of this process, which the new one shares until it has started, as the new one's:
    measure before anything large, such as torch, is imported here.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "seq2seq_cli", *arguments], stdout=subprocess.DEVNULL, stderr=errors
        )
        # Unlike subprocess, wait4 tells what this process and its children used.
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            raise RuntimeError(f"s2s {' '.join(arguments)}: {errors.read().strip()}")
    return Cost(seconds=seconds, peak=usage.ru_maxrss * _BYTES_OF_MAXRSS / _MEGABYTE)


def _seconds(name: str, run: Callable[[], Cost]) -> Figure:
    run()  # so that all files are in the system's cache for every counted start
    return Figure(name=name, unit="s", values=[run().seconds for _ in range(COLD_STARTS)])
