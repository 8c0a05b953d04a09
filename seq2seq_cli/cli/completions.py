"""Completion at the Tab key: the shell runs ``s2s`` with a variable set, and shows the lines that it prints.

The scripts of ``s2s completion`` and the commands and options come from typer, the names of runs and configs from here.
"""

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from seq2seq_cli.errors import S2SError
from seq2seq_cli.runs.layout import CONFIG, RUNS

PROGRAM = "s2s"
COMPLETE = "_S2S_COMPLETE"
"""The variable, which names the shell."""
RUN_FORMS = "its name in runs/, its folder, its zip archive or one of its files of weights"
"""What stands for a run on the command line, as the help of the commands says it."""

_PLAIN = re.compile(r"[\w./@%+][\w./@%+-]*")
"""Names that no shell takes for anything else, as zsh evaluates what it is given, and that are no options. Others are
typed by hand."""
_UNSAFE = re.compile(r"[^\w ./,()%+-]")
"""Characters of a description that one might."""


def prepare_completion() -> None:
    """Make typer answer the shells, where one of them asks."""
    if COMPLETE in os.environ:
        from typer.completion import completion_init  # type: ignore[attr-defined]  # typer has only options for it

        completion_init()


def complete_run(incomplete: str) -> list[str]:
    """The names of the runs in ``runs/`` that begin so; where there are none, the shell completes paths."""
    return list(_begun(incomplete, (path.name for path in _runs())))


def complete_run_folder(incomplete: str) -> list[str]:
    """The same runs by their folders, for an option that takes no names."""
    return list(_begun(incomplete, (path.as_posix() for path in _runs())))


def complete_config(incomplete: str) -> list[tuple[str, str]]:
    """The names of the configs that begin so, each with its description."""
    from seq2seq_cli.config.catalog import list_configs

    with contextlib.suppress(S2SError, OSError):  # a damaged config: nothing is completed or reported
        entries = {entry.name: _UNSAFE.sub(" ", entry.description) for entry in list_configs()}
        return [(name, entries[name]) for name in _begun(incomplete, entries)]
    return []


def _runs() -> Iterator[Path]:
    for path in sorted(RUNS.glob("*")):
        with contextlib.suppress(OSError):  # no right to look into the folder
            if (path / CONFIG).is_file():
                yield path


def _begun(incomplete: str, names: Iterable[str]) -> Iterator[str]:
    return (name for name in names if name.startswith(incomplete) and _PLAIN.fullmatch(name))
