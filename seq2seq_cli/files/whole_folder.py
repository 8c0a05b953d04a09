"""Folders that are filled aside, and are there whole or not at all."""

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import IO

from seq2seq_cli.errors import UsageError
from seq2seq_cli.files.reading import check_contents
from seq2seq_cli.files.writing import (
    UNFINISHED,
    is_removed,
    is_unfinished,
    make_folder,
    naming,
    rename_free,
    sync_names,
    try_lock,
)

_LOCK = ".lock"
_NEW = "new"
_OLD = "old"
_COPY = "copy"
_COMING = "coming"
"""The names of the new files but the mark that is replaced, with NUL between; it is there while they are moved."""
_OF_THE_DISK = "lost+found"
"""A folder that is at the root of a volume."""


def contents(folder: Path) -> list[Path]:
    """The files and folders in a folder, without unfinished ones and what the file system itself put there."""
    return [path for path in folder.iterdir() if not is_unfinished(path) and path.name != _OF_THE_DISK]


@contextlib.contextmanager
def whole_folder(path: Path, *, mark: str, replaced: Iterable[str] = ()) -> Iterator[Path]:
    """A folder to fill, whose files are in `path` when the block ends without an error; else `path` is as before.

    Where nothing is at `path`, a folder appears, whole. A folder that is there stays the same one, which may be a mount
    point or somebody's working directory: the new files are moved into it, in the place of those that `replaced` names,
    and all others stay. When a process is killed meanwhile, the next one moves the old files back; until then the
    folder has the file `mark` and lacks others, or is free.

    Of a link, the target is filled. Raises UsageError when another process is filling the folder, when a file that is
    not to be replaced has the name of a new one, and when a link in the folder leads out of it where files are replaced
    or made.
    """
    given, path = path, Path(os.path.realpath(path))
    replaced = list(replaced)
    _check_inside(path, replaced)
    made = [folder for folder in path.parents if not folder.exists()]
    try:
        make_folder(path.parent)
        with _locked(_place(path, given), path, given) as aside:
            new = aside / _NEW
            new.mkdir()
            yield new
            _sync_content(new)
            if path.exists() or not _appears(new, path):
                _move_in(new, path, aside / _OLD, mark=mark, replaced=replaced)
        sync_names(path.parent)
    except BaseException:
        with contextlib.suppress(OSError):
            for folder in made:
                folder.rmdir()
        raise


def clear_leftovers(path: Path) -> None:
    """Move the files back that a killed process has moved in a folder, and remove what else it has left there.

    What another process is writing stays, and what this user may not remove.
    """
    path = Path(os.path.realpath(path))
    for aside in (_beside(path), path / UNFINISHED):
        with contextlib.suppress(OSError, UsageError):
            if aside.is_dir():
                with _locked(aside, path, path):
                    pass


def _place(path: Path, given: Path) -> Path:
    """The unfinished folder of `path`: inside a folder that is there, else beside it; raises UsageError."""
    beside = _beside(path)
    if not path.is_dir():
        return beside
    if beside.exists():  # of a process that began when nothing was at `path`
        with _locked(beside, path, given):
            pass
    return path / UNFINISHED


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.name}{UNFINISHED}")


@contextlib.contextmanager
def _locked(folder: Path, path: Path, given: Path) -> Iterator[Path]:
    """The unfinished folder of `path`, empty, for this process alone; it is removed when the block ends.

    Raises UsageError, which names `path` as it was given.
    """
    _check_inside(folder.parent, [folder.name])
    with _lock(folder, given):
        _move_back(path, folder)
        _empty(folder)
        try:
            yield folder
        finally:
            if not (folder / _COMING).exists():  # else the next process has files to move back
                _remove(folder)
    # Once more without the lock: network file systems keep an open file under another name until it is closed.
    with contextlib.suppress(OSError):
        if os.name == "nt":
            (folder / _LOCK).unlink()
        folder.rmdir()


def _remove(folder: Path) -> None:
    """Remove a locked folder, as far as that is possible."""
    with contextlib.suppress(OSError):
        _empty(folder)
        if os.name != "nt":  # which removes no open file
            # The last file: from here on another process can lock one of its own, and has a new folder.
            (folder / _LOCK).unlink()
            folder.rmdir()


def _empty(folder: Path) -> None:
    """Remove everything but the lock."""
    for leftover in folder.iterdir():
        if leftover.name != _LOCK:
            is_folder = leftover.is_dir() and not leftover.is_symlink()
            shutil.rmtree(leftover) if is_folder else leftover.unlink()


def _lock(folder: Path, of: Path) -> IO[bytes]:
    """Make the unfinished folder of another and take its lock, which closing the file returns."""
    while True:
        with naming(of):
            folder.mkdir(exist_ok=True)
        try:
            file = (folder / _LOCK).open("ab")
        except FileNotFoundError:
            continue  # its owner has just removed it
        locked = False
        try:
            locked = try_lock(file)
        finally:
            if not locked:
                file.close()
        if not locked:
            raise UsageError(f"{of}: another s2s is writing it: wait for its end, or choose another folder")
        if os.name == "nt" or not is_removed(file):
            return file
        file.close()  # its owner has removed it before it was locked


def _appears(new: Path, path: Path) -> bool:
    """Rename a folder to a free name; return False when a folder has come to be there meanwhile."""
    try:
        new.rename(path)
    except OSError:
        if path.is_dir():
            return False
        raise
    return True


def _move_in(new: Path, path: Path, old: Path, *, mark: str, replaced: Iterable[str]) -> None:
    """Move the files below `new` into `path`, those that they replace to `old`; an error moves all of them back."""
    leaving = [name for name in replaced if (path / name).is_file() or (path / name).is_symlink()]
    coming = [file.relative_to(new).as_posix() for file in new.rglob("*") if not file.is_dir()]
    _check_inside(path, coming)
    fresh = set(coming) - (set(leaving) & {mark})
    aside = new.parent
    try:
        (aside / _COMING).write_bytes(b"\0".join(map(os.fsencode, fresh)))
        for name in leaving:
            _make_room(old / name)
            if name == mark and mark in coming:
                # At no moment is the folder without it: a killed process leaves one that may be replaced again.
                shutil.copyfile(path / mark, aside / _COPY)
                (aside / _COPY).rename(old / mark)
                (new / mark).replace(path / mark)
            else:
                (path / name).rename(old / name)
        for name in sorted(fresh, key=lambda name: (name != mark, name)):
            try:
                _make_room(path / name)
                rename_free(new / name, path / name)
            except FileExistsError:
                raise UsageError(f"{path / name}: is in the way: move it away, or choose another folder") from None
        (aside / _COMING).unlink()
    except BaseException:
        with contextlib.suppress(OSError, UsageError):  # then the next process does it
            _move_back(path, aside)
        raise
    _remove_empty([path / name for name in leaving], path)
    for folder in {(path / name).parent for name in coming}:
        sync_names(folder)


def _move_back(path: Path, aside: Path) -> None:
    """Move the files back that were moved in `path`, unless all were; it can be done again where it was ended."""
    new, old = aside / _NEW, aside / _OLD
    if not (aside / _COMING).is_file():
        return
    names = [PurePath(os.fsdecode(name)) for name in (aside / _COMING).read_bytes().split(b"\0") if name]
    if any(name.is_absolute() or ".." in name.parts for name in names):  # a stranger's folder
        return
    _check_inside(path, map(str, names))
    for name in names:
        # A file has both names for a moment; one that is in `old` is replaced below.
        is_new = not (new / name).exists() or ((path / name).exists() and (path / name).samefile(new / name))
        if is_new and not (old / name).exists():
            (path / name).unlink(missing_ok=True)
    _remove_empty([path / name for name in names], path)
    (aside / _COMING).write_bytes(b"")  # a file of such a name is an old one from here on
    for file in [file for file in old.rglob("*") if not file.is_dir()]:
        _make_room(path / file.relative_to(old))
        file.replace(path / file.relative_to(old))
    (aside / _COMING).unlink()


def _remove_empty(files: Iterable[Path], above: Path) -> None:
    """Remove the folders of files that are gone, unless something else is there."""
    for folder in sorted({file.parent for file in files} - {above}, reverse=True):
        with contextlib.suppress(OSError):  # not empty
            folder.rmdir()


def _check_inside(folder: Path, names: Iterable[str]) -> None:
    """Raise UsageError unless these names in a folder stand for files in it: the folder may be a stranger's."""
    check_contents(folder, {PurePath(name).parts[0] for name in names}, error=UsageError)


def _make_room(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)


def _sync_content(folder: Path) -> None:
    """Sync all files below a folder, and their names, to the disk."""
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            sync_names(path)
        else:
            with path.open("rb+") as file:
                os.fsync(file.fileno())
