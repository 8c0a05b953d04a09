"""Many spoilt files of a format, each read by a command of s2s in a process that may die of it.

The processes are forked from one that has imported what the commands need, and has computed nothing. Each reads some
hundred files, so that what one command leaves in memory does not add up.
"""

import faulthandler
import json
import os
import random
import resource
import shlex
import shutil
import signal
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from tqdm import tqdm

from tests.forks import FORKS
from tests.fuzz.formats import WITHOUT_TORCH, Format, make_valid, seal
from tests.fuzz.oracle import Run, Verdict, judge

BATCH = 500
"""Files that one process reads."""
PATIENCE = 40
"""Wall-clock seconds after which a command is stopped; the machine may be busy."""
_ADDRESS_SPACE = 4 << 30
"""Bytes that a process may map beyond what it has mapped before."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One spoilt file and the command that reads it: the same for the same format, seed and number."""

    format: Format
    seed: int
    number: int

    def spoil(self, folder: Path) -> tuple[Path, str]:
        """Spoil a file in a folder with valid ones; returns its path there and the command that reads it.

        Case 0 of a format is a valid file itself, and the first command.
        """
        chance = random.Random(f"{self.format.name} {self.seed} {self.number}")  # noqa: S311  # not for secrets
        path = chance.choice(sorted(folder.glob(self.format.path)))
        command = chance.choice(self.format.commands) if self.number else self.format.commands[0]
        if self.number and chance.random() < 0.04 and not self.format.flows_in:
            _replace(chance, path, foreign=path.parent != folder)
        elif self.number and chance.random() < 0.04:
            others = [other for other in sorted(folder.rglob("*")) if other.is_file()]
            path.write_bytes(chance.choice(others).read_bytes())
        elif self.number:
            path.write_bytes(chance.choice(self.format.mutations)(chance, path.read_bytes()))
        if self.format.is_sealed and path.is_file() and chance.random() < 0.9:
            seal(folder)
        return path.relative_to(folder), command


def _replace(chance: random.Random, path: Path, *, foreign: bool) -> None:
    """Put something else in the place of a file, or nothing.

    In a folder that may be a stranger's it may wait or never end. A user who names such a file wants it read.
    """
    path.unlink()
    match chance.randrange(6 if foreign else 4):
        case 0:
            path.mkdir()
        case 5:
            os.mkfifo(path)
        case 1 | 2 | 4 as kind:
            path.symlink_to({1: path.name, 2: "/nowhere", 4: "/dev/zero"}[kind])


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A case and its verdict."""

    case: Case
    command: str
    path: Path
    """The spoilt file, in the folder of its case."""
    verdict: Verdict


class Campaign:
    """The places of a campaign."""

    def __init__(self, folder: Path, seed: int = 1) -> None:
        """`folder` holds the valid files, the folder in which the commands run, and their outputs."""
        self.valid, self.work, self.streams = (folder / name for name in ("valid", "work", "streams"))
        self.seed = seed

    def prepare(self) -> None:
        """Make the valid files; raises RuntimeError when a command fails."""
        for path in (self.valid, self.streams):
            path.mkdir(parents=True)
        process = FORKS.Process(target=_make_valid, args=(self,))
        process.start()
        process.join()
        if process.exitcode:
            said = (self.streams / "stderr").read_text(encoding="utf-8")
            raise RuntimeError(f"the valid files cannot be made: {said}")

    def outcomes(self, cases: Sequence[Case], run: Run | None = None) -> Generator[Outcome, None, None]:
        """The outcomes of some cases, in order; `run` reads the files in the place of s2s."""
        left = list(cases)
        while left:
            batch = left[:BATCH]
            ours, theirs = FORKS.Pipe(duplex=False)
            process = FORKS.Process(target=_work, args=(self, batch, theirs, run or s2s))
            process.start()
            theirs.close()
            try:
                for case in batch:
                    outcome = self._received(case, ours, process)
                    left.remove(case)
                    yield outcome
                    if outcome.verdict.is_last:
                        break
            except GeneratorExit:  # nobody asks for the other ones
                process.kill()
                raise
            finally:
                process.join()
                process.close()

    def _received(self, case: Case, pipe: Connection, process: Any) -> Outcome:
        """The outcome that a process tells, or how it died; raises RuntimeError when the file could not be spoilt."""
        told = []
        try:
            told += pipe.recv()
            verdict = pipe.recv()
        except EOFError:
            process.join()
            said = (self.streams / "stderr").read_text(encoding="utf-8", errors="replace")
            if not told:
                raise RuntimeError(f"{case} cannot be spoilt: {said}") from None
            verdict = Verdict(code=None, problem=_death(process.exitcode, said))
        path, command = told
        return Outcome(case=case, command=command, path=path, verdict=verdict)

    def keep(self, outcome: Outcome, kept: Path) -> Path:
        """Keep the folder of a failure, with what is needed to see it again; returns the folder."""
        case = outcome.case
        folder = kept / f"{case.format.name.replace(' ', '-').replace('/', '-')}-{case.number}"
        self.fill(folder, case.format)
        case.spoil(folder)
        facts = {"command": f"s2s {outcome.command}", "file": str(outcome.path), "seed": case.seed}
        (folder / "case.json").write_text(json.dumps({**facts, **asdict(outcome.verdict)}, indent=1), encoding="utf-8")
        return folder

    def fill(self, folder: Path, format_: Format) -> None:
        """Make a folder anew, with copies of the valid files that the commands of a format need."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for pattern in {Path(format_.path).parts[0], *format_.needs}:
            for top in self.valid.glob(pattern):
                shutil.copytree(top, folder / top.name) if top.is_dir() else shutil.copy2(top, folder)


def s2s(arguments: Sequence[str]) -> None:
    """The command s2s, which ends with SystemExit."""
    from seq2seq_cli.cli.program import main

    lacks_torch = arguments[0] == WITHOUT_TORCH.strip()
    sys.argv = ["s2s", *arguments[lacks_torch:]]
    torch = sys.modules["torch"]
    try:
        if lacks_torch:
            sys.modules["torch"] = None  # type: ignore[assignment]  # importing it fails
        main()
    finally:
        sys.modules["torch"] = torch


def _work(campaign: Campaign, cases: Sequence[Case], pipe: Connection, run: Run) -> None:
    """Judge some cases, and send for each first the spoilt file and the command, then the verdict."""
    _isolate(campaign)
    for case in cases:
        campaign.fill(campaign.work, case.format)
        os.chdir(campaign.work)
        path, command = case.spoil(campaign.work)
        pipe.send((path, command))
        given = path.read_bytes() if case.format.flows_in else b""
        faulthandler.dump_traceback_later(PATIENCE, exit=True, file=2)
        verdict = judge(run, shlex.split(command), given, campaign.streams)
        faulthandler.cancel_dump_traceback_later()
        pipe.send(verdict)
        if verdict.is_last:
            return


def _make_valid(campaign: Campaign) -> None:
    def run(arguments: Sequence[str]) -> None:
        if judge(s2s, arguments, b"", campaign.streams).code:
            sys.exit(1)

    _isolate(campaign)
    os.chdir(campaign.valid)
    make_valid(campaign.valid, run)


def _isolate(campaign: Campaign) -> None:
    """Limit what this process can do to the machine, and let it tell how it died."""
    # By default the bars of tqdm share a lock between processes, which a killed process would not release.
    tqdm.set_lock(threading.RLock())
    os.environ["TMPDIR"] = str(campaign.streams)
    for name in ("TORCHELASTIC_RUN_ID", "RANK"):
        os.environ.pop(name, None)
    with suppress(OSError, ValueError):  # not everywhere
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + _ADDRESS_SPACE,) * 2)
    faulthandler.enable(file=2)


def _death(code: int, said: str) -> str:
    """How a process died, and the lines of the package that it was in."""
    places = [line.strip() for line in said.splitlines() if "seq2seq_cli/" in line]
    how = signal.Signals(-code).name if code < 0 else f"no end in {PATIENCE} s" if "Timeout" in said else f"exit {code}"
    return f"{how} in {places[0]}" if places else how
