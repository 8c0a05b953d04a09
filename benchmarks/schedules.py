"""Two to four commands side by side in one folder, at random: nothing of the user's and nothing saved may be lost.

    python -m benchmarks.schedules --schedules 1000

A schedule is a few rounds in a folder with pair files. In a round, commands that prepare, train, resume and translate
start at random moments; some are killed; meanwhile the user saves files among ours, copies runs, and removes folders.
After each round, every file that the user saved must be there, every prepared folder be whole, and every run hold what
it held before, or newer. A command whose folders nobody else touched in its round must end as the state of these
folders tells. At the end the next commands must work. A schedule follows from its number, apart from the moments.
"""

import argparse
import contextlib
import json
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from benchmarks.forks import SCRATCH, Fork, first_lines, prepare_arguments, train_arguments, warm_up
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.errors import S2SError
from seq2seq_cli.runs.checkpoint import load_checkpoint
from seq2seq_cli.runs.folder import METRICS_BYTES, RunFolder

DATA = ("data/a", "data/b")
RUNS = ("runs/x", "runs/y", "models/z")
PLACES = (
    *("data/a/notes.txt", "data/b/photo.jpg", "data/.a.mine.unfinished", "data/notes.txt"),
    *("runs/x/notes.txt", "runs/x/best/photo.jpg", "runs/y/last/notes.txt", "runs/.x.mine.unfinished"),
    *("models/z/epochs/mine.txt", "models/latest", "runs/latest", "map.json"),
)
"""The places where the user saves files."""
SAVED = "; saved in "
"""In the last line of a training that was stopped after it had saved."""
MOMENT = 0.002
"""Seconds between two looks at the processes."""


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
    expected: set[int] = field(default_factory=lambda: {0, 1, 2})
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
    def touches(self) -> set[str]:
        """The folders that it reads or writes."""
        return self.reads | self.writes

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
class Schedule:
    """One schedule, in a folder of its own."""

    folder: Path
    number: int
    span: float
    """The seconds that a training takes."""
    messages: Counter[str]
    problems: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    """What happened, in order."""
    mine: dict[str, bytes] = field(default_factory=dict)
    """The files of the user's, by their places."""
    saved: dict[str, Saved | None] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)
    """The prepared folders that are there."""
    damaged: set[str] = field(default_factory=set)
    """The runs that the user removed while a command wrote there, so that parts of them are left."""
    chance: random.Random = field(init=False)
    seeds: int = 0
    commands: int = 0
    """Commands so far."""

    def __post_init__(self) -> None:
        self.chance = random.Random(self.number)  # noqa: S311  # not for secrets

    def play(self, rounds: int) -> Sequence[str]:
        """Play the schedule; the problems found, with what happened before."""
        for _ in range(rounds):
            self._round([self._command() for _ in range(self.chance.randint(2, 4))], self._deeds())
            if self.problems:
                return self._report()
        self._round(self._last(), [])
        return self._report()

    def _report(self) -> Sequence[str]:
        return [*self.told, *self.problems] if self.problems else []

    def _command(self) -> Command:
        """A command drawn at random, with what it is expected to come to."""
        chance = self.chance
        command = chance.choices([self._prepare, self._train, self._resume, self._translate], [3, 5, 3, 1])[0]()
        command.starts = chance.uniform(0, self.span / 2)
        if chance.random() < 0.45:
            number = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGINT])
            command.kill = chance.uniform(0, 1.2 * self.span), number
        return command

    def _prepare(self) -> Command:
        out, limit, overwrite = self.chance.choice(DATA), self.chance.choice([60, 50]), self.chance.random() < 0.5
        more = [f"--set=data.limit={limit}", *(["--overwrite"] if overwrite else [])]
        folder = self.folder / out
        if not folder.exists():
            expected = {0}
        elif out not in self.whole:
            expected = {2} if self._of_user(out) else {0, 2}
        elif overwrite:
            expected = {2} if self._of_user(out) else {0}
        else:
            expected = {0, 2}
        return Command(
            arguments=prepare_arguments("pairs.txt", out, *more), writes={out}, replaces=overwrite, expected=expected
        )

    def _train(self) -> Command:
        out, data, overwrite = self.chance.choice(RUNS), self.chance.choice(DATA), self.chance.random() < 0.6
        self.seeds += 1
        more = [f"--seed={self.seeds}", *(["--overwrite"] if overwrite else [])]
        if data not in self.whole:
            expected = {2}
        elif self._holds_run(out):
            expected = {0} if overwrite else {2}
        else:
            expected = {2} if self._of_user(out) else {0}
        arguments = train_arguments(data, out, f"--set=training.epochs={self.chance.randint(1, 2)}", *more)
        return Command(
            arguments=arguments, reads={data}, writes={out}, replaces=overwrite, expected=expected, seed=self.seeds
        )

    def _resume(self) -> Command:
        return self._resume_run(self.chance.choice(RUNS))

    def _resume_run(self, out: str) -> Command:
        arguments = ["train", "--resume", "--out", out, f"--set=training.epochs={self.chance.randint(1, 3)}"]
        expected, reads = {2}, set()
        if self.saved.get(out):
            corpus = json.loads((self.folder / out / "corpus.json").read_bytes())
            reads = {corpus["folder"]}
            same = reads <= self.whole and self._corpus(corpus["folder"]).fingerprint == corpus["fingerprint"]
            expected = {0} if same else {2}
        return Command(arguments=arguments, reads=reads, writes={out}, expected=expected)

    def _translate(self) -> Command:
        run, overwrite = self.chance.choice(RUNS), self.chance.random() < 0.5
        arguments = ["translate", "--model", run, "--attention", "map.json", "she kissed him ."]
        there = (self.folder / run / "best" / "model.safetensors").is_file()
        taken = (self.folder / "map.json").exists() and not overwrite
        return Command(
            arguments=[*arguments, *(["--overwrite"] if overwrite else [])],
            reads={run},
            writes={"map.json"},
            replaces=overwrite,
            expected={0} if there and not taken else {2},
        )

    def _deeds(self) -> list[Deed]:
        kinds = self.chance.choices([self._save, self._remove, self._copy], [6, 1, 1], k=self.chance.randint(0, 3))
        return [kind(self.chance.uniform(0, 1.5 * self.span)) for kind in kinds]

    def _save(self, at: float) -> Deed:
        place, content = self.chance.choice(PLACES), b"mine: %d\n" % self.chance.randrange(10**9)
        path = self.folder / place

        def save() -> None:
            with contextlib.suppress(OSError):  # a folder that is renamed meanwhile
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
                self.mine[place] = content

        return Deed(at=at, words=f"saves {place}", writes=_touched(place), do=save)

    def _remove(self, at: float) -> Deed:
        place = self.chance.choice([*DATA, *RUNS])

        def remove() -> None:
            for kept in [kept for kept in self.mine if Path(kept).is_relative_to(place)]:
                del self.mine[kept]
            self.saved[place] = None
            self.whole.discard(place)
            shutil.rmtree(self.folder / place, ignore_errors=True)

        return Deed(at=at, words=f"removes {place}", writes={place}, do=remove)

    def _copy(self, at: float) -> Deed:
        source, target = self.chance.sample(RUNS, 2)

        def copy() -> None:
            if not (self.folder / target).exists():
                with contextlib.suppress(OSError, shutil.Error):  # files that a training renames meanwhile
                    shutil.copytree(self.folder / source, self.folder / target)
                for place in [place for place in self.mine if Path(place).is_relative_to(source)]:
                    copied = Path(target, Path(place).relative_to(source)).as_posix()
                    if (self.folder / copied).is_file():
                        self.mine[copied] = (self.folder / copied).read_bytes()

        return Deed(at=at, words=f"copies {source} to {target}", writes={target}, do=copy)

    def _last(self) -> list[Command]:
        """The next commands, which must work: one run is finished and one corpus prepared again."""
        run, data = self.chance.choice(RUNS), self.chance.choice(DATA)
        prepare = Command(
            arguments=prepare_arguments("pairs.txt", data, "--overwrite"),
            writes={data},
            replaces=True,
            expected={2} if self._of_user(data) else {0},
        )
        if not self.saved.get(run):
            return [prepare]
        resume = self._resume_run(run)
        return [resume] if resume.reads == {data} else [prepare, resume]

    def _round(self, commands: list[Command], deeds: list[Deed]) -> None:
        """Run commands and deeds side by side to their end, then look at the folder."""
        self._run(sorted(commands, key=lambda command: command.starts), sorted(deeds, key=lambda deed: deed.at))
        self.commands += len(commands)
        self.told += [*(command.in_words for command in commands), *(f"the user {deed.words}" for deed in deeds)]
        for command in commands:
            others = [other.touches for other in commands if other is not command] + [deed.writes for deed in deeds]
            writers = [other.writes for other in commands if other is not command] + [deed.writes for deed in deeds]
            alone = not command.writes & set().union(*others) and not command.reads & set().union(*writers)
            self.problems += self._told_badly(command, alone=alone)
        self._check_mine(commands)
        for data in DATA:
            self._check_prepared(data, commands, deeds)
        for run in RUNS:
            self._check_run(run, commands, deeds)

    def _run(self, commands: list[Command], deeds: list[Deed]) -> None:
        began = time.monotonic()
        waiting, running, to_do = list(commands), list[Command](), list(deeds)
        while waiting or running or to_do:
            now = time.monotonic() - began
            if waiting and waiting[0].starts <= now:
                command = waiting.pop(0)
                log = self.folder.with_name(f"log-{self.commands}-{len(waiting)}")
                command.fork = Fork.start(command.arguments, self.folder, log)
                running.append(command)
            if to_do and to_do[0].at <= now:
                to_do.pop(0).do()
            for command in list(running):
                assert command.fork  # noqa: S101  # it has started
                if command.kill and now - command.starts >= command.kill[0]:
                    command.fork.send(command.kill[1])
                    command.sent, command.kill = command.kill, None
                command.code = command.fork.poll()
                if command.code is not None:
                    running.remove(command)
            time.sleep(MOMENT)

    def _told_badly(self, command: Command, *, alone: bool) -> Iterator[str]:
        """What is wrong with the exit code and the last line of a command."""
        assert command.fork is not None  # noqa: S101  # it has ended
        assert command.code is not None  # noqa: S101
        said, code = command.fork.said(), command.code
        last = said.strip().rpartition("\n")[2]
        self.messages[f"{code}: {re.sub(r'[0-9]+', '*', last) if code > 0 else ''}"] += 1
        if "Traceback" in said:
            yield f"PROBLEM: {command.in_words}: a traceback:\n{said}"
        elif code in (1, 2) and len(re.findall("^s2s: error: ", said, flags=re.MULTILINE)) != 1:
            yield f"PROBLEM: {command.in_words}: no line of its error: {said}"
        elif alone and code not in command.expected | {130, -signal.SIGKILL, -signal.SIGINT}:
            yield f"PROBLEM: {command.in_words}: {command.expected} was expected: {last}"
        elif code not in (0, 1, 2, 130, -signal.SIGKILL, -signal.SIGINT):
            yield f"PROBLEM: {command.in_words}: ended with {code}: {last}"

    def _check_mine(self, commands: Sequence[Command]) -> None:
        for place, content in list(self.mine.items()):
            path = self.folder / place
            if any(place in command.writes and command.replaces for command in commands):
                del self.mine[place]  # replaced as asked
            elif not path.is_file() or path.read_bytes() != content:
                self.problems.append(f"PROBLEM: the user's {place} is lost")

    def _check_prepared(self, data: str, commands: Sequence[Command], deeds: Sequence[Deed]) -> None:
        """A prepared folder that was there is there, and is whole."""
        try:
            self._corpus(data).verify()
            there = True
        except S2SError as error:
            there = False
            removed = any(data in deed.writes and deed.words.startswith("removes") for deed in deeds)
            replaced = any(data in other.writes and other.replaces and (other.code or 0) < 0 for other in commands)
            if data in self.whole and not removed and not replaced:
                self.problems.append(f"PROBLEM: {data} was prepared, and now: {error}")
        self.whole = self.whole | {data} if there else self.whole - {data}

    def _check_run(self, run: str, commands: Sequence[Command], deeds: Sequence[Deed]) -> None:
        """A run holds what it held, or newer, unless it was to be replaced or removed."""
        touched = any(run in deed.writes and not deed.words.startswith("saves") for deed in deeds)
        before = self.saved.get(run)
        try:
            now = self._saved(run)
            self.damaged.discard(run)
        except (S2SError, OSError) as error:
            now = None
            if not touched and run not in self.damaged:
                self.problems.append(f"PROBLEM: {run} is damaged: {error}")
            self.damaged.add(run)
        trained = [command for command in commands if run in command.writes and command.seed]
        replaced = any(command.replaces and command.code != 2 for command in trained)
        if before and not touched and not replaced and (not now or now.seed != before.seed or now.step < before.step):
            self.problems.append(f"PROBLEM: {run} held {before}, and now {now}")
        done = {
            command.seed for command in trained if command.code == 0 or (command.fork and SAVED in command.fork.said())
        }
        if done and not touched and (not now or (now.seed < min(done) and not replaced)):
            self.problems.append(f"PROBLEM: {run} was saved with seeds {done}, and now holds {now}")
        self.saved[run] = now

    def _saved(self, run: str) -> Saved | None:
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

    def _corpus(self, data: str) -> PreparedCorpus:
        return PreparedCorpus.open(self.folder / data)

    def _holds_run(self, run: str) -> bool:
        return (self.folder / run / "config.yaml").is_file()

    def _of_user(self, folder: str) -> bool:
        """Whether a folder holds a file of the user's."""
        return any(Path(place).is_relative_to(folder) for place in self.mine)


def _touched(place: str) -> set[str]:
    """The folder of ours in which a place is, or the place itself."""
    return {next((folder for folder in (*DATA, *RUNS) if Path(place).is_relative_to(folder)), place)}


def play_all(folder: Path, pairs: Path, *, schedules: int, seconds: float, first: int, rounds: int) -> bool:
    """Play schedules until so many are done or the time is over, and print the outcome; True when nothing is lost."""
    warm_up(folder / "warm", pairs)
    messages, commands, bad, number = Counter[str](), 0, 0, first
    span = _span(folder)
    ends = time.monotonic() + seconds
    while number < first + schedules and time.monotonic() < ends:
        home = folder / "schedules" / "here"
        (home / SCRATCH).mkdir(parents=True)
        shutil.copyfile(pairs, home / "pairs.txt")
        shutil.copytree(folder / "warm" / "prepared", home / "data" / "a")
        schedule = Schedule(folder=home, number=number, span=span, messages=messages, whole={"data/a"})
        if problems := schedule.play(rounds):
            bad += 1
            print(f"schedule {number}:", *problems, sep="\n  ", flush=True)
        commands += schedule.commands
        shutil.rmtree(folder / "schedules")
        number += 1
    print(f"{number - first} schedules with {commands} commands: {bad or 'none'} of them lost something or went wrong")
    for message, count in messages.most_common():
        print(f"{count:6} {message}")
    return not bad


def _span(folder: Path) -> float:
    """The seconds that a training takes."""
    began = time.monotonic()
    fork = Fork.start(train_arguments(folder / "warm" / "prepared", folder / "span"), folder, folder / "log")
    if fork.wait():
        raise RuntimeError(fork.said())
    return time.monotonic() - began


def main() -> None:
    """Play, check and print; exit with 1 when something was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedules", type=int, default=1000, help="number of schedules; default 1000")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="time for them; default: no limit")
    parser.add_argument("--first", type=int, default=1, help="number of the first one; default 1")
    parser.add_argument("--rounds", type=int, default=2, help="rounds per schedule; default 2")
    parser.add_argument("--pairs", type=Path, default=Path("data/sample.txt"), help="pair file")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        pairs = first_lines(options.pairs, folder)
        nothing_lost = play_all(
            folder,
            pairs,
            schedules=options.schedules,
            seconds=options.seconds,
            first=options.first,
            rounds=options.rounds,
        )
    sys.exit(0 if nothing_lost else 1)


if __name__ == "__main__":
    main()
