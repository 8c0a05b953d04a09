"""A folder with copies of valid files, made as new before each case."""

import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

_OLD = 10**18
"""The time of each copy, in nanoseconds: whatever is written later has another one."""


class Sandbox:
    """Copies of some files and folders; only what a case has changed is copied again."""

    def __init__(self, valid: Path, folder: Path, patterns: Iterable[str]) -> None:
        """Fill a new `folder` with copies of what matches the patterns at the top of `valid`."""
        self._valid, self.folder = valid, folder
        folder.mkdir(parents=True)
        tops = [top for pattern in patterns for top in valid.glob(pattern)]
        self._known = {path: (0, 0, 0, 0) for top in tops for path in (top.name, *_below(valid, top.name))}
        self.restore()

    def restore(self) -> None:
        """Remove what is new, and copy again what was changed or removed."""
        found = {path: _state(self.folder / path) for path in _below(self.folder, "")}
        for path in sorted(found, reverse=True):
            if found[path] != self._known.get(path):
                _remove(self.folder / path)
                del found[path]
        for path in sorted(self._known.keys() - found.keys()):
            source, copy = self._valid / path, self.folder / path
            if source.is_dir():
                copy.mkdir(exist_ok=True)
            else:
                shutil.copyfile(source, copy)
                os.utime(copy, ns=(_OLD, _OLD))
            self._known[path] = _state(copy)


def _below(folder: Path, name: str) -> Iterator[str]:
    """All paths below a name in a folder, relative to that folder."""
    for top, folders, files in os.walk(folder / name):
        yield from (os.path.relpath(os.path.join(top, each), folder) for each in (*folders, *files))  # noqa: PTH118


def _state(path: Path) -> tuple[int, int, int, int]:
    """What a change of a path changes, too; of a folder, its existence alone."""
    status = path.lstat()
    if stat.S_ISDIR(status.st_mode):
        return status.st_mode, 0, 0, 0
    return status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
