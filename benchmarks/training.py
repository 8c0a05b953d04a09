"""Training speed and memory: s2s, the tutorials' loop and JoeyNMT take turns on the same pairs, sizes and threads."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from benchmarks.contender import DEFAULT, TUTORIAL, Round
from benchmarks.figures import Figure, Goal, ratio
from benchmarks.joeynmt import JoeyNMT
from benchmarks.models import DECODERS, default_config, measured_config, prepared
from seq2seq_cli.corpus.prepared import PreparedCorpus

JOEYNMT, LOOP = "JoeyNMT, input feeding", "the tutorials' loop"
_GOALS = {
    LOOP: dict(zip(DECODERS, (150.0, 90.0, 90.0), strict=True)),
    JOEYNMT: dict(zip(DECODERS, (10.0, 6.0, 6.0), strict=True)),
}
"""How many times the speed of each peer each decoder is to reach."""
_MOST_MEMORY = 1500.0
"""MB that training the default model may hold."""
_UNIT = "target tokens/s"

Contender = Callable[[], Round]
"""Trains for a round."""


def measure_training(pairs: Path, *, joeynmt: Path | None, seconds: float, rounds: int) -> list[Figure]:
    """Target tokens a second of s2s with each decoder and of its peers on the CPU; how many times the peers' ours are.

    Tokens are counted without padding and with the end of the sentence. `joeynmt` is its folder; None: without it.
    Raises RuntimeError when one of them fails.
    """
    with prepared(pairs, measured_config(DECODERS[0])) as corpus:
        contenders = {name: partial(run_round, corpus.path, name, seconds=seconds) for name in DECODERS}
        contenders[LOOP] = partial(run_round, corpus.path, TUTORIAL, seconds=seconds)
        if joeynmt:
            peer = JoeyNMT.set_up(
                joeynmt, corpus, measured_config("Luong, input feeding"), corpus.path.parent / "joeynmt"
            )
            contenders[JOEYNMT] = partial(peer.train, seconds=seconds)
        _announce(corpus)
        return compare(take_turns(contenders, rounds=rounds))


def measure_memory(pairs: Path, *, seconds: float, rounds: int) -> list[Figure]:
    """Most memory that training the default model holds, and how much of it comes in the second half of the time."""
    with prepared(pairs, default_config()) as corpus:
        seen = take_turns({DEFAULT: partial(run_round, corpus.path, DEFAULT, seconds=seconds)}, rounds=rounds)[DEFAULT]
    peaks = [one.peak for one in seen]
    growth = [one.peak - one.peak_halfway for one in seen]
    goal = Goal(value=_MOST_MEMORY, at_most=True)
    return [
        Figure(name="training the default model, memory", unit="MB", values=peaks, goal=goal),
        Figure(name="  of it since half of the time", unit="MB", values=growth),
    ]


def compare(seen: Mapping[str, Sequence[Round]]) -> list[Figure]:
    """The speed of each contender, the memory of ours, and how many times the peers' speed ours is."""
    speeds = {
        name: Figure(name=f"training, {name}", unit=_UNIT, values=[one.rate for one in rounds])
        for name, rounds in seen.items()
    }
    figures = list(speeds.values())
    for peer, goals in _GOALS.items():
        if peer in speeds:
            figures += [
                ratio(f"{name} over {peer}", speeds[name], speeds[peer], Goal(value=goal))
                for name, goal in goals.items()
            ]
    peaks = {name: [one.peak for one in rounds] for name, rounds in seen.items()}
    return figures + [Figure(name=f"training, {name}, memory", unit="MB", values=peaks[name]) for name in seen]


def take_turns(contenders: Mapping[str, Contender], *, rounds: int) -> dict[str, list[Round]]:
    """What each contender did in each round: in turns, so that what else the machine does meets all of them."""
    seen: dict[str, list[Round]] = {name: [] for name in contenders}
    for number in range(rounds):
        for name, train in contenders.items():
            one = train()
            seen[name].append(one)
            shown = f"{one.rate:,.0f} {_UNIT} in {one.precision}, {one.peak:,.0f} MB"
            print(f"round {number + 1}: {name}: {shown}", file=sys.stderr)
    return seen


def run_round(corpus: Path, name: str, *, seconds: float) -> Round:
    """A round in a process of its own; raises RuntimeError with its last words when it fails."""
    command = [sys.executable, "-m", "benchmarks.contender", str(corpus), name, "--seconds", str(seconds)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise RuntimeError(f"training, {name}: {done.stderr.strip()}")
    return Round(**json.loads(done.stdout.splitlines()[-1]))


def _announce(corpus: PreparedCorpus) -> None:
    size = len(corpus.tgt_codec.vocabulary)
    print(f"training on {len(corpus.split('train')):,} pairs, one vocabulary of {size:,}", file=sys.stderr)
