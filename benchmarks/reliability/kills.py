"""Kill trainings at random moments, resume each until it ends, and compare it with one that was never killed.

    python -m benchmarks.reliability.kills --kills 50

A tiny model saves a checkpoint after every update, so that many kills hit a save; half of the kills wait for one. The
trainings are commands of s2s, in processes forked from one that has imported everything, so that they start fast.
"""

import argparse
import json
import multiprocessing
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from tqdm import tqdm

from seq2seq_cli.compute.process import prepare_environment
from seq2seq_cli.files.writing import is_unfinished

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext

SETTINGS = (
    *("model.encoder.embedding_size=12", "model.encoder.hidden_size=6"),  # in each direction
    *("model.decoder.embedding_size=12", "model.decoder.hidden_size=12"),
    *("training.epochs=6", "training.batch_size=16", "training.batch_unit=sentence", "training.keep=2"),
    *("training.save_minutes=1e-9", "training.device=cpu", "training.precision=fp32"),
    "training.max_minutes=null",  # with a limit, the clock decides which epochs are validated
    "training.best_metric=loss",  # so that nearly every epoch is the best so far and is saved
)
PREPARED = ("data.limit=400", "data.valid_sources=20", "data.test_sources=20")
CLOCK = {"seconds", "validated_seconds", "validation_seconds", "tokens_per_second", "metrics_bytes"}
"""Keys in which two equal trainings differ: times, memory, and the length of the file that records them."""
PART = 6
"""A kill by the clock comes after 1/PART of a training's time on average."""


@dataclass(frozen=True, kw_only=True)
class Kill:
    """The moment at which a process is killed."""

    folder: str = ""
    """The folder of the run in which a save is awaited; empty: the clock alone decides."""
    saves: int = 0
    """Number of saves before the one that is hit."""
    seconds: float = 0.0
    """Seconds after the start."""


@dataclass(kw_only=True)
class Trainings:
    """Trainings of one corpus in a folder of their own, killed and not."""

    folder: Path
    prepared: Path
    chance: random.Random
    kills: int = 0
    """Kills so far."""
    in_saves: int = 0
    """Kills that left a half-written file."""
    span: float = field(default=0.0)
    """Duration of a training that is not killed, in seconds."""

    def undisturbed(self) -> Path:
        """The run of a training that is not killed."""
        run = self.folder / "undisturbed"
        started = time.monotonic()
        self._train(run, None)
        self.span = time.monotonic() - started
        return run

    def killed(self, name: str, kills: int) -> Path:
        """The run of a training that is killed at most `kills` times and resumed until it ends."""
        run = self.folder / name
        while kills and self._train(run, self._plan()):
            kills -= 1
        self._train(run, None)
        return run

    def _plan(self) -> Kill:
        if self.chance.random() < 0.5:
            return Kill(seconds=self.chance.uniform(0, 2 * self.span / PART))
        folder = self.chance.choice(["last", "last", "last", "best", "epochs"])
        return Kill(folder=folder, saves=self.chance.randrange(25) if folder == "last" else 0)

    def _train(self, run: Path, kill: Kill | None) -> bool:
        """Start or resume a run until it ends or is killed; True when it was killed."""
        if (run / "last" / "training.pt").is_file():
            arguments = ["train", "--resume", "--out", str(run)]
        else:
            settings = [f"--set={setting}" for setting in SETTINGS]
            # A run that was killed before its first save starts again.
            arguments = [
                "train",
                "--config=luong_general",
                "--data",
                str(self.prepared),
                "--out",
                str(run),
                "--overwrite",
            ]
            arguments += settings
        before = leftovers(run)
        if _run(arguments, self.folder / "log", kill, run):
            return False
        self.kills += 1
        self.in_saves += bool(leftovers(run) - before)
        return True


def leftovers(run: Path) -> set[Path]:
    """The files that were half-written when their process was killed."""
    return {path for path in run.rglob("*") if is_unfinished(path)}


@cache
def _forks() -> "ForkServerContext":
    """Not made where this is imported: Windows has none."""
    return multiprocessing.get_context("forkserver")


def _run(arguments: Sequence[str], log: Path, kill: Kill | None = None, run: Path = Path()) -> bool:
    """Run ``s2s``; True when it ended, False when it was killed. Raises RuntimeError when it failed."""
    process = _forks().Process(target=_s2s, args=(list(arguments), str(log)))
    process.start()
    if kill:
        for _ in _until_due(kill, run):
            if not process.is_alive():
                break
        process.kill()
    process.join()
    if process.exitcode and process.exitcode > 0:
        raise RuntimeError(f"s2s {' '.join(arguments)}: {log.read_text(encoding='utf-8').strip()}")
    return process.exitcode == 0


def _until_due(kill: Kill, run: Path) -> Iterator[None]:
    """Yield again and again until it is time to kill."""
    if not kill.folder:
        end = time.monotonic() + kill.seconds
        while time.monotonic() < end:
            time.sleep(0.001)
            yield
        return
    seen: set[str] = set()
    while len(seen) <= kill.saves:
        time.sleep(1e-4)  # an unfinished file exists for about a millisecond
        seen.update(_unfinished(run / kill.folder))
        yield


def _unfinished(folder: Path) -> list[str]:
    try:
        return [name for name in os.listdir(folder) if is_unfinished(Path(name))]  # noqa: PTH208  # the quickest way
    except OSError:
        return []


def _s2s(arguments: list[str], log: str) -> None:
    """The command s2s in a process of its own, which ends by ``sys.exit``."""
    from seq2seq_cli.cli.program import main

    # By default the bars of tqdm share a lock between processes, which a killed process would not release.
    tqdm.set_lock(threading.RLock())
    with Path(log).open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    sys.argv = ["s2s", *arguments]
    main()


def differences(run: Path, other: Path) -> list[str]:
    """The files in which two finished trainings differ by any bit, apart from times and memory."""
    found = [path.name for path in leftovers(run)]
    weights = [
        {path.relative_to(one): path.read_bytes() for path in one.rglob("*.safetensors")} for one in (run, other)
    ]
    found += [str(name) for name in sorted(set().union(*weights)) if weights[0].get(name) != weights[1].get(name)]
    last = [torch.load(one / "last" / "training.pt", weights_only=True) for one in (run, other)]
    if not _alike(*last):
        found.append("last/training.pt")
    metrics = [(one / "metrics.jsonl").read_text(encoding="utf-8").splitlines() for one in (run, other)]
    if not _alike(*([json.loads(line) for line in lines] for lines in metrics)):
        found.append("metrics.jsonl")
    return found


def _alike(ours: Any, theirs: Any) -> bool:
    """Whether two values are equal in all tensors and numbers, apart from the keys in `CLOCK`."""
    if type(ours) is not type(theirs):
        return False
    if isinstance(ours, torch.Tensor):
        return torch.equal(ours, theirs)
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(_alike(ours[key], theirs[key]) for key in ours.keys() - CLOCK)
    if isinstance(ours, list | tuple):
        return len(ours) == len(theirs) and all(map(_alike, ours, theirs))
    return bool(ours == theirs)


def compare(folder: Path, pairs: Path, *, kills: int, seed: int) -> bool:
    """Kill trainings `kills` times in all and print the outcomes; True when all end like the one never killed."""
    chance = random.Random(seed)  # noqa: S311  # not for secrets
    _run(
        ["prepare", str(pairs), "--out", str(folder / "prepared"), *(f"--set={key}" for key in PREPARED)],
        folder / "log",
    )
    trainings = Trainings(folder=folder, prepared=folder / "prepared", chance=chance)
    undisturbed, count, equal = trainings.undisturbed(), 0, True
    while trainings.kills < kills:
        count += 1
        before = trainings.kills
        run = trainings.killed(f"killed-{count}", kills - before)
        found = differences(run, undisturbed)
        equal = equal and not found
        outcome = f"differs in {', '.join(found)}" if found else "equal"
        print(f"training {count}: killed {trainings.kills - before} times: {outcome}", flush=True)
    print(
        f"{trainings.kills} kills, {trainings.in_saves} of them in the middle of a save:"
        f" {'every' if equal else 'not every'} resumed training is equal to the one that was never killed"
    )
    return equal


def main() -> None:
    """Kill, resume, compare and print; exit with 1 when a training ends differently from the one never killed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.reliability.kills",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--kills", type=int, default=50, help="number of kills; default 50")
    parser.add_argument("--seed", type=int, default=1, help="seed of the moments; default 1")
    parser.add_argument("--pairs", type=Path, default=Path("data/sample.txt"), help="pair file")
    options = parser.parse_args()
    prepare_environment()
    _forks().set_forkserver_preload(
        ["seq2seq_cli.cli.program", "seq2seq_cli.training.report", "seq2seq_cli.preparation.pipeline"]
    )
    with tempfile.TemporaryDirectory() as folder:
        equal = compare(Path(folder), options.pairs, kills=options.kills, seed=options.seed)
    sys.exit(0 if equal else 1)


if __name__ == "__main__":
    main()
