"""The checkpoint to resume from: written whole, with a hash, and the one before it is kept.

last/training.pt  the archive of torch.save, then a seal: a line of JSON with the format and the archive's SHA-256
last/previous.pt  the checkpoint before it, in case that one is damaged
"""

import contextlib
import hashlib
import io
import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from seq2seq_cli.compute.process import is_out_of_memory
from seq2seq_cli.errors import ModelFileError, unreadable
from seq2seq_cli.files.reading import FORMAT, check_format, open_regular, parse_json
from seq2seq_cli.files.writing import whole_file
from seq2seq_cli.runs.layout import PREVIOUS

_SEAL_BYTES = 128
_CURE = "train again with --overwrite"

logger = logging.getLogger(__name__)


class _DamagedError(ModelFileError):
    """A checkpoint is missing or damaged: the one before it is tried."""


def save_checkpoint(path: Path, checkpoint: Mapping[str, Any]) -> None:
    """Write a dict of tensors and plain values; the file that was there becomes ``previous.pt`` beside it.

    Raises OSError when it cannot be written: both files are then as before.
    """
    archive = io.BytesIO()
    torch.save(dict(checkpoint), archive)
    content = archive.getbuffer()
    seal = {"format": FORMAT, "sha256": hashlib.sha256(content).hexdigest()}
    previous = path.with_name(PREVIOUS.name)
    with whole_file(path) as file:
        file.write(content)
        file.write(f"\n{json.dumps(seal):<{_SEAL_BYTES - 2}}\n".encode("ascii"))
        file.flush()
        os.fsync(file.fileno())  # a full disk may show here
        # A file system without links has no previous checkpoint; the last one is as safe there.
        with contextlib.suppress(ModelFileError, OSError):
            _sealed(path)  # raises where it is damaged: the one before it then stays
            previous.unlink(missing_ok=True)
            os.link(path, previous)


def load_checkpoint(path: Path) -> dict[str, Any]:
    """The newest checkpoint, on the CPU; the one before it, with a warning, where the newest is missing or damaged.

    Raises ModelFileError when neither can be used, or when a newer s2s wrote it.
    """
    previous = path.with_name(PREVIOUS.name)
    try:
        return _read(path)
    except _DamagedError:
        with contextlib.suppress(_DamagedError):
            checkpoint = _read(previous)
            problem = "damaged" if path.exists() else "missing"
            logger.warning("%s: %s: going on from %s, which was saved before it", path, problem, previous)
            return checkpoint
        raise


def _read(path: Path) -> dict[str, Any]:
    content = _sealed(path)
    try:
        checkpoint = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    # Damaged bytes can lead torch.load to any error.
    except Exception as error:
        if is_out_of_memory(error):
            raise
        raise ModelFileError(f"{path}: damaged ({type(error).__name__}); {_CURE}") from error
    if not isinstance(checkpoint, dict):
        raise ModelFileError(f"{path}: damaged: holds no state of a training; {_CURE}")
    return checkpoint


def _sealed(path: Path) -> bytes:
    """The archive; _DamagedError unless it is what was written, ModelFileError for a file of a newer s2s."""
    try:
        with open_regular(path) as file:
            content = file.read()
    except FileNotFoundError:
        raise _DamagedError(f"{path}: nothing to resume from: no such file; {_CURE}") from None
    except OSError as error:
        raise _DamagedError(f"{unreadable(path, error)}; {_CURE}") from error
    archive = content[:-_SEAL_BYTES]
    try:
        seal = parse_json(content[-_SEAL_BYTES:])
    except ValueError:
        raise _DamagedError(f"{path}: damaged, or not a checkpoint of this s2s: it has no hash; {_CURE}") from None
    seal = check_format(seal, path, error=ModelFileError)
    if seal.get("sha256") != hashlib.sha256(archive).hexdigest():
        raise _DamagedError(f"{path}: damaged: its content is not what was saved; {_CURE}")
    return archive
