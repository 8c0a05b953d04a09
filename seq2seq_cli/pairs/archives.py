"""The bytes of a text whose file is plain, a zip archive, or packed by gzip.

The kind of a file is recognised by its first bytes, not by its name: a browser may have unpacked a download without
changing its name, and a web page may have been saved under the name of an archive.
"""

import gzip
import lzma
import os
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol

from seq2seq_cli.errors import PairFileError, one_line, unreadable

_PIECE = 1 << 18
"""Bytes that are unpacked at a time."""
_HEAD = 4096
"""The least bytes of the first piece of a longer text: enough to recognise its kind."""
_CLEARLY_LARGER = 10
"""The largest text of an archive is its pair file when it is this many times the size of the next one."""
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

# All that Python's readers raise on archives that are truncated, damaged or of an unknown kind.
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
    """Its bytes in order; raises PairFileError where they end too early."""
    position: Callable[[], int]
    """The number of bytes of the file, packed or not, that are read so far."""


class _Stream(Protocol):
    def read1(self, size: int, /) -> bytes: ...


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


def unread_texts(archive: zipfile.ZipFile) -> str:
    """The sentence about the texts of an archive that are left alone; empty where its only text is read."""
    texts = _texts(_members(archive))
    return f"{_listed(texts[:1])} in it is read, but not {_listed(texts[1:])}" if len(texts) > 1 else ""


def _pair_member(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """The only text of an archive, or the one that is much larger than the others."""
    members = _members(archive)
    if not members:
        raise PairFileError(f"{name}: the zip archive is empty: download it again")
    if any(member.filename in _OFFICE for member in members):
        raise PairFileError(f"{name}: a document: {PLAIN_TEXT}")
    texts = _texts(members)
    if not texts:
        raise PairFileError(
            f"{name}: no file of sentence pairs (.txt, .tsv, .csv, .jsonl, .tmx) in the zip archive, only"
            f" {_listed(members)}: {_UNPACK}"
        )
    if len(texts) > 1 and texts[0].file_size < _CLEARLY_LARGER * texts[1].file_size:
        raise PairFileError(f"{name}: several texts in the zip archive, {_listed(texts)}: {_UNPACK}")
    if ".." in PurePosixPath(texts[0].filename).parts:
        raise PairFileError(
            f"{name}: the name {one_line(texts[0].filename)} in the zip archive leads out of it: unpack it with care,"
            " and give the file itself"
        )
    if texts[0].flag_bits & 1:
        raise PairFileError(f"{name}: the zip archive is encrypted: unpack it with its password first")
    return texts[0]


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    return [member for member in archive.infolist() if member.filename and not member.is_dir()]


def _texts(members: Sequence[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """The texts that may hold pairs, the largest first."""
    return sorted(filter(_may_hold_pairs, members), key=lambda member: member.file_size, reverse=True)


def _may_hold_pairs(member: zipfile.ZipInfo) -> bool:
    path = PurePosixPath(member.filename)
    hidden = any(part.startswith((".", "__MACOSX")) and part != ".." for part in path.parts)
    return path.suffix.lower() in PAIR_SUFFIXES and not hidden and not _BESIDE.search(path.stem)


def _listed(members: list[zipfile.ZipInfo]) -> str:
    names = [one_line(member.filename) for member in members]
    more = f" and {len(names) - _NAMES_SHOWN:,} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(names[:_NAMES_SHOWN]) + more


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
    return _checked(read_member(archive, _pair_member(archive, name), name), name)


def read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo | str, name: str) -> Iterator[bytes]:
    """The bytes of a member of a zip archive; raises PairFileError where it cannot be unpacked."""
    try:
        return _pieces(archive.open(member), name, "zip archive")  # type: ignore[arg-type]
    except NotImplementedError:
        raise PairFileError(f"{name}: the zip archive is packed by an unknown method: unpack it first") from None
    except _DAMAGE:
        raise PairFileError(f"{name}: the zip archive is damaged: download it again") from None


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
