"""One training at a time in a run folder: a lock of the operating system, which ends with the process that holds it."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

# filelock is imported where a lock is asked for: it takes a tenth of a second, and translating asks for none.

# Who looks whether a lock is held holds it for a moment: a training that begins then waits for so long.
PATIENCE_SECONDS = 1.0


@contextlib.contextmanager
def hold(path: Path) -> Iterator[None]:
    """Hold the lock of a file for the time of a block; the file is made, and stays.

    Raises TimeoutError when it is held already, in this process or another; OSError when it cannot be made.
    """
    from filelock import FileLock

    lock = FileLock(path)
    lock.acquire(timeout=PATIENCE_SECONDS)
    try:
        yield
    finally:
        lock.release()


def is_held(path: Path) -> bool:
    """Whether the lock of a file is held; False where there is no such file, or one that this user may not lock."""
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
