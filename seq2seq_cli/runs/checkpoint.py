"""The checkpoint to resume from: written whole, hashed, and the one before it kept.

last/training.pt  what torch.save makes of the state, and a line behind it with the format and the SHA-256 of that
last/previous.pt  the checkpoint before it, for the day on which that one is damaged
"""

import contextlib
import hashlib
import logging
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import torch

from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.files import whole_file

FORMAT = 2

_SEAL = "\ns2s training, format {format:04d}, sha256 {digest}\n"
_SEAL_PATTERN = re.compile(rb"\ns2s training, format (\d{4}), sha256 ([0-9a-f]{64})\n")
_SEAL_BYTES = len(_SEAL.format(format=FORMAT, digest="0" * 64))
_CHUNK = 1 << 20

logger = logging.getLogger(__name__)


class _DamagedError(ModelFileError):
    """A checkpoint is missing or is not what was written: the one before it may do."""


def save_checkpoint(path: Path, captured: Mapping[str, Any]) -> None:
    """Write a dict of tensors and plain values; what was there before becomes ``previous.pt`` beside it.

    Raises OSError when it cannot be written: both files are then as before.
    """
    with whole_file(path) as file:
        writer = _HashingWriter(file)
        torch.save(dict(captured), cast("IO[bytes]", writer))
        file.write(_SEAL.format(format=FORMAT, digest=writer.hexdigest()).encode("ascii"))
        file.flush()
        _keep_as_previous(path)


def load_checkpoint(path: Path) -> dict[str, Any]:
    """What was saved last, on the CPU; where that is damaged, what was saved before it, and a warning.

    Raises ModelFileError when neither can be used, or when a newer s2s wrote it.
    """
    if not path.is_file():
        raise ModelFileError(f"{path}: nothing to resume from: no such file; train anew with --overwrite")
    try:
        return _read(path)
    except _DamagedError as damage:
        try:
            captured = _read(_previous(path))
        except _DamagedError:
            raise damage from None
        logger.warning("%s: damaged: going on from %s, which was saved before it", path, _previous(path))
        return captured


def _read(path: Path) -> dict[str, Any]:
    _check_seal(path)
    try:
        captured = torch.load(path, map_location="cpu", weights_only=True)
    # torch.load raises whatever the bytes lead it to.
    except Exception as error:
        raise ModelFileError(f"{path}: damaged ({type(error).__name__}); train anew with --overwrite") from error
    if not isinstance(captured, dict):
        raise ModelFileError(f"{path}: damaged: holds no state of a training; train anew with --overwrite")
    return captured


def _check_seal(path: Path) -> None:
    """Raise _DamagedError unless the file is what was written, ModelFileError for one of a newer s2s."""
    cure = "train anew with --overwrite"
    try:
        with path.open("rb") as file:
            size = max(0, file.seek(0, os.SEEK_END) - _SEAL_BYTES)
            file.seek(size)
            seal = _SEAL_PATTERN.fullmatch(file.read())
            if seal is None:
                raise _DamagedError(f"{path}: damaged, or not a checkpoint of this s2s: it has no hash; {cure}")
            if int(seal[1]) > FORMAT:
                raise ModelFileError(f"{path}: made by a newer s2s (format {int(seal[1])}); upgrade s2s")
            file.seek(0)
            digest = hashlib.sha256()
            while size:
                chunk = file.read(min(_CHUNK, size))
                digest.update(chunk)
                size -= len(chunk)
    except OSError as error:
        raise _DamagedError(f"{path}: cannot be read: {error.strerror}; {cure}") from error
    if digest.hexdigest().encode("ascii") != seal[2]:
        raise _DamagedError(f"{path}: damaged: its content is not what was saved; {cure}")


def _keep_as_previous(path: Path) -> None:
    """Give a whole checkpoint a second name, under which it stays when the first one goes to a newer file."""
    with contextlib.suppress(ModelFileError):
        _check_seal(path)
        # A file system without links has no previous checkpoint; the last one is as safe there.
        with contextlib.suppress(OSError):
            _previous(path).unlink(missing_ok=True)
            os.link(path, _previous(path))


def _previous(path: Path) -> Path:
    return path.with_name("previous.pt")


class _HashingWriter:
    """Passes on to a file what torch.save writes, and hashes it on the way."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self._error: OSError | None = None

    def write(self, content: bytes | memoryview) -> int:
        """Write, unless that has failed before: torch, closing its archive after an error, would hide that error."""
        if self._error is None:
            try:
                self._file.write(content)
            except OSError as error:
                self._error = error
        self._digest.update(content)
        return len(content)

    def flush(self) -> None:
        """Nothing to do: the whole file is flushed at its end."""

    def hexdigest(self) -> str:
        """Of all that was written; raises the OSError that stopped it."""
        if self._error is not None:
            raise self._error
        return self._digest.hexdigest()
