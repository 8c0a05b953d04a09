"""Folders whose files are replaced together: all of them are new, or all as before.

PATH/.unfinished/new       the new files, until all are made and synced to the disk
                /replaced  the names of the files that they replace: these are removed next
                /ready     it is there while the new files are moved in
                /.lock     held by the process that fills the folder

Once `replaced` is there the folder is completed: by the process that wrote it or, if that was killed, by the next one
that writes into the folder. The operating system releases a lock when its process dies.
"""

import contextlib
import errno
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath

from filelock import FileLock

from seq2seq_cli.errors import UsageError
from seq2seq_cli.files.reading import check_contents, read_whole
from seq2seq_cli.files.writing import UNFINISHED, make_folder, naming, rename_free, sync_names, write_whole

_NEW = "new"
_REPLACED = "replaced"
_READY = "ready"
_LOCK = ".lock"
_MOST_BYTES = 1_000_000
_PATIENCE_SECONDS = 1.0
"""Time that a process waits for a lock, which `is_held` takes for a moment."""


class _BusyError(UsageError):
    """Another process is writing the folder."""


@contextlib.contextmanager
def whole_folder(path: Path, *, replaced: Sequence[str] = ()) -> Iterator[Path]:
    """A folder to fill, whose files are in `path` when the block ends without an error; else `path` is as before.

    `path` is made if nothing is there. One that is there stays the same folder, which may be a mount point or
    somebody's working directory: the new files take the place of those that `replaced` names, and all others stay.

    Of a link, the target is filled. Raises UsageError when another process is filling the folder, when a file that is
    not to be replaced has the name of a new one, and when a link in the folder leads out of it where files are replaced
    or made.
    """
    given, path = path, Path(os.path.realpath(path))
    _check_inside(path, replaced)
    made = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        make_folder(path)
        with naming(given, keep=True), _locked(path, given) as aside:
            new = aside / _NEW
            new.mkdir()
            yield new
            leaving = [name for name in replaced if (path / name).is_file() or (path / name).is_symlink()]
            coming = _files_below(new)
            _check_inside(path, coming)
            _check_room(path, coming, leaving)
            _sync_content(new)
            try:
                write_whole(aside / _REPLACED, "\n".join(leaving).encode())
                _complete(path, aside)
            except BaseException:
                with contextlib.suppress(OSError, UsageError):  # else the next process does it
                    _complete(path, aside)
                raise
    except BaseException:
        with contextlib.suppress(OSError):  # not empty: complete all the same
            for folder in made:
                folder.rmdir()
        raise


def clear_leftovers(path: Path) -> None:
    """Complete a folder whose files a killed process has replaced in part, and remove what else it has left there.

    What another process is writing stays, and what this user may not change. Raises UsageError when a file that came to
    be there meanwhile is in the way: the new files wait until it is moved away.
    """
    path = Path(os.path.realpath(path))
    with contextlib.suppress(OSError, _BusyError):
        if (path / UNFINISHED / _LOCK).is_file():  # else it is somebody else's
            with _locked(path, path):
                pass


@contextlib.contextmanager
def _locked(path: Path, given: Path) -> Iterator[Path]:
    """The unfinished folder in `path`, empty, for this process alone; it is removed when the block ends."""
    aside = path / UNFINISHED
    _check_inside(path, [UNFINISHED])
    with _lock(aside, given):
        _complete(path, aside)
        for leftover in aside.iterdir():
            if leftover.name != _LOCK:
                shutil.rmtree(leftover) if leftover.is_dir() and not leftover.is_symlink() else leftover.unlink()
        try:
            yield aside
        finally:
            if not (aside / _REPLACED).exists() and not (aside / _READY).exists():
                shutil.rmtree(aside / _NEW, ignore_errors=True)  # under the lock: then another process may fill it
                shutil.rmtree(aside, ignore_errors=True)
    with contextlib.suppress(OSError):  # Windows and network file systems keep a file until it is closed
        if os.name == "nt":
            (aside / _LOCK).unlink()
        aside.rmdir()


def _lock(aside: Path, of: Path) -> contextlib.AbstractContextManager[object]:
    """Make the unfinished folder of another and take its lock."""
    while True:
        with naming(of):
            aside.mkdir(exist_ok=True)
        try:
            return hold(aside / _LOCK)
        except FileNotFoundError:
            continue  # its owner has just removed it
        except TimeoutError:
            raise _BusyError(f"{of}: another s2s is writing it: wait for its end, or choose another folder") from None


def _complete(path: Path, aside: Path) -> None:
    """Remove the files that are replaced and move the new ones in; nothing is done unless all new ones are made.

    It can be stopped at any moment and done again. Raises UsageError when a file is in the way.
    """
    if (aside / _REPLACED).is_file():
        names = read_whole(aside / _REPLACED, most=_MOST_BYTES).decode("utf-8", "replace").splitlines()
        if any(
            "\0" in name or not PurePath(name).parts or PurePath(name).is_absolute() or ".." in PurePath(name).parts
            for name in names
        ):
            return  # a stranger's folder
        _check_inside(path, names)
        for name in names:
            (path / name).unlink(missing_ok=True)
        for folder in sorted({(path / name).parent for name in names} - {path}, reverse=True):
            with contextlib.suppress(OSError):  # something else is in it
                folder.rmdir()
        (aside / _REPLACED).replace(aside / _READY)  # from here on, files with these names are new ones
        sync_names(aside)
    if not (aside / _READY).is_file():
        return
    coming = _files_below(aside / _NEW)
    _check_inside(path, coming)
    for name in coming:
        with naming(path / name):
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            try:
                rename_free(aside / _NEW / name, path / name)
            except FileExistsError:
                raise _in_the_way(path / name) from None
    for folder in {path, *((path / name).parent for name in coming)}:
        sync_names(folder)
    (aside / _READY).unlink()


def _check_room(path: Path, names: Iterable[str], leaving: Sequence[str]) -> None:
    """Raise UsageError when something that does not leave is in the way of a file of these names."""
    for name in names:
        for part in (PurePath(name), *PurePath(name).parents):
            is_room = (path / part).is_dir() and part != PurePath(name)
            if os.path.lexists(path / part) and not is_room and part.as_posix() not in leaving:
                raise _in_the_way(path / part)


def _in_the_way(path: Path) -> UsageError:
    return UsageError(f"{path}: is in the way: move it away, or choose another folder")


def _files_below(folder: Path) -> list[str]:
    """The names of all files below a folder, relative to it."""
    return [file.relative_to(folder).as_posix() for file in folder.rglob("*") if not file.is_dir()]


def _check_inside(folder: Path, names: Iterable[str]) -> None:
    """Raise UsageError unless these names in a folder stand for files in it: the folder may be a stranger's."""
    check_contents(folder, {PurePath(name).parts[0] for name in names if name}, error=UsageError)


def _sync_content(folder: Path) -> None:
    """Sync all files below a folder, and their names, to the disk."""
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            sync_names(path)
        else:
            with path.open("rb+") as file:
                os.fsync(file.fileno())


def hold(path: Path) -> contextlib.AbstractContextManager[object]:
    """Take the lock of a file, which is made if missing, and stays; the end of the ``with`` block releases the lock.

    Raises TimeoutError when the lock is held already, by this process or another; OSError when it cannot be made.
    """
    if path.is_symlink():  # it would empty the file that the link leads to
        raise OSError(errno.ELOOP, "a link is in its place", str(path))
    return FileLock(path).acquire(timeout=_PATIENCE_SECONDS)


def is_held(path: Path) -> bool:
    """Whether the lock of a file is held; False for a missing file, and for one that this user may not lock."""
    if path.is_symlink() or not path.is_file():
        return False
    try:
        with FileLock(path).acquire(timeout=0):
            return False
    except OSError as error:
        return isinstance(error, TimeoutError)
