"""Atomic writing of files, under temporary names beside the final ones, which tell the host and the process.

A killed process leaves its unfinished files behind. The next writer of the same file removes them; files of a running
process, or of another host, stay.
"""

import contextlib
import errno
import json
import math
import os
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

UNFINISHED = ".unfinished"
_LONGEST_NAME = 255
"""Bytes of a name, on nearly all file systems."""
_OF_THE_DISK = "lost+found"
"""A folder that is at the root of a volume."""
_NEW = 0o666
"""Permissions of a new file, of which the umask takes some away."""
_DECIMALS = 6


def write_whole(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    with whole_file(path) as file:
        file.write(content)


@contextlib.contextmanager
def whole_file(path: Path, *, replace: bool = True) -> Iterator[BinaryIO]:
    """A file to fill, which becomes ``path`` when the block ends without an error, and is removed otherwise.

    Missing folders are made. The file is written under a temporary name, synced to the disk and renamed, and its folder
    is synced: a crash at any moment leaves the old file or the new one, and after the block the new one. It has the
    permissions of the file that it replaces, or of the target of a link in its place. Without `replace`,
    FileExistsError is raised when a file is at ``path`` by then, and that one stays.
    """
    make_folder(path.parent)
    _clear_unfinished(path)
    try:
        permissions = path.stat().st_mode & 0o777
    except OSError:
        permissions = None  # there is no file
    aside = path.with_name(f"{_prefix(path.name)}{os.getpid()}.{os.urandom(4).hex()}{UNFINISHED}")
    mode = 0o200 | (_NEW if permissions is None else permissions)  # others never have more permissions than these
    with naming(path):
        file = open(aside, "xb", opener=lambda name, flags: os.open(name, flags, mode))  # noqa: SIM115  # closed below
    try:
        yield file
        with naming(path):
            file.flush()
            if permissions is not None:
                with contextlib.suppress(OSError):  # a file system without permissions
                    aside.chmod(permissions)
            os.fsync(file.fileno())
            file.close()  # before it is renamed, for Windows
            if replace:
                aside.replace(path)
            else:
                rename_free(aside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            file.close()
        with contextlib.suppress(OSError):
            aside.unlink()
        raise
    sync_names(path.parent)


@contextlib.contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name this file in an OSError of the block, which names none or a temporary one."""
    try:
        yield
    except OSError as error:
        error.filename, error.filename2 = str(path), None
        raise


def rename_free(source: Path, target: Path) -> None:
    """Rename a file to a free name; raises FileExistsError when it is taken, be it by a file made at this moment."""
    if os.name == "nt":
        source.rename(target)  # replaces nothing there
        return
    try:
        target.hardlink_to(source)
    except FileExistsError:
        if not target.samefile(source):  # else a killed process has begun this
            raise
        source.unlink()
    except OSError:  # a file system without links
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        source.replace(target)
    else:
        with contextlib.suppress(OSError):  # the file has its name; its old one is cleared like a killed process's
            source.unlink()


def make_folder(path: Path) -> None:
    """Make a folder and its missing parents, and sync them to the disk.

    Raises OSError, whose text says what is in the way when that is no folder.
    """
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        there = [place for place in (path, *path.parents) if os.path.lexists(place)]
        raise NotADirectoryError(errno.ENOTDIR, f"{there[0]} is not a folder", str(path)) from None
    for folder in missing:
        sync_names(folder.parent)


def write_json(path: Path, value: object) -> None:
    """Write readable, strict UTF-8 JSON as `write_whole`; ValueError: it holds infinity, NaN or half surrogates."""
    write_whole(path, json_content(value))


def json_content(value: object) -> bytes:
    """The content that `write_json` writes."""
    return (json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode("utf-8")


def json_number(value: float) -> float | None:
    """The number, rounded to six decimals; None where it is not finite, which JSON cannot write."""
    return round(value, _DECIMALS) if math.isfinite(value) else None


def sync_names(folder: Path) -> None:
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


def is_unfinished(path: Path) -> bool:
    """Whether a path is the temporary name of an unfinished file or folder."""
    return path.name.startswith(".") and path.name.endswith(UNFINISHED)


def contents(folder: Path) -> list[Path]:
    """The files and folders in a folder, without unfinished ones and what the file system itself put there."""
    return [path for path in folder.iterdir() if not is_unfinished(path) and path.name != _OF_THE_DISK]


def _clear_unfinished(path: Path) -> None:
    """Remove the unfinished files of `path` that killed processes of this host have left."""
    prefix = _prefix(path.name)
    for leftover in path.parent.iterdir():
        if leftover.name.startswith(prefix) and is_unfinished(leftover):
            process = leftover.name.removeprefix(prefix).partition(".")[0]
            with contextlib.suppress(OSError):
                if not (process.isdecimal() and _is_running(int(process))):
                    leftover.unlink()


def _is_running(process: int) -> bool:
    """Whether a process of this number runs on this host."""
    if os.name == "nt":
        return False  # the file cannot be removed while a process has it open
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


def _prefix(name: str) -> str:
    """The temporary names of a file begin with it: they tell the file and the host."""
    host = f".{platform.node()}."
    most = _LONGEST_NAME - len(f".{host}{'0' * 20}{UNFINISHED}".encode())
    return "." + os.fsencode(name)[:most].decode("utf-8", errors="ignore") + host
