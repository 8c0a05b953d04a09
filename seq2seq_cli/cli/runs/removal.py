"""Removing runs, after a question."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from seq2seq_cli.cli.terminal.notices import tell
from seq2seq_cli.cli.terminal.tables import table_lines
from seq2seq_cli.errors import UsageError, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from seq2seq_cli.runs.listing import DamagedRun, Run


def remove(found: "Sequence[Run | DamagedRun]", *, asks: bool) -> None:
    """Remove runs, if the answer is yes; raises UsageError, before anything is removed, for one that must stay."""
    from seq2seq_cli.runs.output_folder import check_removable, remove_run

    found = list({run.path.resolve(): run for run in found}.values())
    for run in found:
        check_removable(run.path)
    if asks and not _is_wanted(found):
        tell("nothing is removed")
        return
    for run in found:
        stays = remove_run(run.path)
        but = f", but for {', '.join(stays[:3])}{', ...' * (len(stays) > 3)}, which s2s did not make" if stays else ""
        tell(f"{run.path}: removed{but}")
    for folder in dict.fromkeys(run.path.parent for run in found):
        _name_newest(folder)


def _is_wanted(found: "Sequence[Run | DamagedRun]") -> bool:
    """Whether the user answers yes; raises UsageError where nobody can be asked."""
    from rich.filesize import decimal

    from seq2seq_cli.runs.listing import size_on_disk

    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError("this is not a terminal, where you could be asked: --yes removes the runs without a question")
    rows = [(one_line(str(run.path)), decimal(size_on_disk(run.path)), run.state_in_words) for run in found]
    sys.stderr.writelines(f"{line}\n" for line in table_lines(["run", "size", "state"], rows))
    sys.stderr.write(f"Remove {'this run' if len(rows) == 1 else f'these {len(rows)} runs'}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _name_newest(folder: Path) -> None:
    """Name the newest run that is left in ``latest``, where it names one that is removed."""
    from seq2seq_cli.runs.finding import names_missing_run, replace_latest
    from seq2seq_cli.runs.layout import BEST, LATEST
    from seq2seq_cli.runs.listing import Run, list_runs

    latest = folder / LATEST.name
    if not names_missing_run(latest):
        return
    left = [run.path for run in list_runs(folder) if isinstance(run, Run) and (run.path / BEST).is_file()]
    replace_latest(latest, left[0] if left else None)
    if left:
        tell(f"{left[0]} is the newest run now: s2s translate uses it")
