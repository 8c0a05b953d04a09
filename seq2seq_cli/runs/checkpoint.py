"""The checkpoint to resume from: written whole, and the one before it is kept.

last/training.pt  the archive of torch.save, a zip file, which has a checksum of each of its parts
last/previous.pt  the checkpoint before it, in case that one is damaged
"""

import contextlib
import io
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import torch

from seq2seq_cli.compute.process import is_out_of_memory
from seq2seq_cli.errors import ModelFileError, unreadable
from seq2seq_cli.files.reading import DAMAGE, FORMAT, check_format, open_regular
from seq2seq_cli.files.writing import whole_file
from seq2seq_cli.runs.layout import PREVIOUS

_CURE = "train again with --overwrite"

logger = logging.getLogger(__name__)


class _DamagedError(ModelFileError):
    """A checkpoint is missing or damaged: the one before it is tried."""


def save_checkpoint(path: Path, checkpoint: Mapping[str, Any]) -> None:
    """Write a dict of tensors and plain values; the file that was there becomes ``previous.pt`` beside it.

    Raises OSError when it cannot be written: both files are then as before.
    """
    archive = io.BytesIO()
    torch.save({**checkpoint, "format": FORMAT}, archive)
    previous = path.with_name(PREVIOUS.name)
    with whole_file(path) as file:
        file.write(archive.getbuffer())
        file.flush()
        os.fsync(file.fileno())  # a full disk may show here
        # A file system without links has no previous checkpoint; the last one is as safe there.
        with contextlib.suppress(ModelFileError, OSError):
            _archive(path)  # raises where it is damaged: the one before it then stays
            previous.unlink(missing_ok=True)
            os.link(path, previous)


def load_checkpoint(path: Path) -> dict[str, Any]:
    """The newest checkpoint, on the CPU; the one before it, with a warning, where the newest is missing or damaged.

    Raises ModelFileError when neither can be used, or when a newer s2s wrote it.
    """
    previous = path.with_name(PREVIOUS.name)
    try:
        return _read(path)
    except _DamagedError as damage:
        try:
            checkpoint = _read(previous)
        except _DamagedError:
            raise damage from None
        problem = "damaged" if path.exists() else "missing"
        logger.warning("%s: %s: going on from %s, which was saved before it", path, problem, previous)
        return checkpoint


def _read(path: Path) -> dict[str, Any]:
    content = _archive(path)
    try:
        checkpoint = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    # Damaged bytes can lead torch.load to any error.
    except Exception as error:
        if is_out_of_memory(error):
            raise
        raise ModelFileError(f"{path}: damaged ({type(error).__name__}); {_CURE}") from error
    return check_format(checkpoint, path, error=ModelFileError, cure=_CURE)


def _archive(path: Path) -> bytes:
    """The content of the file; _DamagedError unless it is what was written."""
    try:
        with open_regular(path) as file:
            content = file.read()
        with ZipFile(io.BytesIO(content)) as archive:
            if archive.testzip():
                raise BadZipFile("another checksum")
    except FileNotFoundError:
        raise _DamagedError(f"{path}: nothing to resume from: no such file; {_CURE}") from None
    except OSError as error:
        raise _DamagedError(f"{unreadable(path, error)}; {_CURE}") from error
    except DAMAGE:
        raise _DamagedError(f"{path}: damaged: its content is not what was saved; {_CURE}") from None
    return content
