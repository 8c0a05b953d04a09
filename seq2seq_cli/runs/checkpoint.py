"""The checkpoint to resume from: written whole, with a hash, and the one before it is kept.

last/training.pt  the archive of torch.save, then a seal: a line of JSON with the format and the archive's SHA-256
last/previous.pt  the checkpoint before it, in case that one is damaged
"""

import contextlib
import hashlib
import json
import logging
import os
import pickletools
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import torch

from seq2seq_cli.compute.memory import is_out_of_memory
from seq2seq_cli.errors import ModelFileError, unreadable
from seq2seq_cli.files.json_files import check_format, parse_json
from seq2seq_cli.files.reading import open_regular
from seq2seq_cli.files.writing import whole_file
from seq2seq_cli.runs.layout import PREVIOUS

FORMAT = 1

_BEGIN = b"PK\x03\x04"
_TYPE = re.compile(r"collections OrderedDict|torch._utils _rebuild_tensor_v2|torch \w+Storage")
"""What torch.save names in the pickle of a dict of tensors and plain values."""
_SEAL_BYTES = 128
_CHUNK = 1 << 20
_CURE = "train again with --overwrite"

logger = logging.getLogger(__name__)


class _DamagedError(ModelFileError):
    """A checkpoint is missing or damaged: the one before it is tried."""


def save_checkpoint(path: Path, checkpoint: Mapping[str, Any]) -> None:
    """Write a dict of tensors and plain values; the file that was there becomes ``previous.pt`` beside it.

    Raises OSError when it cannot be written: both files are then as before.
    """
    with whole_file(path) as file:
        writer = _HashingWriter(file)
        torch.save(dict(checkpoint), cast("IO[bytes]", writer))
        seal = {"format": FORMAT, "sha256": writer.hexdigest()}
        file.write(f"\n{json.dumps(seal):<{_SEAL_BYTES - 2}}\n".encode("ascii"))
        file.flush()
        _keep_as_previous(path)


def load_checkpoint(path: Path) -> dict[str, Any]:
    """The newest checkpoint, on the CPU; the one before it, with a warning, where the newest is missing or damaged.

    Raises ModelFileError when neither can be used, or when a newer s2s wrote it.
    """
    try:
        return _read(path)
    except _DamagedError as damage:
        try:
            checkpoint = _read(_previous(path))
        except _DamagedError:
            raise damage from None
        problem = "damaged" if path.exists() else "missing"
        logger.warning("%s: %s: going on from %s, which was saved before it", path, problem, _previous(path))
        return checkpoint


def _read(path: Path) -> dict[str, Any]:
    _check_seal(path)
    try:
        with open_regular(path) as file:
            _check_archive(file)
            checkpoint = torch.load(file, map_location="cpu", weights_only=True)
    # Damaged bytes can lead torch.load to any error.
    except Exception as error:
        if is_out_of_memory(error):
            raise
        raise ModelFileError(f"{path}: damaged ({type(error).__name__}); {_CURE}") from error
    if not isinstance(checkpoint, dict):
        raise ModelFileError(f"{path}: damaged: holds no state of a training; {_CURE}")
    return checkpoint


def _check_archive(file: BinaryIO) -> None:
    """Raise ValueError for what torch.save does not write here, and reading might take any memory for.

    That is an archive whose content is larger than the file, and a pickle that makes other objects than tensors.
    """
    if file.read(len(_BEGIN)) != _BEGIN:  # torch would read it as an older format
        raise ValueError("not an archive")
    with zipfile.ZipFile(file) as archive:
        content = sum(member.file_size for member in archive.infolist())
        if content > file.seek(0, os.SEEK_END):
            raise ValueError("compressed")
        for name in archive.namelist():
            if name.endswith(".pkl"):
                _check_types(archive.read(name))
    file.seek(0)


def _check_types(pickled: bytes) -> None:
    for opcode, argument, _ in pickletools.genops(pickled):
        if "GLOBAL" in opcode.name and not _TYPE.fullmatch(str(argument)):
            raise ValueError(f"holds {argument}")


def _check_seal(path: Path) -> None:
    """Raise _DamagedError unless the file is what was written, ModelFileError for one of a newer s2s."""
    try:
        with open_regular(path) as file:
            size = max(0, file.seek(0, os.SEEK_END) - _SEAL_BYTES)
            file.seek(size)
            try:
                seal = parse_json(file.read())
            except ValueError:
                raise _DamagedError(
                    f"{path}: damaged, or not a checkpoint of this s2s: it has no hash; {_CURE}"
                ) from None
            seal = check_format(seal, path, newest=FORMAT, error=ModelFileError)
            file.seek(0)
            digest = hashlib.sha256()
            while size:
                chunk = file.read(min(_CHUNK, size))
                digest.update(chunk)
                size -= len(chunk)
    except FileNotFoundError:
        raise _DamagedError(f"{path}: nothing to resume from: no such file; {_CURE}") from None
    except OSError as error:
        raise _DamagedError(f"{unreadable(path, error)}; {_CURE}") from error
    if digest.hexdigest() != seal.get("sha256"):
        raise _DamagedError(f"{path}: damaged: its content is not what was saved; {_CURE}")


def _keep_as_previous(path: Path) -> None:
    """Give an undamaged checkpoint a second name, under which it stays when a newer file takes the first."""
    with contextlib.suppress(ModelFileError):
        _check_seal(path)
        # A file system without links has no previous checkpoint; the last one is as safe there.
        with contextlib.suppress(OSError):
            _previous(path).unlink(missing_ok=True)
            os.link(path, _previous(path))


def _previous(path: Path) -> Path:
    return path.with_name(PREVIOUS.name)


class _HashingWriter:
    """A file for torch.save to write to, which hashes the content on the way."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self._error: OSError | None = None

    def write(self, content: bytes | memoryview) -> int:
        """Write, unless an earlier write failed: torch closes its archive after an error, and would hide the error."""
        if self._error is None:
            try:
                self._file.write(content)
            except OSError as error:
                self._error = error
        self._digest.update(content)
        return len(content)

    def flush(self) -> None:
        """Do nothing: the file is flushed once, at its end."""

    def hexdigest(self) -> str:
        """The SHA-256 of the content; raises the OSError that stopped a write."""
        if self._error is not None:
            raise self._error
        return self._digest.hexdigest()
