"""JSON files with a format number."""

import json
from pathlib import Path
from typing import Any

from seq2seq_cli.errors import InputError

_CURE = "restore it, or make its folder anew"


def read_json(path: Path, *, newest: int, error: type[InputError]) -> dict[str, Any]:
    """Read a JSON object whose key ``format`` is a number from 1 to ``newest``.

    Raises ``error`` when the file is missing or damaged, or made by a newer s2s.
    """
    try:
        value = json.loads(path.read_bytes().decode("utf-8"))
    except OSError as failure:
        raise error(f"{path}: cannot be read: {failure.strerror}") from None
    except (ValueError, RecursionError):
        raise error(f"{path}: damaged: not UTF-8 JSON: {_CURE}") from None
    return check_format(value, path, newest=newest, error=error)


def check_format(value: object, path: Path, *, newest: int, error: type[InputError]) -> dict[str, Any]:
    """Return `value`, the content of a file, when it is an object whose key ``format`` is a number up to `newest`.

    Raises ``error`` when it is none, or when a newer s2s wrote it.
    """
    number = value.get("format") if isinstance(value, dict) else None
    if not isinstance(value, dict) or type(number) is not int or number < 1:
        raise error(f"{path}: damaged: no format number: {_CURE}")
    if number > newest:
        raise error(f"{path}: made by a newer s2s (format {number}, this one knows {newest}): upgrade s2s")
    return value
