"""The checkpoint to resume from: written whole, with checksums, and the one before it is kept.

last/training.pt  the archive of torch.save, a zip archive, which has a checksum of each of its parts
last/previous.pt  the checkpoint before it, in case that one is damaged
"""

import contextlib
import io
import logging
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from seq2seq_cli.compute.memory import is_out_of_memory
from seq2seq_cli.errors import ModelFileError, unreadable
from seq2seq_cli.files.json_files import FORMAT, check_format
from seq2seq_cli.files.reading import DAMAGE, open_regular
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
    torch.save({"format": FORMAT, **checkpoint}, archive)
    with whole_file(path) as file:
        file.write(archive.getbuffer())
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
    content = _undamaged(path)
    try:
        checkpoint = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
    # Damaged bytes can lead torch.load to any error.
    except Exception as error:
        if is_out_of_memory(error):
            raise
        raise ModelFileError(f"{path}: damaged ({type(error).__name__}); {_CURE}") from error
    return check_format(checkpoint, path, error=ModelFileError, cure=_CURE)


def _undamaged(path: Path) -> bytes:
    """The archive; _DamagedError unless its parts are what was written."""
    try:
        with open_regular(path) as file:
            content = file.read()
    except FileNotFoundError:
        raise _DamagedError(f"{path}: nothing to resume from: no such file; {_CURE}") from None
    except OSError as error:
        raise _DamagedError(f"{unreadable(path, error)}; {_CURE}") from error
    try:
        damaged_part = zipfile.ZipFile(io.BytesIO(content)).testzip()
    except DAMAGE:
        damaged_part = path.name
    if damaged_part:
        raise _DamagedError(f"{path}: damaged: its content is not what was saved; {_CURE}")
    return content


def _keep_as_previous(path: Path) -> None:
    """Give an undamaged checkpoint a second name, under which it stays when a newer file takes the first."""
    with contextlib.suppress(ModelFileError):
        _undamaged(path)
        # A file system without links has no previous checkpoint; the last one is as safe there.
        with contextlib.suppress(OSError):
            _previous(path).unlink(missing_ok=True)
            os.link(path, _previous(path))


def _previous(path: Path) -> Path:
    return path.with_name(PREVIOUS.name)
