"""Files on this machine's disk, hashed; standard input, which is called ``-``, and pipes are copied there."""

import hashlib
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path, PurePath
from tempfile import TemporaryFile, gettempdir
from typing import IO

from seq2seq_cli.errors import PairFileError, UsageError, one_line, unreadable
from seq2seq_cli.pairs.archives import open_file

STANDARD_INPUT = Path("-")


@dataclass(frozen=True, kw_only=True)
class LocalFile:
    """A file on this machine's disk that can be read more than once."""

    path: Path | int
    """The descriptor of an open file where it has no name: nothing is left of it when this process is killed."""
    name: str
    """As the user gave it, for messages."""
    size: int
    """Bytes on the disk, packed or not."""
    sha256: str

    @property
    def base_name(self) -> str:
        """The name without folders, in a form that a table's cell can hold: a name may have line ends and odd bytes."""
        return one_line(PurePath(self.name).name)


@contextmanager
def local_files(paths: Iterable[Path]) -> Iterator[dict[Path, LocalFile]]:
    """The file of each path, hashed once; the copies of standard input and pipes last until the block ends.

    Raises UsageError when standard input is a terminal, and PairFileError when a file is missing or cannot be read or
    copied.
    """
    with ExitStack() as stack:
        files: dict[Path, LocalFile] = {}
        for path in dict.fromkeys(paths):
            local = stack.enter_context(_copy(path)).fileno() if _is_stream(path) else path
            files[path] = _hashed(local, _name(path))
        yield files


def _is_stream(path: Path) -> bool:
    """Whether the content can be read only once."""
    try:
        return path == STANDARD_INPUT or path.is_fifo()
    except OSError:  # reported when the file is opened
        return False


def _copy(stream: Path) -> IO[bytes]:
    """A copy on the disk, without a name: it is gone when it is closed."""
    if stream == STANDARD_INPUT and sys.stdin.isatty():
        raise UsageError("'-' is standard input, which is a terminal here: redirect a file or a pipe into it")
    try:
        with ExitStack() as stack:
            copy = stack.enter_context(TemporaryFile(prefix="s2s-"))
            with nullcontext(sys.stdin.buffer) if stream == STANDARD_INPUT else stream.open("rb") as content:
                shutil.copyfileobj(content, copy)
            copy.flush()
            stack.pop_all()
    except OSError as error:
        raise PairFileError(f"{_name(stream)}: cannot be copied to {gettempdir()}: {error.strerror}") from None
    return copy


def _name(path: Path) -> str:
    return "standard input" if path == STANDARD_INPUT else str(path)


def _hashed(path: Path | int, name: str) -> LocalFile:
    with open_file(path, name) as file:
        try:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise PairFileError(unreadable(name, error)) from None
        return LocalFile(path=path, name=name, size=file.tell(), sha256=sha256)
