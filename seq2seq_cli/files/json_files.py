"""JSON files with a format number, and the number that this s2s writes and reads."""

import json
import math
import re
from pathlib import Path
from typing import Any, Final

from seq2seq_cli.errors import InputError, unreadable
from seq2seq_cli.files.reading import read_whole

FORMAT: Final = 1
"""The format of all that s2s saves: prepared folders, runs and exports, whole or in an archive.

It goes up by one when a file changes its form. A file of another number is refused, with the way out.
"""

_CURE = "restore it, or make its folder again"
_MOST_BYTES = 64_000_000
"""Size of most of the largest files: a vocabulary of a million words takes half of it."""
_DECIMALS = 6
_MOST_DIGITS = 18
"""Digits of the largest integer: it fits into 64 bits."""
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def read_json(path: Path, *, error: type[InputError], most: int = _MOST_BYTES, cure: str = _CURE) -> dict[str, Any]:
    """Read a JSON object of at most `most` bytes, whose key ``format`` is `FORMAT`.

    ``cure`` is what helps when it is damaged.

    Raises ``error`` when the file is missing or damaged, or made by an older or newer s2s.
    """
    try:
        value = parse_json(read_whole(path, most=most))
    except OSError as failure:
        raise error(unreadable(path, failure)) from None
    except ValueError:
        raise error(f"{path}: damaged: not UTF-8 JSON: {cure}") from None
    return check_format(value, path, error=error, cure=cure)


def parse_json(text: bytes) -> Any:
    """The value of a JSON text in UTF-8.

    Raises ValueError for anything else, and for what programs read differently, RFC 8259 sections 6 and 8.2: NaN and
    infinity, integers beyond 64 bits, halves of surrogate pairs; also for a value that is nested deeper than Python can
    follow.
    """
    try:
        value = _DECODER.decode(text.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if _SURROGATE.search(text):
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def json_number(value: float) -> float | None:
    """The number, rounded to six decimals; None where it is not finite, which JSON cannot write."""
    return round(value, _DECIMALS) if math.isfinite(value) else None


def check_format(value: object, path: Path, *, error: type[InputError], cure: str = _CURE) -> dict[str, Any]:
    """Return `value`, the content of a file, when it is an object whose key ``format`` is `FORMAT`.

    Raises ``error`` for other content, and when an older or newer s2s wrote it.
    """
    number = value.get("format") if isinstance(value, dict) else None
    if not isinstance(value, dict) or type(number) is not int:
        raise error(f"{path}: damaged: no format number: {cure}")
    if number != FORMAT:
        age, way_out = ("a newer", "upgrade s2s") if number > FORMAT else ("an older", "make its folder again")
        raise error(f"{path}: made by {age} s2s (format {number}, this one reads {FORMAT}): {way_out}")
    return value


def _integer(digits: str) -> int:
    if len(digits.lstrip("-")) > _MOST_DIGITS:
        raise ValueError("an integer beyond 64 bits")
    return int(digits)


def _float(digits: str) -> float:
    if not math.isfinite(number := float(digits)):
        raise ValueError("no number of JSON, or one too large")
    return number


_DECODER = json.JSONDecoder(parse_int=_integer, parse_float=_float, parse_constant=_float)
