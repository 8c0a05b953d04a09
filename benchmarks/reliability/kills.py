"""Kill trainings at random moments, resume each until it ends, and compare it with one that was never killed.

    python -m benchmarks.reliability.kills --kills 50

A tiny model saves a checkpoint after every update, so that many kills hit a save; half of the kills wait for one. The
trainings are commands of s2s, in processes forked from one that has imported everything, so that they start fast.
"""

import contextlib
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks import parser_of
from benchmarks.reliability.forks import SCRATCH, Fork, prepare_arguments, train_arguments
from seq2seq_cli.compute.process import prepare_environment
from seq2seq_cli.files.writing import is_unfinished

CORPUS = ("--set=data.limit=400", "--set=data.valid_sources=20", "--set=data.test_sources=20")
TRAINING = (
    *("--config=luong_general", "--overwrite", "--set=training.epochs=6", "--set=training.keep=2"),
    "--set=training.save_minutes=1e-9",
    "--set=training.max_minutes=null",  # with a limit, the clock decides which epochs are validated
)
CLOCK = {"seconds", "validated_seconds", "validation_seconds", "tokens_per_second", "metrics_bytes"}
"""Keys in which two equal trainings differ: times, and the length of the file that records them."""
PART = 6
"""A kill by the clock comes after 1/PART of a training's time on average."""


@dataclass(kw_only=True)
class Trainings:
    """Trainings of one corpus in a folder of their own, killed and not."""

    folder: Path
    chance: random.Random
    kills: int = 0
    """Kills so far."""
    in_saves: int = 0
    """Kills that left a half-written file."""
    span: float = 0.0
    """Duration of a training that is not killed, in seconds."""

    def undisturbed(self) -> Path:
        """The run of a training that is not killed."""
        run = self.folder / "undisturbed"
        started = time.monotonic()
        self._train(run)
        self.span = time.monotonic() - started
        return run

    def killed(self, name: str, kills: int) -> Path:
        """The run of a training that is killed at most `kills` times and resumed until it ends."""
        run = self.folder / name
        while kills and self._train(run, self._until_due(run)):
            kills -= 1
        self._train(run)
        return run

    def _until_due(self, run: Path) -> Iterator[None]:
        """Yield again and again until it is time to kill: some seconds after the start, or in the middle of a save."""
        if self.chance.random() < 0.5:
            end = time.monotonic() + self.chance.uniform(0, 2 * self.span / PART)
            while time.monotonic() < end:
                time.sleep(0.001)
                yield
            return
        folder = self.chance.choice(["last", "last", "last", "best", "epochs"])
        saves = self.chance.randrange(25) if folder == "last" else 0  # before the one that is hit
        seen: set[str] = set()
        while len(seen) <= saves:
            time.sleep(1e-4)  # an unfinished file exists for about a millisecond
            with contextlib.suppress(OSError):  # there is no such folder yet
                seen.update(name for name in os.listdir(run / folder) if is_unfinished(Path(name)))  # noqa: PTH208  # the quickest
            yield

    def _train(self, run: Path, until_due: Iterator[None] | None = None) -> bool:
        """Start or resume a run until it ends, or is killed when `until_due` has ended; True when it was killed."""
        if (run / "last" / "training.pt").is_file():
            arguments = ["train", "--resume", "--out", str(run)]
        else:  # a run that was killed before its first save starts again
            arguments = train_arguments(self.folder / "prepared", run, *TRAINING)
        before = leftovers(run)
        if _run(arguments, self.folder, until_due):
            return False
        self.kills += 1
        self.in_saves += bool(leftovers(run) - before)
        return True


def leftovers(run: Path) -> set[Path]:
    """The files that were half-written when their process was killed."""
    return {path for path in run.rglob("*") if is_unfinished(path)}


def _run(arguments: Sequence[str], folder: Path, until_due: Iterator[None] | None = None) -> bool:
    """Run ``s2s``; True when it ended, False when it was killed. Raises RuntimeError when it failed."""
    fork = Fork.start(arguments, folder, folder / "log")
    code: int | None = None
    for _ in until_due or ():
        if (code := fork.poll()) is not None:
            break
    if until_due and code is None:
        fork.send(signal.SIGKILL)
    code = fork.wait() if code is None else code
    if code not in (0, -signal.SIGKILL):
        raise RuntimeError(f"s2s {' '.join(arguments)}: {fork.said().strip()}")
    return code == 0


def differences(run: Path, other: Path) -> list[str]:
    """The files in which two finished trainings differ by any bit, apart from times."""
    import torch  # not above: the environment is prepared first

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
    import torch  # as above

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
    (folder / SCRATCH).mkdir()
    _run(prepare_arguments(pairs, folder / "prepared", *CORPUS), folder)
    trainings = Trainings(folder=folder, chance=random.Random(seed))  # noqa: S311  # not for secrets
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
    parser = parser_of("reliability.kills", __doc__)
    parser.add_argument("--kills", type=int, default=50, help="number of kills; default 50")
    parser.add_argument("--seed", type=int, default=1, help="seed of the moments; default 1")
    parser.add_argument("--pairs", type=Path, default=Path("data/sample.txt"), help="pair file")
    options = parser.parse_args()
    prepare_environment()  # as s2s does, before anything here imports torch
    for module in ("seq2seq_cli.training.report", "seq2seq_cli.preparation.pipeline"):
        import_module(module)  # so that no fork has to
    with tempfile.TemporaryDirectory() as folder:
        equal = compare(Path(folder).resolve(), options.pairs.resolve(), kills=options.kills, seed=options.seed)
    sys.exit(0 if equal else 1)


if __name__ == "__main__":
    main()
