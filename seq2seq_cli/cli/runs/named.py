"""The runs that a command names."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from seq2seq_cli.cli.terminal.notices import warn
from seq2seq_cli.errors import ModelFileError, one_line

if TYPE_CHECKING:
    from seq2seq_cli.runs.listing import Run


def find(names: Sequence[str], folder: Path, *, least: int) -> "list[Run]":
    """The runs of these names, but the damaged ones, which a warning names.

    Raises ModelFileError when a name is that of no run, and when fewer than `least` are left.
    """
    from seq2seq_cli.runs.listing import DamagedRun, Run, find_runs

    found = find_runs(names, folder)
    damaged = [run.problem for run in found if isinstance(run, DamagedRun)]
    whole = [run for run in found if isinstance(run, Run)]
    if len(whole) < least and damaged:
        raise ModelFileError(*damaged)
    for problem in damaged:
        warn(f"{problem}: left out")
    return whole


def titles(found: "Sequence[Run]") -> list[str]:
    """The names of the runs; the path where two runs have the same name."""
    names = [run.path.resolve().name for run in found]
    return [one_line(name if names.count(name) == 1 else str(run.path)) for name, run in zip(names, found, strict=True)]
