"""Files of weights: safetensors, with a format number and the SHA-256 of the weights in the header."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.errors import RESTORE, ModelFileError
from seq2seq_cli.files.writing import whole_file
from seq2seq_cli.runs.weights_header import FORMAT, METADATA, NUMBER_BYTES, Header, read_header

Weights: TypeAlias = Mapping[str, NDArray[Any]]
"""The weights of a model by their names; a matrix that is tied to another is there once."""

_NUMBER = np.dtype("<f4")


def save_weights(path: Path, weights: Weights) -> None:
    """Write the weights, whole or not at all; raises OSError when that cannot be done."""
    from safetensors.numpy import save  # not above: reading does without it

    arrays = {name: np.ascontiguousarray(array) for name, array in weights.items()}
    metadata = {METADATA: json.dumps({"format": FORMAT, "sha256": _digest(arrays)})}
    with whole_file(path) as file:
        file.write(save(arrays, metadata))


def read_weights(path: Path) -> Weights:
    """Read what `save_weights` wrote.

    Raises ModelFileError when it is missing, damaged, or made by a newer s2s, and when a weight is not finite.
    """
    header = read_header(path)
    numbers = np.fromfile(path, _NUMBER, header.parameters, offset=header.start)
    weights = _cut(numbers, header)
    if header.sha256 != _digest(weights):
        raise ModelFileError(f"{path}: damaged: its weights are not what was saved: {RESTORE}")
    if not np.isfinite(numbers).all():
        raise ModelFileError(f"{path}: damaged: some of its weights are NaN or infinite: {RESTORE}")
    return weights


def map_weights(path: Path, header: Header) -> Weights:
    """The weights of a file with this header, read from the disk as they are used, and not compared with a digest."""
    return _cut(np.memmap(path, _NUMBER, "r", offset=header.start), header)


def _cut(numbers: NDArray[Any], header: Header) -> Weights:
    """The weights by their names, from the numbers of all."""
    ends = np.cumsum([length // NUMBER_BYTES for _, length, *_ in header.places.values()])
    parts = zip(header.places.items(), np.split(numbers, ends[:-1]), strict=True)
    return {name: part.reshape(shape) for (name, (_, _, *shape)), part in parts}


def _digest(weights: Weights) -> str:
    """SHA-256 of names, types, shapes and numbers, in the order of the names."""
    import hashlib  # not above: OpenSSL takes a while to load

    digest = hashlib.sha256()
    for name, array in sorted(weights.items()):
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
