"""Two processes that train one model, started by torchrun, against one process that has as many threads as both."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Figure, Goal, ratio
from benchmarks.models import DECODERS, prepared, settings
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.preparation.workers import usable_cores

PROCESSES = 2
# Without dropout, of which each process has its own, both trainings are the same to rounding.
_SETTINGS = (
    *settings(DECODERS[0]),
    "data.limit=20000",
    "model.encoder.dropout=0.0",
    "model.decoder.dropout=0.0",
    "training.epochs=2",
    "training.device=cpu",
    "training.precision=fp32",
)
_SET = [f"--set={setting}" for setting in _SETTINGS]
_LARGEST_DIFFERENCE = 1.0
"""Per cent of the loss."""


@dataclass(frozen=True, kw_only=True)
class Trained:
    """What the metrics of a run tell."""

    rate: float
    """Target tokens a second in the last epoch."""
    loss: float
    """Mean over the last epoch's target tokens, in nats."""


def measure_distributed(pairs: Path, *, rounds: int) -> list[Figure]:
    """Target tokens a second of one process and of two, in turn, and how far the losses of the last epoch differ.

    Raises RuntimeError when a training fails.
    """
    with prepared(pairs, load_config(None, _SETTINGS)) as corpus:
        trained = [tuple(_train(corpus.path, processes) for processes in (1, PROCESSES)) for _ in range(rounds)]
    one, two = (
        Figure(
            name=f"training, {processes} process{'es' if processes > 1 else ''}",
            unit="target tokens/s",
            values=[both[which].rate for both in trained],
        )
        for which, processes in enumerate((1, PROCESSES))
    )
    differences = [difference(alone.loss, together.loss) for alone, together in trained]
    goal = Goal(value=_LARGEST_DIFFERENCE, at_most=True)
    return [
        one,
        two,
        ratio(f"{PROCESSES} processes over 1", two, one),
        Figure(name="  difference of the losses", unit="%", values=differences, goal=goal),
    ]


def difference(one: float, other: float) -> float:
    """Of two values, in per cent of the first."""
    return 100 * abs(other - one) / one


def read_metrics(lines: Iterable[str]) -> Trained:
    """The last epoch of a metrics.jsonl; ValueError when it has less than two, RuntimeError when it took no time."""
    first, last = [record for record in map(json.loads, lines) if record["kind"] == "epoch"][-2:]
    seconds = last["seconds"] - first["seconds"]
    if not seconds:
        raise RuntimeError("an epoch is too short to be timed: measure with more pairs")
    return Trained(rate=(last["tokens"] - first["tokens"]) / seconds, loss=last["train_loss"])


def _train(corpus: Path, processes: int) -> Trained:
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        command = [*_program(processes), "train", "--data", str(corpus), "--out", str(run), *_SET]
        _run(command, threads=threads_each(processes, cores=usable_cores()))
        return read_metrics((run / "metrics.jsonl").read_text(encoding="utf-8").splitlines())


def _program(processes: int) -> list[str]:
    if processes == 1:
        return [sys.executable, "-m", "seq2seq_cli"]
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(processes)]
    return [*torchrun, "-m", "seq2seq_cli"]


def threads_each(processes: int, *, cores: int) -> int:
    """So many that there are as many in all with one process as with two; torchrun by itself gives each one."""
    return max(1, cores // PROCESSES) * (PROCESSES // processes)


def _run(command: Sequence[str], *, threads: int) -> None:
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[1:6])}: {done.stderr.strip()}")
