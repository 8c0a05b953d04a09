"""Files of weights: safetensors, with a format number and the SHA-256 of the weights in the header."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.errors import RESTORE, ModelFileError
from seq2seq_cli.files.reading import open_regular
from seq2seq_cli.files.writing import whole_file
from seq2seq_cli.runs.weights_header import FORMAT, METADATA, NUMBER_BYTES, Header, read_header

Weights: TypeAlias = Mapping[str, NDArray[Any]]
"""The weights of a model by their names; a matrix that is tied to another is there once."""

_NUMBER = np.dtype("<f4")
_PART = 2**16
"""Numbers that are checked at a time."""


def save_weights(path: Path, weights: Weights) -> None:
    """Write the weights, whole or not at all; raises OSError when that cannot be done."""
    from safetensors.numpy import save  # reading does without the library

    arrays = {name: np.ascontiguousarray(array) for name, array in weights.items()}
    metadata = {METADATA: json.dumps({"format": FORMAT, "sha256": _digest(arrays)})}
    with whole_file(path) as file:
        file.write(save(arrays, metadata))


def read_weights(path: Path) -> Weights:
    """Read what `save_weights` wrote.

    Raises ModelFileError when it is missing, damaged, or made by a newer s2s, and when a weight is not finite.
    """
    header = read_header(path)
    with open_regular(path) as file:
        file.seek(header.start)
        numbers = np.fromfile(file, _NUMBER, header.parameters)
    if len(numbers) < header.parameters:
        raise ModelFileError(f"{path}: damaged: it is cut short: {RESTORE}")
    weights = _cut(numbers, header)
    if header.sha256 != _digest(weights):
        raise ModelFileError(f"{path}: damaged: its weights are not what was saved: {RESTORE}")
    _check_finite(numbers, path)
    return weights


def check_finite(path: Path) -> None:
    """Raise ModelFileError when a weight in a file is not finite, or when the file cannot be read.

    The weights are not compared with their digest. In parts: that takes half the time of a map, and no memory.
    """
    part = np.empty(_PART, _NUMBER)
    start = read_header(path).start
    with open_regular(path) as file:
        file.seek(start)
        while size := file.readinto(part):  # type: ignore[attr-defined]  # of BufferedReader
            _check_finite(part[: size // NUMBER_BYTES], path)


def map_weights(path: Path) -> Weights:
    """The weights of a file, read from the disk as they are used, and not compared with their digest.

    Raises ModelFileError when the file is missing, cut short, or not one of weights.
    """
    header = read_header(path)
    return _cut(np.memmap(path, _NUMBER, "r", offset=header.start), header)


def _cut(numbers: NDArray[Any], header: Header) -> Weights:
    """The weights by their names, from the numbers of all."""
    cut = {}
    for name, (begin, length, *shape) in header.places.items():
        first = (begin - header.start) // NUMBER_BYTES
        cut[name] = numbers[first : first + length // NUMBER_BYTES].reshape(shape)
    return cut


def _check_finite(numbers: NDArray[Any], path: Path) -> None:
    """Raise ModelFileError unless all numbers are finite."""
    with np.errstate(all="ignore"):
        # Where the sum is finite, so is every number: one pass for nearly all files.
        if not math.isfinite(np.add.reduce(numbers)) and not np.isfinite(numbers).all():
            raise ModelFileError(f"{path}: damaged: some of its weights are NaN or infinite: {RESTORE}")


def _digest(weights: Weights) -> str:
    """SHA-256 of names, types, shapes and numbers, in the order of the names."""
    import hashlib  # not above: OpenSSL takes a while to load

    digest = hashlib.sha256()
    for name, array in sorted(weights.items()):
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
