"""The bytes of a text as its file holds them: plain, in a zip archive, or packed by gzip.

What a file is follows from how its content begins, not from its name: a browser may have unpacked a download without
changing its name, and a web page may have been saved under the name of an archive.
"""

import gzip
import lzma
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import Protocol

from seq2seq_cli.errors import PairFileError, one_line

_PIECE = 1 << 18
"""Bytes that are unpacked at a time."""
_HEAD = 4096
"""The first piece holds so many bytes at least, where there are as many: enough to tell what they are."""
_CLEARLY_LARGER = 10
"""So many times the size of the next one makes the largest text of an archive its pair file."""
_NAMES_SHOWN = 5

_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_GZIP = b"\x1f\x8b"
_UNPACK = "unpack it first, and give the file of sentence pairs that was in it"
_SAVE = "save it as plain text, a sentence pair a line, source and target separated by a tab"
_FOREIGN: list[tuple[int, bytes, str, str]] = [
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive", _UNPACK),
    (0, b"Rar!\x1a\x07", "a rar archive", _UNPACK),
    (0, b"\xfd7zXZ\x00", "packed by xz", _UNPACK),
    (0, b"\x28\xb5\x2f\xfd", "packed by zstd", _UNPACK),
    (0, b"\x04\x22\x4d\x18", "packed by lz4", _UNPACK),
    (0, b"\x1f\x9d", "packed by compress", _UNPACK),
    (4, b"1AY&SY", "packed by bzip2", _UNPACK),
    (257, b"ustar", "a tar archive", _UNPACK),
    (0, b"%PDF-", "a PDF document", _SAVE),
    (0, b"{\\rtf", "an RTF document", _SAVE),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Office document", _SAVE),
    (0, b"SQLite format 3\x00", "an SQLite database", _SAVE),
    (0, b"PAR1\x15", "a Parquet table", _SAVE),
]
_WEB_PAGE = re.compile(rb"\s*(<!doctype html|<html)", re.IGNORECASE)
_DOCUMENTS = {
    "word/document.xml": "a Word document",
    "xl/workbook.xml": "an Excel table",
    "ppt/presentation.xml": "a PowerPoint document",
    "content.xml": "an OpenDocument file",
    "META-INF/container.xml": "an EPUB book",
}
_PAIR_SUFFIXES = {".txt", ".tsv"}
_BESIDE = re.compile(r"(^|[^a-z])(about|readme|licen[cs]e|copying)([^a-z]|$)", re.IGNORECASE)
"""Names of the texts that lie beside the pairs in an archive, such as ``_about.txt``."""

# What Python's readers raise, somewhere, on archives that are cut off, damaged or of a kind that they do not know.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    RuntimeError,
    ValueError,
    OverflowError,
    OSError,
)


@dataclass(frozen=True, kw_only=True)
class OpenText:
    """A text that is being read."""

    pieces: Iterator[bytes]
    """Its bytes in order, none of them twice; PairFileError where no more can be had."""
    position: Callable[[], int]
    """How many bytes of the file, packed as it may be, are read."""


class _Stream(Protocol):
    def read1(self, size: int, /) -> bytes: ...


def open_file(path: Path, name: str) -> BufferedReader:
    """Open a file as it is; raises PairFileError when it is missing, a folder, or cannot be read."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise PairFileError(f"{name}: a folder: give the file of sentence pairs in it")
        if not stat.S_ISREG(mode):
            raise PairFileError(f"{name}: neither a file nor a pipe: give the file of sentence pairs")
        return path.open("rb")
    except FileNotFoundError:
        raise PairFileError(f"{name}: no such file: check the name and the folder") from None
    except OSError as error:
        raise _unreadable(name, error) from None


@contextmanager
def open_text(path: Path, name: str) -> Iterator[OpenText]:
    """Open the text in a file, unpacked where it is packed; ``name`` is the file's in messages.

    Raises PairFileError when the file cannot be read, is empty, or holds something other than a text; damage further
    on is found when the pieces come to it.
    """
    with open_file(path, name) as file:
        try:
            head = file.read(_HEAD)
        except OSError as error:
            raise _unreadable(name, error) from None
        file.seek(0)
        if not head:
            raise PairFileError(f"{name}: the file is empty: give one with a sentence pair a line")
        _refuse_foreign(head, name)
        if head.startswith(_ZIP):
            with _open_zip(file, name) as archive:
                member = pair_member(archive, name)
                with _open_member(archive, member, name) as stream:
                    yield OpenText(pieces=_unpacked(stream, name, "zip archive"), position=file.tell)
        elif head.startswith(_GZIP):
            with gzip.GzipFile(fileobj=file) as stream:
                yield OpenText(pieces=_unpacked(stream, name, "gzip file"), position=file.tell)
        else:
            yield OpenText(pieces=_pieces(file, name, "file"), position=file.tell)


def pair_member(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """The file of sentence pairs in an archive: its only text, or the one that is much larger than the others.

    Raises PairFileError when there is none, when it cannot be told which it is, and when it is encrypted.
    """
    members = [member for member in archive.infolist() if member.filename and not member.is_dir()]
    if not members:
        raise PairFileError(f"{name}: the zip archive is empty: download it again")
    for member in members:
        if member.filename in _DOCUMENTS:
            raise PairFileError(f"{name}: {_DOCUMENTS[member.filename]}: {_SAVE}")
    texts = sorted(filter(_may_hold_pairs, members), key=lambda member: member.file_size, reverse=True)
    if not texts:
        raise PairFileError(
            f"{name}: no file of sentence pairs (.txt or .tsv) in the zip archive, only {_listed(members)}:"
            " unpack it, and give the right one"
        )
    if len(texts) > 1 and texts[0].file_size < _CLEARLY_LARGER * texts[1].file_size:
        raise PairFileError(
            f"{name}: several texts in the zip archive, {_listed(texts)}: unpack it, and give the file of sentence"
            " pairs, or two aligned files with --src and --tgt"
        )
    if texts[0].flag_bits & 1:
        raise PairFileError(f"{name}: the zip archive is encrypted: unpack it with its password first")
    return texts[0]


def _may_hold_pairs(member: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(member.filename)
    hidden = any(part.startswith((".", "__MACOSX")) for part in path.parts)
    return path.suffix.lower() in _PAIR_SUFFIXES and not hidden and not _BESIDE.search(path.stem)


def _listed(members: list[zipfile.ZipInfo]) -> str:
    names = [one_line(member.filename) for member in members]
    more = f" and {len(names) - _NAMES_SHOWN:,} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(names[:_NAMES_SHOWN]) + more


def _open_zip(file: BufferedReader, name: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except (*_DAMAGE, NotImplementedError):
        # An archive's list of contents stands at its end.
        raise PairFileError(f"{name}: the zip archive is truncated or damaged: download it again") from None


def _open_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> zipfile.ZipExtFile:
    try:
        return archive.open(member)  # type: ignore[return-value]
    except NotImplementedError:
        raise PairFileError(f"{name}: the zip archive is packed in a way that s2s does not know: {_UNPACK}") from None
    except _DAMAGE:
        raise PairFileError(f"{name}: the zip archive is damaged: download it again") from None


def _unpacked(stream: _Stream, name: str, kind: str) -> Iterator[bytes]:
    pieces = _pieces(stream, name, kind)
    for head in pieces:
        if head.startswith((*_ZIP, _GZIP)):
            raise PairFileError(f"{name}: an archive in an archive: {_UNPACK}")
        _refuse_foreign(head, name)
        yield head
        yield from pieces


def _pieces(stream: _Stream, name: str, kind: str) -> Iterator[bytes]:
    """What can be had of the stream comes first, and then what is wrong with it."""
    piece = b""
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
            problem = _unreadable(name, error)
        else:
            problem = PairFileError(f"{name}: the {kind} is damaged: download it again")
    else:
        if piece:
            yield piece
        return
    if piece:
        yield piece
    raise problem


def _refuse_foreign(head: bytes, name: str) -> None:
    for start, magic, what, cure in _FOREIGN:
        if head.startswith(magic, start):
            raise PairFileError(f"{name}: {what}: {cure}")
    if _WEB_PAGE.match(head):
        raise PairFileError(f"{name}: a web page: download the file of sentence pairs itself")


def _unreadable(name: str, error: OSError) -> PairFileError:
    return PairFileError(f"{name}: cannot be read: {error.strerror}")
