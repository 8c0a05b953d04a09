"""The folder of a new run: whether it is free, and the removal of an older run there."""

import shutil
from pathlib import Path

from seq2seq_cli.errors import UsageError
from seq2seq_cli.files.writing import is_unfinished
from seq2seq_cli.runs.layout import BEST, CONFIG, CORPUS, LAST, LOCK, METRICS

# A run is recognised by its config: it is written first and removed last, so that half a run is recognised too.
_OURS = ("codec", BEST.parent, LAST, "epochs", METRICS, "tensorboard", CORPUS, "README.md", CONFIG)


def check_name(path: Path, option: str) -> None:
    """Raise UsageError for a name that is not UTF-8: neither JSON nor safetensors can hold it."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(f"{option} {path}: the name is not UTF-8: give the folder another") from None


def check_free(path: Path, *, overwrite: bool) -> None:
    """Raise UsageError unless `path` is free for a new run, or holds a run that `overwrite` allows to replace."""
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
            f"{path}: a run is there already; --resume continues it, --overwrite replaces it, --out names another"
        )


def remove_run(path: Path) -> None:
    """Remove the files of a run from `path`, and no others."""
    for name in _OURS:
        ours = path / name
        if ours.is_dir():
            shutil.rmtree(ours)
        else:
            ours.unlink(missing_ok=True)
