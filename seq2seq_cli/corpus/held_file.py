"""Files that are opened once and held: they stay what they were when their folder is replaced or removed."""

import hashlib
import os
import sys
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path

from seq2seq_cli.errors import PreparedFolderError
from seq2seq_cli.files.reading import open_regular

_PART = 1 << 20
"""Bytes that are hashed at a time."""

if sys.platform == "win32":  # which has no pread; there one thread reads at a time

    def _pread(descriptor: int, size: int, offset: int) -> bytes:
        os.lseek(descriptor, offset, os.SEEK_SET)
        return os.read(descriptor, size)

else:
    _pread = os.pread


class HeldFile:
    """An open file. It is read, not memory-mapped: a mapped file that is cut kills the process that reads it."""

    def __init__(self, path: Path) -> None:
        """Open the file; raises OSError when it cannot be opened, or is no regular file."""
        self.path = path
        with open_regular(path) as file:
            self._descriptor = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._descriptor)
        opened = os.fstat(self._descriptor)
        self._place = opened.st_dev, opened.st_ino
        self._written = opened.st_size, opened.st_mtime_ns

    @property
    def size(self) -> int:
        """Bytes when it was opened."""
        return self._written[0]

    def read(self, *, most: int | None = None) -> bytes:
        """The content, or its first `most` bytes."""
        size = self.size if most is None else min(most, self.size)
        # The system reads at most 2 GB at a time.
        return b"".join(_pread(self._descriptor, min(_PART, size - offset), offset) for offset in range(0, size, _PART))

    def read_slices(self, starts: Iterable[int], sizes: Iterable[int]) -> bytes:
        """Parts of the content, one after the other; shorter where the file has been cut."""
        descriptor = self._descriptor
        return b"".join([_pread(descriptor, size, start) for start, size in zip(starts, sizes, strict=True)])

    def lines(self) -> Iterator[bytes]:
        """The lines without their ends, read a part at a time; a line without an end is left out."""
        rest = b""
        for offset in range(0, self.size, _PART):
            *whole, rest = (rest + _pread(self._descriptor, min(_PART, self.size - offset), offset)).split(b"\n")
            yield from whole

    def sha256(self) -> str:
        """The hash of the content, in hexadecimal digits."""
        whole = hashlib.sha256()
        for offset in range(0, self.size, _PART):
            whole.update(_pread(self._descriptor, min(_PART, self.size - offset), offset))
        return whole.hexdigest()

    def was_written_to(self) -> bool:
        """Whether the open file, wherever it is now, was written to or cut since it was opened."""
        now = os.fstat(self._descriptor)
        return (now.st_size, now.st_mtime_ns) != self._written

    def is_in_place(self) -> bool:
        """Whether the file is still at its path, and as it was when it was opened."""
        try:
            now = self.path.stat()
        except OSError:
            return False
        return (now.st_dev, now.st_ino) == self._place and (now.st_size, now.st_mtime_ns) == self._written


def changed_error(file: HeldFile) -> PreparedFolderError:
    """The error about a file that was written to since it was opened."""
    return PreparedFolderError(f"{file.path}: changed since it was opened: prepare the same corpus again")
