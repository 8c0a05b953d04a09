"""Files that the user names for a picture: checked before any work, written whole."""

from collections.abc import Sequence
from pathlib import Path

from seq2seq_cli.errors import UsageError
from seq2seq_cli.files.writing import write_whole


def check_output_path(path: Path, *, content: str, endings: Sequence[str]) -> None:
    """Raise UsageError unless `path` has one of the `endings` and can be a file; `content` is named in the message."""
    if path.suffix.lower() not in endings:
        listed = f"{', '.join(endings[:-1])} or {endings[-1]}"
        raise UsageError(f"{path}: {content} can be written as {listed}: give a name with one of these endings")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}: make it first")
    if path.is_dir():
        raise UsageError(f"{path}: this is a folder: give the name of a file")


def write_output(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all; raises UsageError when it cannot be written."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
