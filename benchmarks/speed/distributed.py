"""Training with two processes, started by torchrun, compared with one process of as many threads in all."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Figure, Goal, ratio
from benchmarks.models import DECODERS, prepared, settings
from seq2seq_cli.compute.threads import usable_cores
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.runs.records import History, read_history

PROCESSES = 2
# Without dropout and sampled words, which each process draws for itself, both trainings are equal up to rounding.
_SETTINGS = (
    *settings(DECODERS[0]),
    "data.limit=20000",
    "model.encoder.dropout=0.0",
    "model.decoder.dropout=0.0",
    "training.epochs=2",
    "training.max_minutes=null",
    "training.sampled_words=null",
    "training.device=cpu",
    "training.precision=fp32",
)
_SET = [f"--set={setting}" for setting in _SETTINGS]
_LARGEST_DIFFERENCE = 1.0
"""Per cent of the loss."""


@dataclass(frozen=True, kw_only=True)
class Trained:
    """Speed and loss of the last epoch of a run."""

    rate: float
    """Target tokens per second."""
    loss: float
    """Mean negative log-likelihood of training, in nats per target token."""


def measure_distributed(pairs: Path, *, rounds: int) -> list[Figure]:
    """Target tokens per second of one process and of two, in turn, and the difference of their last training losses.

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
    """The difference of two values, in per cent of the first."""
    return 100 * abs(other - one) / one


def last_epoch(history: History) -> Trained:
    """Speed and loss of the last epoch.

    Raises ValueError for fewer than two epochs, RuntimeError when the last one is too short to be timed.
    """
    first, last = history.validations[-2:]
    seconds = last.seconds - first.seconds
    if not seconds or last.train_loss is None:
        raise RuntimeError("an epoch is too short to be timed: measure with more pairs")
    return Trained(rate=(last.tokens - first.tokens) / seconds, loss=last.train_loss)


def _train(corpus: Path, processes: int) -> Trained:
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        command = [*_program(processes), "train", "--config=luong_general", "--data", str(corpus)]
        command += ["--out", str(run), *_SET]
        _run(command, threads=threads_each(processes, cores=usable_cores()))
        return last_epoch(read_history(run))


def _program(processes: int) -> list[str]:
    if processes == 1:
        return [sys.executable, "-m", "seq2seq_cli"]
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(processes)]
    return [*torchrun, "-m", "seq2seq_cli"]


def threads_each(processes: int, *, cores: int) -> int:
    """Threads per process, so that one process has as many as two together; by default torchrun gives each one."""
    return max(1, cores // PROCESSES) * (PROCESSES // processes)


def _run(command: Sequence[str], *, threads: int) -> None:
    environment = os.environ | {"OMP_NUM_THREADS": str(threads)}
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[1:6])}: {done.stderr.strip()}")
