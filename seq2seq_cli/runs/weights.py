"""Files of weights: safetensors (https://huggingface.co/docs/safetensors), a header, and the numbers of all weights.

Files of s2s are float32, and have one key of metadata, with a format number and the SHA-256 of the weights.
"""

import json
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from seq2seq_cli.errors import RESTORE, ModelFileError, unreadable
from seq2seq_cli.files.reading import FORMAT, check_format, open_regular, parse_json
from seq2seq_cli.files.writing import write_whole

METADATA = "s2s"
"""The one key of the header's metadata: the library writes several keys in an order that changes from run to run."""
_NUMBER = np.dtype("<f4")
_MOST_AXES = 8

Places = dict[str, list[int]]
"""For each weight by its name, its first byte in the file of weights, the number of bytes, and its shape."""


class Header(NamedTuple):
    """The description of the weights in a file."""

    places: Places
    """In the order of the file, in which the weights lie without gaps, the last at its end."""
    sha256: object
    """The digest that the file names."""

    @property
    def parameters(self) -> int:
        """The number of weights."""
        return sum(length for _, length, *_ in self.places.values()) // _NUMBER.itemsize


Weights: TypeAlias = Mapping[str, NDArray[Any]]
"""The weights of a model by their names; a matrix that is tied to another is there once."""


def read_header(path: Path) -> Header:
    """Read the header of a file of weights; ModelFileError for one that is missing, damaged, or not of this s2s."""
    try:
        open_regular(path).close()  # the library would wait for a named pipe
        with safe_open(path, framework="numpy") as file:
            slices = {name: file.get_slice(name) for name in file.offset_keys()}
            shapes = {name: each.get_shape() for name, each in slices.items()}
            is_ours = all(each.get_dtype() == "F32" for each in slices.values())
            metadata = (file.metadata() or {}).get(METADATA, "")
        place = path.stat().st_size - _NUMBER.itemsize * sum(map(prod, shapes.values()))
    except FileNotFoundError:
        raise ModelFileError(f"{path}: no such file: no epoch of this run is finished yet") from None
    except OSError as error:
        raise ModelFileError(unreadable(path, error)) from None
    except SafetensorError:
        raise ModelFileError(f"{path}: damaged, cut short, or not a safetensors file: {RESTORE}") from None
    try:
        described = parse_json(metadata.encode("utf-8"))
    except ValueError:
        described = None
    if not is_ours or described is None or max(map(len, shapes.values()), default=_MOST_AXES + 1) > _MOST_AXES:
        raise ModelFileError(f"{path}: not a file of s2s: it has no format number, or other numbers than float32")
    check_format(described, path, error=ModelFileError)
    places: Places = {}
    for name, shape in shapes.items():
        places[name] = [place, _NUMBER.itemsize * prod(shape), *shape]
        place += _NUMBER.itemsize * prod(shape)
    return Header(places, described.get("sha256"))


def save_weights(path: Path, weights: Weights) -> None:
    """Write the weights, whole or not at all; raises OSError when that cannot be done."""
    from safetensors.numpy import save  # not above: reading does without it

    arrays = {name: np.ascontiguousarray(array) for name, array in weights.items()}
    metadata = {METADATA: json.dumps({"format": FORMAT, "sha256": _digest(arrays)})}
    write_whole(path, save(arrays, metadata))


def read_weights(path: Path) -> Weights:
    """Read what `save_weights` wrote; ModelFileError as `read_header`, and for a weight that is not finite."""
    from safetensors.numpy import load_file  # not above: the exported model does without it

    header, weights = read_header(path), load_file(path)
    if header.sha256 != _digest(weights):
        raise ModelFileError(f"{path}: damaged: its weights are not what was saved: {RESTORE}")
    if not all(np.isfinite(array).all() for array in weights.values()):
        raise ModelFileError(f"{path}: damaged: some of its weights are NaN or infinite: {RESTORE}")
    return weights


def _digest(weights: Weights) -> str:
    """SHA-256 of names, types, shapes and numbers, in the order of the names."""
    import hashlib  # not above: OpenSSL takes a while to load

    digest = hashlib.sha256()
    for name, array in sorted(weights.items()):
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(array.reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
