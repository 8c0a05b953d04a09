"""Two to four commands side by side in one folder, at random: nothing of the user's and nothing saved may be lost.

    python -m benchmarks.reliability.schedules --schedules 1000

A schedule is a few rounds in a folder with pair files. In a round, commands that prepare, train, resume and translate
start at random moments; some are killed; meanwhile the user saves files among ours, copies runs, and removes folders.
After each round, every file that the user saved must be there, every prepared folder be whole, and every run hold what
it held before, or newer. A command whose folders nobody else touched in its round must end as the state of these
folders tells. At the end the next commands must work. A schedule follows from its number, apart from the moments.
"""

import argparse
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import parser_of
from benchmarks.reliability.forks import SCRATCH, Fork, first_lines, train_arguments, warm_up
from benchmarks.reliability.schedules.draws import Draws
from benchmarks.reliability.schedules.home import Command, Deed, Home

MOMENT = 0.002
"""Seconds between two looks at the processes."""


@dataclass(kw_only=True)
class Schedule:
    """One schedule, in a folder of its own."""

    home: Home
    draws: Draws
    messages: Counter[str]
    problems: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    """What happened, in order."""
    commands: int = 0
    """Commands so far."""

    def play(self, rounds: int) -> Sequence[str]:
        """Play the schedule; the problems found, with what happened before."""
        for _ in range(rounds):
            count = self.draws.chance.randint(2, 4)
            self._round([self.draws.command() for _ in range(count)], self.draws.deeds())
            if self.problems:
                break
        else:
            self._round(self.draws.last(), [])
        return [*self.told, *self.problems] if self.problems else []

    def _round(self, commands: list[Command], deeds: list[Deed]) -> None:
        """Run commands and deeds side by side to their end, then look at the folder."""
        self._run(sorted(commands, key=lambda command: command.starts), sorted(deeds, key=lambda deed: deed.at))
        self.commands += len(commands)
        self.told += [*(command.in_words for command in commands), *(f"the user {deed.words}" for deed in deeds)]
        for command in commands:
            others = [other for other in commands if other is not command]
            written = set[str]().union(*(other.writes for other in others), *(deed.writes for deed in deeds))
            read = set[str]().union(*(other.reads for other in others))
            alone = written.isdisjoint(command.writes | command.reads) and read.isdisjoint(command.writes)
            self.problems += self._told_badly(command, alone=alone)
        self.problems += self.home.lost(commands, deeds)

    def _run(self, commands: list[Command], deeds: list[Deed]) -> None:
        began = time.monotonic()
        waiting, running, to_do = list(commands), list[Command](), list(deeds)
        while waiting or running or to_do:
            now = time.monotonic() - began
            if waiting and waiting[0].starts <= now:
                command = waiting.pop(0)
                log = self.home.folder.with_name(f"log-{self.commands}-{len(waiting)}")
                command.fork = Fork.start(command.arguments, self.home.folder, log)
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


def play_all(folder: Path, pairs: Path, options: argparse.Namespace) -> bool:
    """Play schedules until so many are done or the time is over, and print the outcome; True when nothing is lost."""
    warm_up(folder / "warm", pairs)
    messages, commands, bad, number = Counter[str](), 0, 0, options.first
    span = _span(folder)
    ends = time.monotonic() + options.seconds
    while number < options.first + options.schedules and time.monotonic() < ends:
        home = folder / "schedules" / "here"
        (home / SCRATCH).mkdir(parents=True)
        shutil.copyfile(pairs, home / "pairs.txt")
        shutil.copytree(folder / "warm" / "prepared", home / "data" / "a")
        here = Home(folder=home, whole={"data/a"})
        chance = random.Random(number)  # noqa: S311  # not for secrets
        schedule = Schedule(home=here, draws=Draws(home=here, chance=chance, span=span), messages=messages)
        if problems := schedule.play(options.rounds):
            bad += 1
            print(f"schedule {number}:", *problems, sep="\n  ", flush=True)
        commands += schedule.commands
        shutil.rmtree(folder / "schedules")
        number += 1
    played = f"{number - options.first} schedules with {commands} commands"
    print(f"{played}: {bad or 'none'} of them lost something or went wrong")
    for message, count in messages.most_common():
        print(f"{count:6} {message}")
    return not bad


def _span(folder: Path) -> float:
    """The seconds that a run takes."""
    began = time.monotonic()
    fork = Fork.start(train_arguments(folder / "warm" / "prepared", folder / "span"), folder, folder / "log")
    if fork.wait():
        raise RuntimeError(fork.said())
    return time.monotonic() - began


def main() -> None:
    """Play, check and print; exit with 1 when something was lost."""
    parser = parser_of("reliability.schedules", __doc__)
    parser.add_argument("--schedules", type=int, default=1000, help="number of schedules; default 1000")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="time for them; default: no limit")
    parser.add_argument("--first", type=int, default=1, help="number of the first one; default 1")
    parser.add_argument("--rounds", type=int, default=2, help="rounds per schedule; default 2")
    parser.add_argument("--pairs", type=Path, default=Path("data/sample.txt"), help="pair file")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        nothing_lost = play_all(folder, first_lines(options.pairs, folder), options)
    sys.exit(0 if nothing_lost else 1)


if __name__ == "__main__":
    main()
