"""The folder of a new run: whether it is free, and the files of an older run there."""

from itertools import chain, count
from pathlib import Path

from seq2seq_cli.errors import UsageError
from seq2seq_cli.files.whole_folder import contents
from seq2seq_cli.runs.layout import (
    BEST,
    CARD,
    CODEC,
    CONFIG,
    CORPUS,
    EPOCHS,
    EXPORTED,
    LAST,
    LOCK,
    MARK,
    METRICS,
    PAIR_FILES,
    PREVIOUS,
    TRAINED,
)

_PATTERNS = (
    CONFIG,
    CORPUS,
    METRICS,
    TRAINED,
    MARK,
    CARD,
    f"{CODEC}/src.json",
    f"{CODEC}/tgt.json",
    *(path.as_posix() for path in (BEST, *EXPORTED, *PAIR_FILES.values())),
    LAST.as_posix(),
    PREVIOUS.as_posix(),
)


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
    if all(content.name in (LOCK, MARK) for content in contents(path)):
        return
    if not (path / MARK).is_file():
        raise UsageError(
            f"{path}: the folder is not empty and not a run (it has no {MARK}); choose another one with --out"
        )
    if not overwrite:
        raise UsageError(
            f"{path}: a run is there already; --resume continues it, --overwrite replaces it, --out names another"
        )


def free_folder(path: Path) -> Path:
    """A folder for a new run: `path`, or the first of ``PATH_2``, ``PATH_3`` and so on, if a run is there."""
    names = chain([path.name], (f"{path.name}_{number}" for number in count(2)))
    return next(folder for name in names if _is_free(folder := path.with_name(name)))


def _is_free(path: Path) -> bool:
    """Whether `path` is free for a new run, as far as can be seen."""
    try:
        check_free(path, overwrite=False)
    except UsageError:
        return False
    except OSError:  # which the training reports
        pass
    return True


def run_files(path: Path) -> list[str]:
    """The files in a run folder that a training made there; whatever else is in it belongs to the user."""
    files = [file for pattern in _PATTERNS for file in path.glob(pattern)]
    files += [file for file in path.glob(f"{EPOCHS}/*.safetensors") if file.stem.isdecimal()]
    return [file.relative_to(path).as_posix() for file in files]
