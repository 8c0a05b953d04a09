"""Files of weights: safetensors, with a format number and a SHA-256 of the tensors in the header."""

import hashlib
import json
import struct
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as to_safetensors

from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.files import whole_file
from seq2seq_cli.model.seq2seq import Seq2Seq

FORMAT = 1


def save_weights(path: Path, model: Seq2Seq) -> None:
    """Write the weights, whole or not at all; raises OSError when that cannot be done."""
    weights = {name: tensor.cpu().contiguous() for name, tensor in _own_weights(model).items()}
    metadata = {"s2s_format": str(FORMAT), "sha256": _digest(weights)}
    header, tensors = _with_metadata(memoryview(to_safetensors(weights)), metadata)
    with whole_file(path) as file:
        file.write(header)
        file.write(tensors)


def load_weights(path: Path, model: Seq2Seq) -> None:
    """Give ``model`` the weights of a file; ModelFileError when they are damaged or do not fit."""
    weights = _read(path)
    expected = {name: tensor.shape for name, tensor in _own_weights(model).items()}
    if {name: tensor.shape for name, tensor in weights.items()} != expected:
        raise ModelFileError(f"{path}: its weights are not those of the model that the run's config.yaml describes")
    # What is tied to another is not in the file, and comes with the other.
    model.load_state_dict(weights, strict=False)


def _read(path: Path) -> dict[str, torch.Tensor]:
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            _check_format(metadata.get("s2s_format"), path)
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # not a dict
    except (SafetensorError, OSError) as error:
        raise ModelFileError(
            f"{path}: damaged, or not a safetensors file ({error}): restore it, or train anew"
        ) from error
    # The first versions of s2s wrote no hash.
    if metadata.get("sha256", digest := _digest(weights)) != digest:
        raise ModelFileError(f"{path}: damaged: its weights are not what was saved: restore it, or train anew")
    return weights


def _with_metadata(content: memoryview, metadata: dict[str, str]) -> tuple[bytes, memoryview]:
    """A safetensors file with metadata in the order given: the header with its length before it, and the tensors.

    The library's own order changes from one process to the next, and the same weights are to be the same file.
    """
    (length,) = struct.unpack_from("<Q", content)
    start = struct.calcsize("<Q")
    described = json.loads(bytes(content[start : start + length]))
    header = json.dumps({"__metadata__": metadata, **described}).encode("utf-8")
    header += b" " * (-len(header) % 8)  # the tensors begin at a multiple of eight
    return struct.pack("<Q", len(header)) + header, content[start + length :]


def _check_format(found: object, path: Path) -> None:
    if not str(found).isdecimal():
        raise ModelFileError(f"{path}: not a file of s2s: it has no format number")
    if int(str(found)) > FORMAT:
        raise ModelFileError(f"{path}: made by a newer s2s (format {found}, known up to {FORMAT}); upgrade s2s")


def _own_weights(model: Seq2Seq) -> dict[str, torch.Tensor]:
    """The weights by name; a matrix that is tied to another is there once."""
    return {name: parameter.detach() for name, parameter in model.named_parameters()}


def _digest(weights: dict[str, torch.Tensor]) -> str:
    """SHA-256 of names, types, shapes and numbers, in the order of the names."""
    digest = hashlib.sha256()
    for name, tensor in sorted(weights.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
