"""Locks of files, which the operating system releases when their process dies."""

import errno
from contextlib import AbstractContextManager
from pathlib import Path

from filelock import FileLock

_PATIENCE_SECONDS = 1.0
"""Time that a process waits for a lock, which `is_held` takes for a moment."""


def hold(path: Path) -> AbstractContextManager[object]:
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
    except TimeoutError:
        return True
    except OSError:
        return False
