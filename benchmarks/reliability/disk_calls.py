"""The calls of this process that change the disk below a folder: counted, and one of them made to fail.

Every write, truncation, fsync, rename, link, removal and making of a file or folder is one call, as the operating
system sees it: a file that is opened to be written gets a raw file whose writes pass through here, whatever buffers are
above it.
"""

import builtins
import io
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_BY_PATH = ("mkdir", "rmdir", "unlink", "remove", "rename", "replace", "link", "symlink", "truncate")
"""Functions of ``os`` whose first arguments are paths."""
_BY_DESCRIPTOR = ("fsync", "ftruncate", "sendfile")
"""Those whose first argument is a descriptor of the file that is changed."""
_CREATES = os.O_CREAT | os.O_WRONLY | os.O_RDWR


@dataclass(kw_only=True)
class DiskCalls:
    """The calls in order, after `install`."""

    folder: Path
    """The folder below which calls count."""
    fails: int | None = None
    """The number of the call that fails, counted from 0; None: none does."""
    error: int = 0
    """The error number with which it fails."""
    record: Path | None = None
    """A file that gets a line per call; it must not lie in the folder."""
    _count: int = 0
    _open: Callable[..., Any] = field(default=io.open)

    def install(self) -> None:
        """Take the place of the functions of ``os`` and ``io``, to the end of this process."""
        for name in _BY_PATH:
            setattr(os, name, self._of_paths(name, getattr(os, name)))
        for name in _BY_DESCRIPTOR:
            setattr(os, name, self._of_descriptor(name, getattr(os, name)))
        os.open = self._os_open(os.open)
        io.open = builtins.open = self._opened

    def call(self, name: str, path: Path) -> None:
        """Count a call; raises OSError when it is the one to fail."""
        if not path.is_relative_to(self.folder):
            return
        number, self._count = self._count, self._count + 1
        if self.record:
            with self._open(self.record, "a", encoding="utf-8") as file:
                file.write(f"{name} {path.relative_to(self.folder)}\n")
        if number == self.fails:
            raise OSError(self.error, os.strerror(self.error), str(path))

    def _of_paths(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(path: Any, *arguments: Any, **options: Any) -> Any:
            within = options.get("dir_fd")
            self.call(name, _path(path) if within is None else _path_of(within) / os.fspath(path))
            return function(path, *arguments, **options)

        return called

    def _of_descriptor(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(descriptor: Any, *arguments: Any, **options: Any) -> Any:
            number = descriptor if isinstance(descriptor, int) else descriptor.fileno()
            self.call(name, _path_of(number))
            return function(descriptor, *arguments, **options)

        return called

    def _os_open(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(path: Any, flags: int, *arguments: Any, **options: Any) -> Any:
            if flags & _CREATES:
                self.call("open", _path(path))
            return function(path, flags, *arguments, **options)

        return called

    def _opened(self, file: Any, mode: str = "r", buffering: int = -1, *text: Any, **more: Any) -> Any:
        """`open`, whose file passes its writes through `call`."""
        if isinstance(file, int) or not set(mode) & set("wax+"):
            return self._open(file, mode, buffering, *text, **more)
        self.call("open", _path(file))
        raw = _CountedFile(self, os.fspath(file), mode.replace("b", "").replace("t", ""))
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, *text, **more)


class _CountedFile(io.FileIO):
    """A file whose writes are calls."""

    def __init__(self, calls: DiskCalls, path: str, mode: str) -> None:
        self._calls = calls
        super().__init__(path, mode)

    def write(self, content: Any) -> int:
        self._calls.call("write", _path(self.name))
        return super().write(content)

    def truncate(self, size: int | None = None) -> int:
        self._calls.call("truncate", _path(self.name))
        return super().truncate(size)


def _path(path: Any) -> Path:
    return Path(os.path.abspath(os.fspath(path)))  # noqa: PTH100  # resolve() would follow a link that is replaced


def _path_of(descriptor: int) -> Path:
    return Path(os.readlink(f"/proc/self/fd/{descriptor}"))  # noqa: PTH115  # opens no file
