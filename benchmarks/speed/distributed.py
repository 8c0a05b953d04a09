"""Training with two processes, started by torchrun, compared with one process of as many threads in all."""

import os
import sys
import tempfile
from pathlib import Path

from benchmarks.figures import Figure, ratio
from benchmarks.models import DECODERS, prepared, settings
from benchmarks.processes import output_of
from seq2seq_cli.compute.threads import usable_cores
from seq2seq_cli.config.loader import load_config
from seq2seq_cli.runs.records import read_history

PROCESSES = 2
# Without dropout and sampled words, which each process draws for itself, both trainings do the same work.
_SETTINGS = (
    *settings(DECODERS[0]),
    *("data.limit=20000", "model.encoder.dropout=0.0", "model.decoder.dropout=0.0"),
    *("training.epochs=2", "training.max_minutes=null", "training.sampled_words=null"),
    *("training.device=cpu", "training.precision=fp32"),
)
_SET = [f"--set={setting}" for setting in _SETTINGS]


def measure_distributed(pairs: Path, *, rounds: int) -> list[Figure]:
    """Target tokens per second of one process and of two, in turn; raises RuntimeError when a training fails."""
    with prepared(pairs, load_config(None, _SETTINGS)) as corpus:
        rates = [[_rate(corpus.path, processes) for processes in (1, PROCESSES)] for _ in range(rounds)]
    one, two = (
        Figure(name=f"training, {name}", unit="target tokens/s", values=values)
        for name, values in zip(("1 process", f"{PROCESSES} processes"), zip(*rates, strict=True), strict=True)
    )
    return [one, two, ratio(f"{PROCESSES} processes over 1", two, one)]


def _rate(corpus: Path, processes: int) -> float:
    """Target tokens per second of the second epoch of two."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        command = [*_program(processes), "train", "--config=luong_general", "--data", str(corpus)]
        command += ["--out", str(run), *_SET]
        threads = threads_each(processes, cores=usable_cores())
        output_of(command, " ".join(command[1:6]), os.environ | {"OMP_NUM_THREADS": str(threads)})
        first, second = read_history(run).validations
    seconds = second.seconds - first.seconds
    if not seconds:
        raise RuntimeError("an epoch is too short to be timed: measure with more pairs")
    return (second.tokens - first.tokens) / seconds


def _program(processes: int) -> list[str]:
    if processes == 1:
        return [sys.executable, "-m", "seq2seq_cli"]
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", str(processes)]
    return [*torchrun, "-m", "seq2seq_cli"]


def threads_each(processes: int, *, cores: int) -> int:
    """Threads per process, so that one process has as many as two together; by default torchrun gives each one."""
    return max(1, cores // PROCESSES) * (PROCESSES // processes)
