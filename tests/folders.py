"""Files and folders: what is in them, and what goes wrong with them."""

import json
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


def contents(folder: Path) -> dict[str, bytes]:
    """The files in a folder and in those below, by their paths."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextmanager
def disk_full_after(size: int) -> Iterator[None]:
    """As on a full disk, no file of this process grows beyond so many bytes."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def change_header(path: Path, change: Callable[[Any], object]) -> None:
    """Rewrite the header of a file of weights: 8 bytes of length, JSON, numbers."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    changed = change(header)
    new = changed if isinstance(changed, bytes) else json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(new)) + new + content[8 + length :])
