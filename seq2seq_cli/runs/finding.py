"""runs/latest: the name of the newest run, with which ``s2s translate`` translates by default."""

import os
from contextlib import suppress
from pathlib import Path

from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.files.json_files import read_json
from seq2seq_cli.files.writing import write_json
from seq2seq_cli.runs.layout import CONFIG, FORMAT, LATEST, RUNS

_KEY = "run"
_LONGEST_NAME = 255


def run_at(path: Path, folder: Path = RUNS) -> Path:
    """The path of a run: a name alone is that of a run here, or else of one in the folder."""
    is_elsewhere = path.name == str(path) and not (path / CONFIG).is_file() and (folder / path).exists()
    return folder / path if is_elsewhere else path


def is_latest(path: Path) -> bool:
    """Whether a path is that of a file that names the newest run."""
    return path.name == LATEST.name and path.is_file()


def read_latest(path: Path = LATEST) -> Path:
    """The newest run; raises ModelFileError when the file does not name one, or is not one of s2s."""
    name = read_json(path, newest=FORMAT, error=ModelFileError).get(_KEY)
    if not isinstance(name, str) or not _is_plain(name):
        raise ModelFileError(f"{path}: names no run")
    return path.parent / name


def names_missing_run(path: Path) -> bool:
    """Whether a file of s2s names a run that is not there."""
    try:
        return path.is_file() and not (read_latest(path) / CONFIG).is_file()
    except ModelFileError:
        return False


def replace_latest(path: Path, newest: Path | None) -> None:
    """Name another run of the folder in the file, or remove the file."""
    if newest is None:
        path.unlink()
    else:
        write_json(path, {"format": FORMAT, _KEY: newest.name})


def _is_plain(name: str) -> bool:
    """Whether a name is that of something in the same folder, and no file system finds it too long."""
    return name not in ("", "..") and Path(name).name == name and len(name) <= _LONGEST_NAME


def write_latest(run: Path) -> str | None:
    """Name a run of ``runs/`` as the newest, in the file ``latest`` beside it; another file of that name stays.

    A run elsewhere has no such file. Returns what is wrong when it cannot be written: no training ends for that.
    """
    run = Path(os.path.abspath(run))  # noqa: PTH100  # a link in runs/ is a run there
    path = run.parent / LATEST.name
    if run.parent.name != RUNS.name:
        return None
    content = {"format": FORMAT, _KEY: run.name}
    try:
        if not os.path.lexists(path):
            with suppress(FileExistsError):  # another training's, or the user's, made at this moment
                write_json(path, content, replace=False)
                return None
        read_latest(path)
        write_json(path, content)
    except ModelFileError:
        return f"{path}: not written by s2s, so it stays: translate with --model {run}"
    except OSError as error:
        return f"{path}: cannot be written: {error.strerror}: translate with --model {run}"
    return None
