"""Files that the user names for a picture: their endings, and the one rule of `files.output`."""

from collections.abc import Sequence
from pathlib import Path

from seq2seq_cli.errors import UsageError, exit_code_of
from seq2seq_cli.files.output import check_output, output_file


def check_output_path(path: Path, *, content: str, endings: Sequence[str], overwrite: bool) -> None:
    """Raise UsageError unless `path` has one of the `endings` and can be written; `content` is named in the message."""
    if path.suffix.lower() not in endings:
        listed = f"{', '.join(endings[:-1])} or {endings[-1]}"
        raise UsageError(f"{path}: {content} can be written as {listed}: give a name with one of these endings")
    check_output(path, overwrite=overwrite)


def write_output(path: Path, content: bytes, *, overwrite: bool) -> None:
    """Write a file, whole or not at all; raises UsageError when it cannot be written, or is there already."""
    try:
        with output_file(path, overwrite=overwrite) as file:
            file.write(content)
    except OSError as error:
        told = f"{path}: cannot be written: {error.strerror}"
        raise UsageError(told, exit_code=exit_code_of(error)) from None
