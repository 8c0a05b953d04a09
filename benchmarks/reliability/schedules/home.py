"""The folder of a schedule, what happens there in a round, and what must be in it afterwards."""

import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from benchmarks.reliability.forks import Fork
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import S2SError
from seq2seq_cli.runs.checkpoint import load_checkpoint
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.writer import METRICS_BYTES

DATA = ("data/a", "data/b")
RUNS = ("runs/x", "runs/y", "models/z")
SAVED = "; saved in "
"""In the last line of a run that was stopped after it had saved."""


class Saved(NamedTuple):
    """What a run holds: the training that it is of, told by its seed, and its updates; None without a checkpoint."""

    seed: int
    step: int


@dataclass(kw_only=True)
class Command:
    """A command of a round."""

    arguments: Sequence[str]
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    replaces: bool = False
    """Whether what is in the folder that it writes may be replaced."""
    expected: set[int]
    """Its exit codes as far as nobody else touches its folders."""
    seed: int = 0
    starts: float = 0.0
    """Seconds after the start of the round."""
    kill: tuple[float, signal.Signals] | None = None
    """The seconds after its start and the signal that it is to get then."""
    sent: tuple[float, signal.Signals] | None = None
    """The same, once it has got it."""
    fork: Fork | None = None
    code: int | None = None

    @property
    def in_words(self) -> str:
        """The command without its settings."""
        words = (word for word in self.arguments if not word.startswith("--set="))
        killed = f", {self.sent[1].name} after {self.sent[0]:.2f} s" if self.sent else ""
        return f"s2s {' '.join(words)} (at {self.starts:.2f} s{killed}): {self.code}"


@dataclass(kw_only=True)
class Deed:
    """What the user does in a round, at a moment."""

    at: float
    words: str
    writes: set[str]
    do: Callable[[], None]


@dataclass(kw_only=True)
class Home:
    """The folder in which the commands run."""

    folder: Path
    mine: dict[str, bytes] = field(default_factory=dict)
    """The files of the user's, by their places."""
    saved: dict[str, Saved | None] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    """The prepared folders that are there."""
    damaged: set[str] = field(default_factory=set)
    """The runs that the user removed while a command wrote there, so that parts of them are left."""

    def lost(self, commands: Sequence[Command], deeds: Sequence[Deed]) -> Iterator[str]:
        """What is wrong in the folder after a round; what is there now is what the next round must keep."""
        yield from self._mine_lost(commands)
        for data in DATA:
            yield from self._corpus_lost(data, commands, deeds)
        for run in RUNS:
            yield from self._run_lost(run, commands, deeds)

    def corpus(self, data: str) -> PreparedCorpus:
        """A prepared folder; raises S2SError when it is damaged."""
        return PreparedCorpus.open(self.folder / data)

    def holds_run(self, run: str) -> bool:
        """Whether a folder holds a run."""
        return (self.folder / run / "config.yaml").is_file()

    def of_user(self, folder: str) -> bool:
        """Whether a folder holds a file of the user's."""
        return any(Path(place).is_relative_to(folder) for place in self.mine)

    def _mine_lost(self, commands: Sequence[Command]) -> Iterator[str]:
        for place, content in list(self.mine.items()):
            path = self.folder / place
            if any(place in command.writes and command.replaces for command in commands):
                del self.mine[place]  # replaced as asked
            elif not path.is_file() or path.read_bytes() != content:
                yield f"PROBLEM: the user's {place} is lost"

    def _corpus_lost(self, data: str, commands: Sequence[Command], deeds: Sequence[Deed]) -> Iterator[str]:
        """A prepared folder that was there is there, and is whole."""
        try:
            self.corpus(data).verify()
            there = True
        except S2SError as error:
            there = False
            removed = any(data in deed.writes and deed.words.startswith("removes") for deed in deeds)
            replaced = any(data in other.writes and other.replaces and (other.code or 0) < 0 for other in commands)
            if data in self.whole and not removed and not replaced:
                yield f"PROBLEM: {data} was prepared, and now: {error}"
        self.whole = self.whole | {data} if there else self.whole - {data}

    def _run_lost(self, run: str, commands: Sequence[Command], deeds: Sequence[Deed]) -> Iterator[str]:
        """A run holds what it held, or newer, unless it was to be replaced or removed."""
        touched = any(run in deed.writes and not deed.words.startswith("saves") for deed in deeds)
        before = self.saved.get(run)
        try:
            now = self._held(run)
            self.damaged.discard(run)
        except (S2SError, OSError) as error:
            now = None
            if not touched and run not in self.damaged:
                yield f"PROBLEM: {run} is damaged: {error}"
            self.damaged.add(run)
        trained = [command for command in commands if run in command.writes and command.seed]
        replaced = any(command.replaces and command.code != 2 for command in trained)
        if before and not touched and not replaced and (not now or now.seed != before.seed or now.step < before.step):
            yield f"PROBLEM: {run} held {before}, and now {now}"
        done = {
            command.seed for command in trained if command.code == 0 or (command.fork and SAVED in command.fork.said())
        }
        if done and not touched and (not now or (now.seed < min(done) and not replaced)):
            yield f"PROBLEM: {run} was saved with seeds {done}, and now holds {now}"
        self.saved[run] = now

    def _held(self, run: str) -> Saved | None:
        """What a run holds on the disk; raises S2SError where it is damaged."""
        folder = RunFolder(self.folder / run)
        if not folder.last_path.is_file():
            return None
        checkpoint = load_checkpoint(folder.last_path)
        if folder.best_path.is_file():
            folder.read_best()
        metrics = folder.path / "metrics.jsonl"
        if checkpoint[METRICS_BYTES] > (metrics.stat().st_size if metrics.exists() else 0):
            raise OSError(f"{metrics} is shorter than when the checkpoint was saved")
        return Saved(seed=folder.config().training.seed, step=checkpoint["progress"]["step"])
