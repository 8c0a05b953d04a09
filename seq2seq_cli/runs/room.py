"""The place of a new run: whether a folder is free for it, and how a run that is there makes room."""

import shutil
from pathlib import Path

from seq2seq_cli.errors import UsageError
from seq2seq_cli.files import is_unfinished
from seq2seq_cli.runs.layout import BEST, CONFIG, CORPUS, LAST, LOCK, METRICS

# By the config a run is known: it is made first and removed last, so that one half made or removed is known too.
_OURS = ("codec", BEST.parent, LAST, "epochs", METRICS, "tensorboard", CORPUS, "README.md", CONFIG)


def check_name(path: Path, option: str) -> None:
    """Raise UsageError for a name that neither the run's JSON nor the library of its weights can hold."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(f"{option} {path}: the name is not UTF-8: give the folder another") from None


def check_room(path: Path, *, overwrite: bool) -> None:
    """Raise UsageError unless a new run can be made in `path`, be it with `overwrite` in the place of one there."""
    if not path.exists():
        return
    if not path.is_dir():
        raise UsageError(f"{path}: a file is in the way; choose another folder with --out")
    if all(content.name == LOCK or is_unfinished(content) for content in path.iterdir()):
        return
    if not (path / CONFIG).is_file():
        raise UsageError(f"{path}: the folder is not empty and not a run; choose another one with --out")
    if not overwrite:
        raise UsageError(
            f"{path}: a run is there already; --resume goes on with it, --overwrite replaces it, --out names another"
        )


def remove_run(path: Path) -> None:
    """Remove what a run in `path` consists of, and nothing else there."""
    for name in _OURS:
        ours = path / name
        if ours.is_dir():
            shutil.rmtree(ours)
        else:
            ours.unlink(missing_ok=True)
