"""Commands of s2s in processes forked from one that has imported everything and used it once: they start at once.

It has no threads of Python's and no locks that a fork could inherit in a wrong state.
"""

import gc
import os
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from tqdm import tqdm

from seq2seq_cli.__main__ import main
from seq2seq_cli.cli.program import build_program
from seq2seq_cli.compute.process import prepare_environment

TINY = (
    *(f"model.{side}.{size}=4" for side in ("encoder", "decoder") for size in ("embedding_size", "hidden_size")),
    *("training.batch_size=16", "training.batch_unit=sentence", "training.device=cpu", "training.precision=fp32"),
    *("training.epochs=2", "training.keep=1"),
    "training.best_metric=loss",  # so that nearly every epoch is the best so far and is saved
)
"""Settings of a run that takes a fraction of a second."""

PREPARED = ("data.limit=60", "data.valid_sources=3", "data.test_sources=3")
"""Settings of its corpus."""

PAIRS = 80
"""Lines of its pair file, which suffice for both."""

SCRATCH = "tmp"
"""The temporary folder of the commands, in their working folder."""


@dataclass(frozen=True)
class Fork:
    """A command of s2s in a process of its own."""

    arguments: Sequence[str]
    pid: int
    log: Path
    """The file of all that it prints."""

    @classmethod
    def start(
        cls, arguments: Sequence[str], folder: Path, log: Path, *, before: Callable[[], object] = lambda: None
    ) -> "Fork":
        """Start a command in a working folder; its process calls `before` first."""
        pid = os.fork()
        if not pid:
            _become(arguments, folder, log, before)
        return cls(arguments, pid, log)

    def wait(self) -> int:
        """The exit code; for a process that was killed, minus the number of the signal."""
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)

    def poll(self) -> int | None:
        """The exit code, as `wait` gives it; None while the process runs."""
        found, status = os.waitpid(self.pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if found else None

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process, whose end was not waited for yet."""
        os.kill(self.pid, number)

    def said(self) -> str:
        """Everything that it has printed so far."""
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""


def first_lines(pairs: Path, folder: Path) -> Path:
    """A pair file in `folder` with the first lines of another."""
    few = folder / "pairs.txt"
    lines = pairs.read_text(encoding="utf-8").splitlines(keepends=True)
    few.write_text("".join(lines[:PAIRS]), encoding="utf-8")
    return few


def warm_up(folder: Path, pairs: Path) -> None:
    """Prepare, train and translate once in this process, in `folder`, so that no fork has to load what that needs."""
    prepare_environment()
    import seq2seq_cli  # torch reads the environment when it is imported

    program = build_program()
    for name in program.commands:
        program.get_command(None, name)  # imports its module
    seq2seq_cli.prepare(pairs, out=folder / "prepared", overrides=PREPARED)
    seq2seq_cli.train(data=folder / "prepared", out=folder / "run", overrides=TINY)
    seq2seq_cli.load(folder / "run").translate("a")
    gc.collect()
    gc.freeze()  # the collector of a fork need not look through it, which would copy it


def prepare_arguments(pairs: Path | str, out: Path | str, *more: str) -> list[str]:
    """The command that prepares a tiny corpus."""
    return ["prepare", str(pairs), "--out", str(out), *(f"--set={key}" for key in PREPARED), *more]


def train_arguments(data: Path | str, out: Path | str, *more: str) -> list[str]:
    """The command that trains a tiny model."""
    return ["train", "--data", str(data), "--out", str(out), *(f"--set={key}" for key in TINY), *more]


def _become(arguments: Sequence[str], folder: Path, log: Path, before: Callable[[], object]) -> NoReturn:
    """Make this process the command ``s2s``."""
    code = 1
    try:
        os.chdir(folder)
        os.environ["TMPDIR"], tempfile.tempdir = str(folder / SCRATCH), None
        # By default the bars of tqdm share a lock between processes, which a killed process would not release.
        tqdm.set_lock(threading.RLock())
        with log.open("wb") as printed, Path(os.devnull).open("rb") as nothing:
            os.dup2(nothing.fileno(), 0)
            os.dup2(printed.fileno(), 1)
            os.dup2(printed.fileno(), 2)
        sys.argv = ["s2s", *arguments]
        before()
        main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)
