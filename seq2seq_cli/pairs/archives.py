"""Files on this machine's disk, hashed, and the text in them: plain, in a zip archive, or packed by gzip.

The kind of a file is recognised by its first bytes, not by its name: a browser may have unpacked a download without
changing its name, and a web page may have been saved under the name of an archive. Standard input, which is called
``-``, and pipes are copied to the disk.
"""

import gzip
import hashlib
import lzma
import os
import re
import shutil
import stat
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path, PurePath, PurePosixPath
from tempfile import TemporaryFile, gettempdir
from typing import IO, BinaryIO, Protocol

from seq2seq_cli.errors import PairFileError, UsageError, one_line, unreadable

STANDARD_INPUT = Path("-")
_PIECE = 1 << 18
"""Bytes that are unpacked at a time."""
_HEAD = 4096
"""The least bytes of the first piece of a longer text: enough to recognise its kind."""
_NAMES_SHOWN = 5
_UNPACK = "unpack it, and give the file of sentence pairs, or two aligned files of one side each"

PLAIN_TEXT = "unpack an archive, or save a document as UTF-8 text with source, tab and target on each line"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_GZIP = b"\x1f\x8b"
# 7z, rar, xz, zstd, bzip2, tar; PDF, RTF, Office before 2007. Others are refused where they cannot be decoded.
_FOREIGN = re.compile(
    rb"7z\xbc\xaf|Rar!|\xfd7zXZ|\x28\xb5\x2f\xfd|BZh\d1AY&SY|.{257}ustar|%PDF-|\{\\rtf|\xd0\xcf\x11\xe0", re.DOTALL
)
_WEB_PAGE = re.compile(rb"\s*(<!doctype html|<html)", re.IGNORECASE)
_OFFICE = {"[Content_Types].xml", "mimetype"}
"""Members that every Office or OpenDocument file has."""
EMPTY = "the file is empty: give one with a sentence pair per line"
PAIR_SUFFIXES = {".txt", ".tsv", ".tab", ".csv", ".json", ".jsonl", ".ndjson", ".tmx"}
"""Endings of the names of files that may hold sentence pairs, in an archive."""
_BESIDE = re.compile(r"(^|[^a-z])(about|readme|licen[cs]e|copying)([^a-z]|$)", re.IGNORECASE)
"""Names of texts that accompany the pairs in an archive, such as ``_about.txt``."""

# All that Python's readers raise on archives that are truncated, damaged, encrypted, or packed by an unknown method.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, RuntimeError, ValueError, OverflowError),
    OSError,
)


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


@dataclass(frozen=True, kw_only=True)
class OpenText:
    """A text that is being read."""

    pieces: Iterator[bytes]
    """Its bytes in order; raises PairFileError where they end too early."""
    position: Callable[[], int]
    """The number of bytes of the file, packed or not, that are read so far."""


class _Stream(Protocol):
    def read1(self, size: int, /) -> bytes: ...


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
            local = stack.enter_context(_copy(path, name)).fileno() if _is_stream(path) else path
            with open_file(local, name) as file:
                try:
                    sha256 = hashlib.file_digest(file, "sha256").hexdigest()
                except OSError as error:
                    raise PairFileError(unreadable(name, error)) from None
                files[path] = LocalFile(path=local, name=name, size=file.tell(), sha256=sha256)
        yield files


def _is_stream(path: Path) -> bool:
    """Whether the content can be read only once."""
    try:
        return path == STANDARD_INPUT or path.is_fifo()
    except OSError:  # reported when the file is opened
        return False


def _copy(stream: Path, name: str) -> IO[bytes]:
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
        raise PairFileError(f"{name}: cannot be copied to {gettempdir()}: {error.strerror}") from None
    return copy


def open_file(path: Path | int, name: str) -> BufferedReader:
    """Open a file's bytes as they are; `path` may be the descriptor of an open file.

    Raises PairFileError when it is missing, a folder, or cannot be read.
    """
    if isinstance(path, int):
        file = os.fdopen(os.dup(path), "rb")
        file.seek(0)
        return file
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise PairFileError(f"{name}: a folder: give the file of sentence pairs in it")
        if not stat.S_ISREG(mode):
            raise PairFileError(f"{name}: neither a file nor a pipe: give the file of sentence pairs")
        return path.open("rb")
    except OSError as error:
        raise PairFileError(unreadable(name, error)) from None


@contextmanager
def open_text(path: Path | int, name: str) -> Iterator[OpenText]:
    """Open the text in a file, and unpack it if it is packed; ``name`` is the file's name in messages.

    Raises PairFileError when the file cannot be read, is empty, or holds something other than a text; damage further
    on is found when the pieces reach it.
    """
    with open_file(path, name) as file:
        try:
            head = file.read(_HEAD)
        except OSError as error:
            raise PairFileError(unreadable(name, error)) from None
        file.seek(0)
        if not head:
            raise PairFileError(f"{name}: {EMPTY}")
        _refuse_foreign(head, name)
        if is_zip(head):
            pieces = read_pairs(open_archive(file, name), name)
        elif head.startswith(_GZIP):
            pieces = _checked(_pieces(gzip.GzipFile(fileobj=file), name, "gzip file"), name)
        else:
            pieces = _pieces(file, name, "file")
        yield OpenText(pieces=pieces, position=file.tell)


def is_zip(head: bytes) -> bool:
    """Whether a file begins like a zip archive."""
    return head.startswith(_ZIP)


def open_archive(file: BinaryIO, name: str) -> zipfile.ZipFile:
    """Open a zip archive; raises PairFileError when it is truncated or damaged."""
    try:
        return zipfile.ZipFile(file)
    except _DAMAGE:
        # An archive's list of contents is at its end.
        raise PairFileError(f"{name}: the zip archive is truncated or damaged: download it again") from None


def read_pairs(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """The bytes of the file of sentence pairs in a zip archive.

    Raises PairFileError when there is none, when several may be it, and where it cannot be unpacked.
    """
    members = [member for member in archive.infolist() if member.filename and not member.is_dir()]
    texts = list(filter(_may_hold_pairs, members))
    if not members:
        problem = "the zip archive is empty: download it again"
    elif any(member.filename in _OFFICE for member in members):
        problem = f"a document: {PLAIN_TEXT}"
    elif not texts:
        endings = ".txt, .tsv, .csv, .jsonl, .tmx"
        problem = f"no file of sentence pairs ({endings}) in the zip archive, only {_listed(members)}: {_UNPACK}"
    elif len(texts) > 1:
        problem = f"several texts in the zip archive, {_listed(texts)}: {_UNPACK}"
    else:
        return _checked(read_member(archive, texts[0], name), name)
    raise PairFileError(f"{name}: {problem}")


def _may_hold_pairs(member: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(member.filename)
    is_hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
    return path.suffix.lower() in PAIR_SUFFIXES and not is_hidden and not _BESIDE.search(path.stem)


def _listed(members: list[zipfile.ZipInfo]) -> str:
    names = [one_line(member.filename) for member in members]
    more = f" and {len(names) - _NAMES_SHOWN:,} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(names[:_NAMES_SHOWN]) + more


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo | str, name: str) -> Iterator[bytes]:
    """The bytes of a member of a zip archive; raises PairFileError where it cannot be unpacked."""
    try:
        return _pieces(archive.open(member), name, "zip archive")  # type: ignore[arg-type]
    except _DAMAGE:  # also of an encrypted member, and of an unknown method
        raise PairFileError(f"{name}: the zip archive is damaged or encrypted: unpack it first") from None


def _checked(pieces: Iterator[bytes], name: str) -> Iterator[bytes]:
    """The bytes of an unpacked file, which are to be text."""
    for head in pieces:
        if head.startswith((*_ZIP, _GZIP)):
            raise PairFileError(f"{name}: an archive in an archive: unpack it first")
        _refuse_foreign(head, name)
        yield head
        yield from pieces


def _pieces(stream: _Stream, name: str, kind: str) -> Iterator[bytes]:
    """All bytes that can be read, then an error if the stream is damaged."""
    piece = b""
    problem = None
    try:
        while more := stream.read1(_PIECE):
            piece += more
            if len(piece) >= _HEAD:
                yield piece
                piece = b""
    except EOFError:
        problem = PairFileError(f"{name}: the {kind} is truncated: download it again")
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            problem = PairFileError(unreadable(name, error))
        else:
            problem = PairFileError(f"{name}: the {kind} is damaged: download it again")
    if piece:
        yield piece
    if problem:
        raise problem


def _refuse_foreign(head: bytes, name: str) -> None:
    if _WEB_PAGE.match(head):
        raise PairFileError(f"{name}: a web page: download the file of sentence pairs itself")
    if _FOREIGN.match(head):
        raise PairFileError(f"{name}: neither text nor zip nor gzip: {PLAIN_TEXT}")
