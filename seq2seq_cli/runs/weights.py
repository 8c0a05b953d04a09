"""Files of weights: safetensors, with a format number and the SHA-256 of the weights in the header."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.files.json_files import check_format
from seq2seq_cli.files.writing import whole_file

# safetensors is imported where a file is read or written: listing runs and showing help do without it.

FORMAT = 1

Weights: TypeAlias = Mapping[str, NDArray[Any]]
"""The weights of a model by their names; a matrix that is tied to another is there once."""

_MOST_HEADER_BYTES = 100_000_000
"""The library's own limit."""

_METADATA = "s2s"
"""The one key of the header's metadata: the library writes several keys in an order that changes from run to run."""


def save_weights(path: Path, weights: Weights) -> None:
    """Write the weights, whole or not at all; raises OSError when that cannot be done."""
    from safetensors.numpy import save

    arrays = {name: np.ascontiguousarray(array) for name, array in weights.items()}
    metadata = {_METADATA: json.dumps({"format": FORMAT, "sha256": _digest(arrays)})}
    with whole_file(path) as file:
        file.write(save(arrays, metadata))


def read_weights(path: Path) -> Weights:
    """Read what `save_weights` wrote; raises ModelFileError when it is missing, damaged, or made by a newer s2s."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise ModelFileError(f"{path}: no such file: no epoch of this run is finished yet")
    try:
        with safe_open(path, framework="np") as file:
            described = _metadata(file.metadata(), path)
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # not a dict
    except (SafetensorError, OSError) as error:
        raise ModelFileError(
            f"{path}: damaged, or not a safetensors file ({error}): restore it, or train anew"
        ) from error
    if described.get("sha256") != _digest(weights):
        raise ModelFileError(f"{path}: damaged: its weights are not what was saved: restore it, or train anew")
    return weights


def weight_places(path: Path) -> dict[str, list[int]]:
    """For each weight in the file by its name: its first byte, the number of its bytes, and its shape.

    The numbers are not read. Raises ModelFileError when the file is missing, cut short, or not one of weights.
    """
    if not path.is_file():
        raise ModelFileError(f"{path}: no such file: no epoch of this run is finished yet")
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(min(size, _MOST_HEADER_BYTES)))
        _metadata(header.pop("__metadata__", None), path)
        places = {
            name: [8 + size + begin, end - begin, *tensor["shape"]]
            for name, tensor in header.items()
            for begin, end in [tensor["data_offsets"]]
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelFileError(f"{path}: damaged, or not a safetensors file: restore it, or train anew") from error
    if path.stat().st_size != max((begin + length for begin, length, *_ in places.values()), default=8 + size):
        raise ModelFileError(f"{path}: damaged: it is cut short: restore it, or train anew")
    return places


def map_weights(path: Path) -> Weights:
    """The weights of a file, read from the disk as they are used, and not compared with their digest.

    Raises ModelFileError when the file is missing, cut short, or not one of weights.
    """
    places = weight_places(path)
    return {
        name: np.memmap(path, np.float32, "r", offset=offset, shape=tuple(shape))
        for name, (offset, _, *shape) in places.items()
    }


def _metadata(found: dict[str, str] | None, path: Path) -> dict[str, Any]:
    try:
        described = json.loads((found or {})[_METADATA])
    except (KeyError, ValueError):
        raise ModelFileError(f"{path}: not a file of s2s: it has no format number") from None
    return check_format(described, path, newest=FORMAT, error=ModelFileError)


def _digest(weights: Weights) -> str:
    """SHA-256 of names, types, shapes and numbers, in the order of the names."""
    import hashlib  # not above: OpenSSL takes a while to load

    digest = hashlib.sha256()
    for name, array in sorted(weights.items()):
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
