"""Files on this machine's disk, hashed, and the text in them: plain, in a zip archive, or packed by gzip.

The kind of a file is recognised by its first bytes, not by its name: a browser may have unpacked a download without
changing its name, and a web page may have been saved under the name of an archive.
"""

import gzip
import hashlib
import os
import re
import shutil
import stat
import sys
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path, PurePath, PurePosixPath
from tempfile import TemporaryFile, gettempdir
from typing import IO, BinaryIO

from seq2seq_cli.errors import PairFileError, UsageError, exit_code_of, one_line, unreadable
from seq2seq_cli.files.reading import DAMAGE

STANDARD_INPUT = Path("-")
_PIECE = 1 << 16
"""Bytes that are unpacked at a time."""
_HEAD = 4096
"""Bytes by which the kind of a file is recognised."""
_NAMES_SHOWN = 5

ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
"""The first bytes of a zip archive: one of these."""
_GZIP = b"\x1f\x8b"
_WEB_PAGE = re.compile(rb"\s*(<!doctype html|<html)", re.IGNORECASE)
PAIR_SUFFIXES = {
    *(".txt", ".tsv", ".tab", ".csv", ".json", ".jsonl", ".ndjson", ".tmx", ".xliff", ".xlf", ".po"),
    *(".sfm", ".usfm", ".flextext", ".eaf", ".srt", ".vtt"),
}
"""Endings of the names of files that may hold sentence pairs, in an archive."""
_BESIDE = re.compile(r"(^|/)([._](?!/)|(readme|licen[cs]e|copying)\b)", re.IGNORECASE)
"""Names of hidden files and of texts that accompany the pairs in an archive, such as ``_about.txt``."""


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
            name = "standard input" if path == STANDARD_INPUT else str(path)
            with _reading(name):
                is_stream = path == STANDARD_INPUT or path.is_fifo()
            local = _copy(path, name, stack) if is_stream else path
            with open_file(local, name) as file, _reading(name):
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
                files[path] = LocalFile(path=local, name=name, size=file.tell(), sha256=sha256)
        yield files


def _copy(stream: Path, name: str, stack: ExitStack) -> int:
    """The descriptor of a copy on the disk, without a name: it is gone when the stack ends."""
    if stream == STANDARD_INPUT and sys.stdin.isatty():
        raise UsageError("'-' is standard input, which is a terminal here: redirect a file or a pipe into it")
    try:
        copy = stack.enter_context(TemporaryFile(prefix="s2s-"))  # noqa: SIM115  # the stack closes it
        with nullcontext(sys.stdin.buffer) if stream == STANDARD_INPUT else stream.open("rb") as content:
            shutil.copyfileobj(content, copy)
        copy.flush()
    except OSError as error:
        problem = f"{name}: cannot be copied to {gettempdir()}: {error.strerror}: set TMPDIR to another folder"
        raise PairFileError(problem, exit_code=exit_code_of(error)) from None
    return copy.fileno()


def open_file(path: Path | int, name: str) -> BufferedReader:
    """Open a file, or that of a descriptor; raises PairFileError when it is missing, a folder, or cannot be read."""
    if isinstance(path, int):
        file = os.fdopen(os.dup(path), "rb")
        file.seek(0)
        return file
    with _reading(name):
        if not stat.S_ISREG(path.stat().st_mode):
            raise PairFileError(f"{name}: neither a file nor a pipe: give the file of sentence pairs")
        return path.open("rb")


def read_text(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The bytes of the text in a file in order, unpacked if it is packed; ``name`` is the file's name in messages.

    Raises PairFileError when the file is empty, a web page, or an archive that cannot be used; damage further on is
    found when the pieces reach it.
    """
    head = file.read(_HEAD)
    file.seek(0)
    if not head:
        raise PairFileError(f"{name}: the file is empty: give one with sentences")
    if _WEB_PAGE.match(head):
        raise PairFileError(f"{name}: a web page: download the file of sentence pairs itself")
    if head.startswith(ZIP_MAGIC):
        return read_pair_member(open_archive(file, name), name)
    if head.startswith(_GZIP):
        return _pieces(gzip.GzipFile(fileobj=file), name, "gzip file")
    return _pieces(file, name, "file")


def open_archive(file: BinaryIO, name: str) -> zipfile.ZipFile:
    """Open a zip archive; raises PairFileError when it is truncated or damaged."""
    with _reading(name, "zip archive"):
        return zipfile.ZipFile(file)


def read_pair_member(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """The bytes of the only file of sentence pairs in an archive; raises PairFileError for none, several, or damage."""
    members = archive.namelist()
    texts = [member for member in members if PurePosixPath(member).suffix.lower() in PAIR_SUFFIXES]
    texts = [text for text in texts if not text.endswith("/") and not _BESIDE.search(text)]
    if len(texts) == 1:
        return read_member(archive, texts[0], name)
    named = texts or members
    shown = [*map(one_line, named[:_NAMES_SHOWN]), *["..."] * (len(named) > _NAMES_SHOWN)]
    raise PairFileError(
        f"{name}: {'several files' if texts else 'no file'} of sentence pairs in the zip archive ({', '.join(shown)}):"
        " unpack it, and give the file, or two aligned files of one side each; save a document as text"
    )


def read_member(archive: zipfile.ZipFile, member: str, name: str) -> Iterator[bytes]:
    """The bytes of a member of a zip archive; raises PairFileError where it cannot be unpacked."""
    with _reading(name, "zip archive"):
        return _pieces(archive.open(member), name, "zip archive")


def _pieces(stream: IO[bytes] | gzip.GzipFile, name: str, kind: str) -> Iterator[bytes]:
    with _reading(name, kind):
        while piece := stream.read(_PIECE):
            yield piece


@contextmanager
def _reading(name: str, kind: str = "file") -> Iterator[None]:
    """Raise PairFileError where a file cannot be read in the block, or not be unpacked."""
    try:
        yield
    except DAMAGE as error:  # also of an encrypted member, of an unknown method, and of a name with a NUL
        if kind == "file" or (isinstance(error, OSError) and error.errno is not None):
            raise PairFileError(unreadable(name, error)) from None
        problem = f"the {kind} is truncated, damaged or encrypted: get it again, or unpack it"
        raise PairFileError(f"{name}: {problem}") from None
