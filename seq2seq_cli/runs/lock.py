"""The lock of a run folder: one training at a time. The operating system releases it when its process dies."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

# filelock is imported inside the functions: it takes a tenth of a second, and translating needs no lock.

PATIENCE_SECONDS = 1.0
"""`is_held` takes the lock for a moment: a training that starts just then waits for this long."""


@contextlib.contextmanager
def hold(path: Path) -> Iterator[None]:
    """Hold the lock of a file inside the block; the file is made if missing, and stays.

    Raises TimeoutError when the lock is held already, by this process or another; OSError when it cannot be made.
    """
    from filelock import FileLock

    lock = FileLock(path)
    lock.acquire(timeout=PATIENCE_SECONDS)
    try:
        yield
    finally:
        lock.release()


def is_held(path: Path) -> bool:
    """Whether the lock of a file is held; False for a missing file, and for one that this user may not lock."""
    from filelock import FileLock

    if not path.is_file():
        return False
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except TimeoutError:
        return True
    except OSError:
        return False
    lock.release()
    return False
