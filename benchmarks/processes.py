"""Commands, each in a process of its own: what they print, and seconds and memory of those of ``s2s``."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

COLD_STARTS = 5
BYTES_OF_MAXRSS = 1 if sys.platform == "darwin" else 1024
_MEGABYTE = 1e6


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Time and memory of one run of a command."""

    seconds: float
    """Wall-clock time from start to end."""
    cpu: float
    """CPU time of all its processes, in seconds."""
    peak: float
    """Peak memory of its largest process, in MB."""


def output_of(command: Sequence[str | Path], name: str, environment: Mapping[str, str] | None = None) -> str:
    """What a command prints; raises RuntimeError with a name for it and its error output when it fails."""
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise RuntimeError(f"{name}: {done.stderr.strip()}")
    return done.stdout


def cold_start(*arguments: str) -> tuple[list[float], list[float]]:
    """Seconds and peak memory in MB of a command in a new process, several times, its files in the system's cache."""
    run_s2s(*arguments)
    costs = [run_s2s(*arguments) for _ in range(COLD_STARTS)]
    return [cost.seconds for cost in costs], [cost.peak for cost in costs]


def run_s2s(*arguments: str, stdin: BinaryIO | None = None) -> Cost:
    """Run a command to its end; raises RuntimeError with its error output when it fails.

    The system counts the memory of this process for the new one until it has started: measure before anything
    large, such as torch, is imported here.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        started = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "seq2seq_cli", *arguments], stdin=stdin, stdout=subprocess.DEVNULL, stderr=errors
        )
        # Unlike subprocess, wait4 reports the resources of this process and its children.
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            raise RuntimeError(f"s2s {' '.join(arguments)}: {errors.read().strip()}")
    cpu = usage.ru_utime + usage.ru_stime
    return Cost(seconds=seconds, cpu=cpu, peak=usage.ru_maxrss * BYTES_OF_MAXRSS / _MEGABYTE)
