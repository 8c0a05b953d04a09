"""The lock of a run folder: one training at a time. The operating system releases it when its process dies."""

import errno
from contextlib import AbstractContextManager
from pathlib import Path

from filelock import FileLock

from seq2seq_cli.errors import TrainingError, UsageError, exit_code_of
from seq2seq_cli.runs.layout import LOCK

PATIENCE_SECONDS = 1.0
"""Time that a training waits for the lock, which `is_held` takes for a moment."""


def hold(path: Path) -> AbstractContextManager[object]:
    """Take the lock of a file, which is made if missing, and stays; the end of the ``with`` block releases the lock.

    Raises TimeoutError when the lock is held already, by this process or another; OSError when it cannot be made.
    """
    if path.is_symlink():  # it would empty the file that the link leads to
        raise OSError(errno.ELOOP, "a link is in its place", str(path))
    return FileLock(path).acquire(timeout=PATIENCE_SECONDS)


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


def lock_run(run: Path) -> AbstractContextManager[object]:
    """Take the lock of a run folder; the end of the ``with`` block releases it.

    Raises UsageError when training holds it, also in this process; TrainingError when it cannot be locked.
    """
    path = run / LOCK
    try:
        return hold(path)
    except TimeoutError:
        raise UsageError(
            f"{run}: a training is running in it: wait for its end or stop it, or choose another folder with --out"
        ) from None
    except OSError as error:
        problem = f"{path}: cannot be locked: {error.strerror}; choose another folder with --out"
        raise TrainingError(problem, exit_code=exit_code_of(error)) from error
