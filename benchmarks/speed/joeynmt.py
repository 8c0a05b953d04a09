"""The speed of JoeyNMT's training, read from its log."""

import re
import statistics
import subprocess
import time
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.joeynmt import JoeyNMT
from benchmarks.speed.training_round import Round, peak_memory

_SPEED = re.compile(r"Tokens per Sec: +(?P<rate>\d+)")


def joeynmt_round(peer: JoeyNMT, *, seconds: float) -> Round:
    """Train for `seconds` after the first line of the log, which is left out.

    Raises RuntimeError, with the last lines of the log, when the training ends by itself.
    """
    command = peer.command("train", "--skip-test")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    try:
        rates = speeds(process.stdout or ())
        next(rates)
        started, taken = time.perf_counter(), [next(rates)]
        while time.perf_counter() - started < seconds:
            taken.append(next(rates))
        peak = peak_memory(Path(f"/proc/{process.pid}/status"))
    finally:
        process.kill()
        process.communicate()
    rate = statistics.harmonic_mean(taken)  # each is of a part of the log with equally many tokens
    return Round(rate=rate, peak=peak, precision="fp32")


def speeds(lines: Iterable[str]) -> Iterator[int]:
    """Target tokens per second, one figure per line of the log; raises RuntimeError when it ends."""
    last: deque[str] = deque(maxlen=5)
    for line in lines:
        last.append(line)
        if found := _SPEED.search(line):
            yield int(found["rate"])
    raise RuntimeError("JoeyNMT ended by itself: " + "".join(last).strip())
