"""Atomic writing of files and folders.

``s2s translate`` reads with this module: what only writing needs is imported where it is used.
"""

import contextlib
import errno
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

_UNFINISHED = ".unfinished"


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    with whole_file(path) as file:
        file.write(content)


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to fill, which becomes ``path`` when the block ends without an error, and is removed otherwise.

    Missing folders are made. The file is written under a temporary name, synced to the disk and renamed, and its folder
    is synced: a crash at any moment leaves the old file or the new one, and after the block the new one.
    """
    make_folder(path.parent)
    _remove_leftovers(path)
    aside = _sibling(path)
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
    _sync_names(path.parent)


def make_folder(path: Path) -> None:
    """Make a folder and its missing parents, and sync them to the disk."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    path.mkdir(parents=True, exist_ok=True)
    for folder in missing:
        _sync_names(folder.parent)


def write_json(path: Path, value: object) -> None:
    """Write readable, strict UTF-8 JSON, whole or not at all; ValueError: it holds infinity, NaN or half surrogates."""
    write_whole(path, (json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode("utf-8"))


@contextlib.contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A folder to fill, which becomes ``path`` when the block ends without an error, and is removed otherwise.

    A folder at ``path`` is replaced: the caller decides whether it may be. Of a link, the target is replaced. Leftovers
    of a killed process are removed.
    """
    import shutil

    path = Path(os.path.realpath(path))
    made = [folder for folder in path.parents if not folder.exists()]
    aside = _sibling(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(path)
        aside.mkdir()
        yield aside
        for file in (aside, *aside.rglob("*")):
            if file.is_dir():
                _sync_names(file)
            else:
                _sync(file)
        if path.exists():
            old = path.replace(_sibling(path))
            aside.replace(path)
            shutil.rmtree(old)
        else:
            aside.replace(path)
        for folder in (path, *made):
            _sync_names(folder.parent)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        with contextlib.suppress(OSError):
            for folder in made:
                folder.rmdir()
        raise


def is_unfinished(path: Path) -> bool:
    """Whether a path is the temporary name of an unfinished file or folder."""
    return path.name.startswith(".") and path.name.endswith(_UNFINISHED)


def _remove_leftovers(path: Path) -> None:
    """Remove the unfinished files and folders of ``path`` that processes which were killed have left."""
    import glob
    import shutil

    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*{_UNFINISHED}"):
        if leftover.is_dir():
            shutil.rmtree(leftover)
        else:
            leftover.unlink()


def _sibling(path: Path) -> Path:
    """A free temporary name in the same folder, from which a rename to ``path`` is atomic."""
    return path.with_name(f".{path.name}.{os.urandom(4).hex()}{_UNFINISHED}")


def _sync(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _sync_names(folder: Path) -> None:
    """Sync the names in a folder to the disk: without that, a crash can undo a rename."""
    if os.name == "nt":
        return  # Windows cannot open folders, and syncs names by itself
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network and container file systems cannot sync a folder.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(descriptor)
