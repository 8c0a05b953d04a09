"""Files and folders that are written whole or not at all, and that say which version of their form they hold."""

import contextlib
import errno
import glob
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from seq2seq_cli.errors import InputError

_UNFINISHED = ".unfinished"

_CURE = "restore it, or make its folder anew"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file at once, whole or not at all."""
    with whole_file(path) as file:
        file.write(content)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to fill, which becomes ``path`` when the block ends well and vanishes otherwise.

    It is written aside, reaches the disk, and is renamed, and so does the folder that has its name: a crash at any
    moment leaves the old file or the new one, and once this is over the new one.
    """
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*{_UNFINISHED}"):
        leftover.unlink()  # of a write that was killed
    aside = sibling(path)
    try:
        with aside.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise
    _names_reach_disk(path.parent)


def make_folder(path: Path) -> None:
    """Make a folder and those above it that are not there; once this is over they are on the disk."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        _names_reach_disk(folder.parent)


def write_json(path: Path, value: object) -> None:
    """Write readable UTF-8 JSON, whole or not at all."""
    write_whole(path, (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8"))


def read_json(path: Path, *, newest: int, error: type[InputError]) -> dict[str, Any]:
    """Read a JSON object whose key ``format`` is a number from 1 to ``newest``.

    Raises ``error`` when the file is missing or damaged, or made by a newer s2s.
    """
    try:
        value = json.loads(path.read_bytes().decode("utf-8"))
    except OSError as failure:
        raise error(f"{path}: cannot be read: {failure.strerror}") from None
    except (ValueError, RecursionError):
        raise error(f"{path}: damaged: not UTF-8 JSON: {_CURE}") from None
    return check_format(value, path, newest=newest, error=error)


def check_format(value: object, path: Path, *, newest: int, error: type[InputError]) -> dict[str, Any]:
    """Return `value`, the content of a file, when it is an object whose key ``format`` is a number up to `newest`.

    Raises ``error`` when it is none, or when a newer s2s wrote it.
    """
    number = value.get("format") if isinstance(value, dict) else None
    if not isinstance(value, dict) or type(number) is not int or number < 1:
        raise error(f"{path}: damaged: no format number: {_CURE}")
    if number > newest:
        raise error(f"{path}: made by a newer s2s (format {number}, this one knows {newest}): upgrade s2s")
    return value


@contextlib.contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A folder to fill, which becomes ``path`` when the block ends well and vanishes otherwise.

    What was at ``path`` is replaced: whether it may be is the caller's to ask. A link stays, and what it leads to is
    replaced. What a killed process has left of filling it is removed.
    """
    path = Path(os.path.realpath(path))
    made = [folder for folder in path.parents if not folder.exists()]
    aside = sibling(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for leftover in path.parent.glob(f".{glob.escape(path.name)}.*{_UNFINISHED}"):
            if leftover.is_dir():
                shutil.rmtree(leftover)
        aside.mkdir()
        yield aside
        for file in (aside, *aside.rglob("*")):
            if file.is_dir():
                _names_reach_disk(file)
            else:
                _reach_disk(file)
        if path.exists():
            old = path.replace(sibling(path))
            aside.replace(path)
            shutil.rmtree(old)
        else:
            aside.replace(path)
        for folder in (path, *made):
            _names_reach_disk(folder.parent)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        with contextlib.suppress(OSError):
            for folder in made:
                folder.rmdir()
        raise


def is_unfinished(path: Path) -> bool:
    """Whether a file or folder is being filled under a name aside, or was when its writer was killed."""
    return path.name.startswith(".") and path.name.endswith(_UNFINISHED)


def sibling(path: Path) -> Path:
    """A hidden name that is free, in the same folder, so that a rename to ``path`` is one step."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}{_UNFINISHED}")


def _reach_disk(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _names_reach_disk(folder: Path) -> None:
    """Put on the disk which files a folder has: without that, a crash may undo a rename that seemed done."""
    if os.name == "nt":
        return  # opens no folders, and keeps the names by itself
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some file systems of networks and containers have no such call for a folder.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(descriptor)
