"""The lock of a run folder: one process trains in it at a time."""

from contextlib import AbstractContextManager
from pathlib import Path

from seq2seq_cli.errors import TrainingError, UsageError, exit_code_of
from seq2seq_cli.files.lock import hold
from seq2seq_cli.runs.layout import LOCK


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
