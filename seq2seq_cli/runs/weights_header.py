"""The header of a file of weights, read without numpy: the name, the shape and the place of each weight.

A file of safetensors has the length of the header in 8 bytes, the header in JSON, and the numbers of all weights, end
to end (https://huggingface.co/docs/safetensors). Those of s2s have one key of metadata, with a format number and the
SHA-256 of the weights.
"""

import os
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from seq2seq_cli.errors import RESTORE, ModelFileError, unreadable
from seq2seq_cli.files.json_files import check_format, parse_json
from seq2seq_cli.files.reading import open_regular

FORMAT = 1

METADATA = "s2s"
"""The one key of the header's metadata: the library writes several keys in an order that changes from run to run."""
NUMBER_BYTES = 4
"""Size of a number; all of them are float32."""

_MOST_BYTES = 1_000_000
_MOST_AXES = 8

Places = dict[str, list[int]]
"""For each weight by its name, its first byte in the file of weights, the number of bytes, and its shape."""


class Header(NamedTuple):
    """The description of the weights in a file."""

    places: Places
    """The weights lie in the file without gaps, the first after the header, the last at the end of the file."""
    start: int
    """The first byte after the header."""
    sha256: object
    """The digest that the file names."""

    @property
    def parameters(self) -> int:
        """The number of weights."""
        return sum(length for _, length, *_ in self.places.values()) // NUMBER_BYTES

    def rows(self, name: str) -> int:
        """The number of rows of a weight; 0 where there is none with this name."""
        return next(iter(self.places.get(name, [])[2:]), 0)


def read_header(path: Path) -> Header:
    """Read the header of a file of weights.

    Raises ModelFileError when the file is missing, damaged, cut short, none of s2s, or made by a newer s2s.
    """
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            length = int.from_bytes(file.read(8), "little")
            header = parse_json(file.read(min(length, _MOST_BYTES)))
        metadata = header.pop("__metadata__", {}).get(METADATA)
        start = 8 + length
        places = {name: _place(tensor, start) for name, tensor in header.items()}
    except FileNotFoundError:
        raise ModelFileError(f"{path}: no such file: no epoch of this run is finished yet") from None
    except OSError as error:
        raise ModelFileError(unreadable(path, error)) from None
    except (ValueError, LookupError, TypeError, AttributeError):
        raise ModelFileError(f"{path}: damaged, or not a safetensors file: {RESTORE}") from None
    described = _described(metadata, path)
    if not _fill(places, start, size):
        raise ModelFileError(f"{path}: damaged: it is cut short: {RESTORE}")
    return Header(places, start, described.get("sha256"))


def _described(metadata: object, path: Path) -> dict[str, Any]:
    try:
        if not isinstance(metadata, str):
            raise ValueError("no text")  # noqa: TRY004, TRY301  # as for a damaged one
        described = parse_json(metadata.encode("utf-8"))
    except ValueError:
        raise ModelFileError(f"{path}: not a file of s2s: it has no format number") from None
    return check_format(described, path, newest=FORMAT, error=ModelFileError)


def _place(tensor: dict[str, Any], start: int) -> list[int]:
    """The place of a tensor of the header; raises ValueError, LookupError or TypeError when it has none."""
    shape, (begin, end) = tensor["shape"], tensor["data_offsets"]
    numbers = [begin, end, *shape]
    if tensor["dtype"] != "F32" or len(shape) > _MOST_AXES or any(type(n) is not int or n < 0 for n in numbers):
        raise ValueError("no weight of s2s")
    if end - begin != NUMBER_BYTES * prod(shape):
        raise ValueError("a shape of another size")
    return [start + begin, end - begin, *shape]


def _fill(places: Places, start: int, size: int) -> bool:
    """Whether the weights fill a file of this size, each once."""
    at = start
    for begin, length, *_ in sorted(places.values()):
        if begin != at:
            return False
        at += length
    return at == size > start
