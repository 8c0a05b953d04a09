"""Unfinished files: temporary names beside the final ones, each locked as long as its writer lives.

A killed process leaves its unfinished files behind, and the operating system releases their locks. The next writer of
the same file removes them; those of a living process, or of another host, whose locks may not be seen here, stay.

``s2s translate`` reads with this package: what only writing needs is imported where it is used.
"""

import contextlib
import os
import sys
from pathlib import Path
from typing import IO, BinaryIO

UNFINISHED = ".unfinished"
_LONGEST_NAME = 255
"""Bytes of a name, on nearly all file systems."""


def is_unfinished(path: Path) -> bool:
    """Whether a path is the temporary name of an unfinished file or folder."""
    return path.name.startswith(".") and path.name.endswith(UNFINISHED)


def open_unfinished(path: Path, permissions: int) -> BinaryIO:
    """A new locked file beside `path`, to be renamed to it; the attribute ``name`` is its temporary name.

    Others than its owner never have more than these permissions, of which the umask takes some away. Raises OSError,
    with the name of `path`, when it cannot be made.
    """

    def opened(name: str, flags: int) -> int:
        return os.open(name, flags, permissions | 0o600)  # the next writer opens it, to see whether it is locked

    while True:
        aside = path.with_name(f"{_prefix(path.name)}{os.urandom(4).hex()}{UNFINISHED}")
        try:
            file = open(aside, "xb", opener=opened)  # noqa: SIM115  # the caller closes it
        except OSError as error:
            error.filename = str(path)
            raise
        if _is_ours(file):
            return file
        file.close()  # another process has found it before it was locked, and removes it


def clear_unfinished(path: Path) -> None:
    """Remove the unfinished files of `path` that killed processes of this host have left."""
    prefix = _prefix(path.name)
    for leftover in path.parent.iterdir():
        if leftover.name.startswith(prefix) and is_unfinished(leftover):
            with contextlib.suppress(OSError):
                _remove_if_dead(leftover)


def try_lock(file: IO[bytes]) -> bool:
    """Lock an open file until it is closed or its process dies; return False when it is locked already.

    Raises OSError on a file system without locks.
    """
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def is_removed(file: IO[bytes]) -> bool:
    """Whether an open file has lost its name. On Windows an open file cannot be removed."""
    return os.fstat(file.fileno()).st_nlink == 0


def _is_ours(file: BinaryIO) -> bool:
    """Lock a new file; return False when another process was quicker."""
    if os.name == "nt":
        return True  # the open file is lock enough
    try:
        return try_lock(file) and not is_removed(file)
    except OSError:
        return True  # a file system without locks, where nobody removes what others have left


def _remove_if_dead(path: Path) -> None:
    """Remove an unfinished file that no process has locked; raises OSError when that cannot be done."""
    if os.name == "nt":
        path.unlink()  # fails while a process has it open
        return
    with path.open("rb+") as file:
        if try_lock(file):
            path.unlink()


def _prefix(name: str) -> str:
    """The temporary names of a file begin with it: they tell the file and the host."""
    host = f".{_host()}."
    most = _LONGEST_NAME - len(f".{host}{'0' * 8}{UNFINISHED}".encode())
    return "." + os.fsencode(name)[:most].decode("utf-8", errors="ignore") + host


def _host() -> str:
    """The name of this machine."""
    return os.environ.get("COMPUTERNAME", "") if sys.platform == "win32" else os.uname().nodename
