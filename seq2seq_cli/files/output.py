"""Files that the user names for an output: replaced only when that is asked for, and whole.

All commands follow this one rule: an output that is there already is refused before any work, unless ``--overwrite`` is
given; one that comes to be there during the work stays.
"""

import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from seq2seq_cli.errors import UsageError, exit_code_of
from seq2seq_cli.files.writing import naming, whole_file


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
        stream = path.open("wb")
        try:
            yield stream
        finally:
            with naming(path):
                stream.close()
        return
    try:
        with whole_file(Path(os.path.realpath(path)), replace=overwrite) as file:
            yield file
    except FileExistsError:
        raise _taken(path) from None


def check_output_path(path: Path, *, content: str, endings: Sequence[str], overwrite: bool) -> None:
    """Raise UsageError unless `path` has one of the `endings` and can be written; `content` is named in the message."""
    if path.suffix.lower() not in endings:
        listed = " or ".join(filter(None, (", ".join(endings[:-1]), endings[-1])))
        raise UsageError(f"{path}: {content} can be written as {listed}: give a name with one of these endings")
    check_output(path, overwrite=overwrite)


def write_output(path: Path, content: bytes, *, overwrite: bool) -> None:
    """Write a file, whole or not at all; raises UsageError when it cannot be written, or is there already."""
    try:
        with output_file(path, overwrite=overwrite) as file:
            file.write(content)
    except OSError as error:
        problem = f"{path}: cannot be written: {error.strerror}"
        raise UsageError(problem, exit_code=exit_code_of(error)) from None


def _taken(path: Path) -> UsageError:
    return UsageError(f"{path}: exists already: --overwrite replaces it")
