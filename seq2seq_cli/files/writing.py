"""Atomic writing of files, under temporary names beside the final ones, which tell the host and the process.

A killed process leaves its unfinished files behind. The next writer of the same file removes them; files of a running
process, or of another host, stay.

Outputs that the user names follow one rule in all commands: one that is there already is refused before any work,
unless ``--overwrite`` is given; one that comes to be there during the work stays.
"""

import contextlib
import errno
import json
import math
import os
import platform
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from seq2seq_cli.errors import UsageError, exit_code_of

UNFINISHED = ".unfinished"


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
    mode = 0o200 | (0o666 if permissions is None else permissions)  # others never have more permissions than these
    with naming(path):
        file = open(aside, "xb", opener=lambda name, flags: os.open(name, flags, mode))  # noqa: SIM115  # closed below
    try:
        with naming(path, keep=True):
            yield file
        with naming(path):
            file.flush()
            if permissions is not None:
                with contextlib.suppress(OSError):  # a file system without permissions
                    aside.chmod(permissions)
            os.fsync(file.fileno())
            file.close()  # before it is renamed, for Windows
            aside.replace(path) if replace else rename_free(aside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            file.close()
        with contextlib.suppress(OSError):
            aside.unlink()
        raise
    sync_names(path.parent)


@contextlib.contextmanager
def naming(path: Path, *, keep: bool = False) -> Iterator[None]:
    """Name this file in an OSError of the block, which names none or a temporary one; `keep` the name of any other."""
    try:
        yield
    except OSError as error:
        if not (keep and error.filename):
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
    except OSError:  # a file system without links
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        source.replace(target)
    with contextlib.suppress(OSError):  # the file has its name; its old one is cleared like a killed process's
        source.unlink()


def make_folder(path: Path) -> None:
    """Make a folder and its missing parents, and sync them; an OSError says what is in the way if it is no folder."""
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
    return round(value, 6) if math.isfinite(value) else None


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
    """The files and folders in a folder, without unfinished ones and ``lost+found``, which the file system makes."""
    return [path for path in folder.iterdir() if not is_unfinished(path) and path.name != "lost+found"]


# Outputs that the user names


def check_output(path: Path, *, overwrite: bool) -> None:
    """Raise UsageError unless a file can be written to `path`, and an existing one only with `overwrite`."""
    if path.is_dir():
        raise UsageError(f"{path}: this is a folder: give the name of a file")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}: make it first, or give another name")
    if path.is_symlink() and Path(os.path.realpath(path)).is_symlink():
        raise UsageError(f"{path}: a link that leads to itself: remove it, or give another name")
    if path.is_file() and not overwrite:
        raise _taken(path)


@contextlib.contextmanager
def output_file(path: Path, *, overwrite: bool) -> Iterator[BinaryIO]:
    """A file to fill, which is at `path` when the block has ended without an error.

    Of a link, the target is written; a device or a named pipe is written directly. Raises UsageError as `check_output`
    does, also for a file that has come to be there meanwhile; OSError when it cannot be written.
    """
    check_output(path, overwrite=overwrite)
    if path.exists() and not path.is_file():
        with naming(path, keep=True), path.open("wb") as stream:
            yield stream
        return
    try:
        with whole_file(Path(os.path.realpath(path)), replace=overwrite) as file, naming(path, keep=True):
            yield file
    except FileExistsError:
        raise _taken(path) from None


def check_output_path(path: Path, *, content: str, endings: Sequence[str], overwrite: bool) -> None:
    """Raise UsageError unless `path` has one of the `endings` and can be written; `content` is named in the message."""
    if path.suffix.lower() not in endings:
        listed = " or ".join(filter(None, (", ".join(endings[:-1]), endings[-1])))
        raise UsageError(f"{path}: {content} can be written as {listed}: give a name with such an ending")
    check_output(path, overwrite=overwrite)


def write_output(path: Path, content: bytes, *, overwrite: bool) -> None:
    """Write a file, whole or not at all; raises UsageError when it cannot be written, or is there already."""
    try:
        with output_file(path, overwrite=overwrite) as file:
            file.write(content)
    except OSError as error:
        problem = f"{path}: cannot be written: {error.strerror}"
        raise UsageError(problem, exit_code=exit_code_of(error)) from None


def _clear_unfinished(path: Path) -> None:
    """Remove the unfinished files of `path` that killed processes of this host have left."""
    prefix = _prefix(path.name)
    for leftover in path.parent.iterdir():
        if leftover.name.startswith(prefix) and is_unfinished(leftover):
            process = leftover.name.removeprefix(prefix).partition(".")[0]
            with contextlib.suppress(OSError):
                if process.isdecimal() and not _is_running(int(process)):  # else of the host gpu.lab, not of gpu
                    leftover.unlink()


def _is_running(process: int) -> bool:
    """Whether a process of this number runs on this host."""
    if os.name == "nt":
        return False  # the file cannot be removed while a process has it open
    try:
        os.kill(process, 0)
    except (OSError, OverflowError) as error:
        return isinstance(error, PermissionError)  # it is another user's
    return True


def _prefix(name: str) -> str:
    """The temporary names of a file begin with it: they tell the file and the host."""
    host = f".{platform.node()}."
    most = 255 - len(f".{host}{'0' * 20}{UNFINISHED}".encode())  # bytes of a name, on nearly all file systems
    return "." + os.fsencode(name)[:most].decode("utf-8", errors="ignore") + host


def _taken(path: Path) -> UsageError:
    return UsageError(f"{path}: exists already: --overwrite replaces it")
