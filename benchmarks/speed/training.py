"""Training speed and memory: s2s, the tutorials' loop and JoeyNMT take turns on the same pairs, sizes and threads."""

import json
import re
import statistics
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from benchmarks.figures import Figure, Goal, ratio
from benchmarks.joeynmt import JoeyNMT
from benchmarks.models import DECODERS, default_config, measured_config, prepared
from benchmarks.processes import output_of
from benchmarks.speed.training_round import DEFAULT, TUTORIAL, Round, peak_memory

JOEYNMT, LOOP = "JoeyNMT, input feeding", "the tutorials' loop"
_GOALS = {
    LOOP: dict(zip(DECODERS, (150.0, 90.0, 90.0), strict=True)),
    JOEYNMT: dict(zip(DECODERS, (15.0, 10.0, 10.0), strict=True)),
}
"""The speed that each decoder is to reach, in multiples of each peer's."""
_MOST_MEMORY = 1500.0
"""Memory that training the default model may need, in MB."""
_UNIT = "target tokens/s"
_JOEYNMT_SPEED = re.compile(r"Tokens per Sec: +(?P<rate>\d+)")


def measure_training(pairs: Path, *, joeynmt: Path | None, seconds: float, rounds: int) -> list[Figure]:
    """Target tokens per second of s2s with each decoder and of its peers, on the CPU, and the ratios of the two.

    Tokens are counted with the end of the sentence, without padding. `joeynmt` is the folder of JoeyNMT; with None it
    is not measured. Raises RuntimeError when a run fails.
    """
    with prepared(pairs, measured_config(DECODERS[0])) as corpus:
        trainings = {name: partial(run_round, corpus.path, name, seconds=seconds) for name in DECODERS}
        trainings[LOOP] = partial(run_round, corpus.path, TUTORIAL, seconds=seconds)
        if joeynmt:
            peer = JoeyNMT.set_up(joeynmt, corpus, corpus.path.parent / "joeynmt")
            trainings[JOEYNMT] = partial(joeynmt_round, peer, seconds=seconds)
        size = len(corpus.codec("tgt").vocabulary)
        print(f"training on {len(corpus.split('train')):,} pairs, one vocabulary of {size:,}", file=sys.stderr)
        return compare(take_turns(trainings, rounds=rounds))


def measure_memory(pairs: Path, *, seconds: float, rounds: int) -> list[Figure]:
    """Largest memory of training the default model."""
    with prepared(pairs, default_config()) as corpus:
        training = partial(run_round, corpus.path, DEFAULT, seconds=seconds)
        peaks = [one.peak for one in take_turns({DEFAULT: training}, rounds=rounds)[DEFAULT]]
    goal = Goal(value=_MOST_MEMORY, at_most=True)
    return [Figure(name="training the default model, memory", unit="MB", values=peaks, goal=goal)]


def compare(measured: Mapping[str, Sequence[Round]]) -> list[Figure]:
    """Speed and memory of each run, and the ratios of our speeds to the peers' speeds."""
    speeds = {
        name: Figure(name=f"training, {name}", unit=_UNIT, values=[one.rate for one in rounds])
        for name, rounds in measured.items()
    }
    figures = list(speeds.values())
    for peer, goals in _GOALS.items():
        if peer in speeds:
            figures += [
                ratio(f"{name} over {peer}", speeds[name], speeds[peer], Goal(value=goal))
                for name, goal in goals.items()
            ]
    peaks = {name: [one.peak for one in rounds] for name, rounds in measured.items()}
    return figures + [Figure(name=f"training, {name}, memory", unit="MB", values=peaks[name]) for name in measured]


def take_turns(trainings: Mapping[str, Callable[[], Round]], *, rounds: int) -> dict[str, list[Round]]:
    """The rounds of each training, taken in turns, so that other load on the machine affects all of them."""
    done: dict[str, list[Round]] = {name: [] for name in trainings}
    for number in range(rounds):
        for name, train in trainings.items():
            one = train()
            done[name].append(one)
            shown = f"{one.rate:,.0f} {_UNIT} in {one.precision}, {one.peak:,.0f} MB"
            print(f"round {number + 1}: {name}: {shown}", file=sys.stderr)
    return done


def run_round(corpus: Path, name: str, *, seconds: float) -> Round:
    """A round in a process of its own; raises RuntimeError with its error output when it fails."""
    command = [sys.executable, "-m", "benchmarks.speed.training_round", str(corpus), name, "--seconds", str(seconds)]
    return Round(**json.loads(output_of(command, f"training, {name}").splitlines()[-1]))


def joeynmt_round(peer: JoeyNMT, *, seconds: float) -> Round:
    """Train for `seconds` after the first line of the log, which is left out.

    Raises RuntimeError, with the last lines of the log, when the training ends by itself.
    """
    command = peer.command("train", "--skip-test")
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    try:
        rates = joeynmt_speeds(process.stdout or ())
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


def joeynmt_speeds(lines: Iterable[str]) -> Iterator[int]:
    """Target tokens per second, one figure per line of the log; raises RuntimeError when it ends."""
    last: deque[str] = deque(maxlen=5)
    for line in lines:
        last.append(line)
        if found := _JOEYNMT_SPEED.search(line):
            yield int(found["rate"])
    raise RuntimeError("JoeyNMT ended by itself: " + "".join(last).strip())
