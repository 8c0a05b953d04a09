"""The document of a file: its format, by the ending of its name, and the members of those that are zip archives."""

import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import PurePath
from typing import TypeAlias

from seq2seq_cli.documents.catalogues import read_json, read_po
from seq2seq_cli.documents.draft import REFUSED, Draft, Languages, finish_all
from seq2seq_cli.documents.markdown import read_markdown
from seq2seq_cli.documents.markup import read_docx_part, read_html, read_odt_part, read_xhtml, read_xliff
from seq2seq_cli.documents.subtitles import read_subtitles
from seq2seq_cli.errors import InputError

_Read: TypeAlias = Callable[[bytes, str, Languages], Draft]
"""Takes a file apart; the second argument is its name in messages."""

_MOST_UNPACKED = 500_000_000
"""Bytes of all that is packed in a document."""
_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
"""Begins files of old versions of Word, and encrypted ones of new versions."""
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
)
"""All that Python raises on archives that are truncated, damaged, encrypted, or packed by an unknown method."""


def open_document(content: bytes, name: str, languages: Languages) -> Draft:
    """The texts of a file; `name` is its name in messages, with the ending that tells its format.

    Raises InputError for a file that is damaged, encrypted, too large when it is unpacked, or of another format.
    """
    ending = PurePath(name).suffix.lower()
    if ending in REFUSED or content.startswith(_OLD_OFFICE):
        raise InputError(
            f"{name}: an old or encrypted format, or no text: save it as .docx or .odt, without a password"
        )
    return _READERS[ending](content, name, languages)


def _packed(texts: str, main: str, read: _Read) -> _Read:
    """The way to read a zip archive: its members whose names match `texts` hold the texts, and `main` must be there."""

    def read_members(content: bytes, name: str, languages: Languages) -> Draft:
        members = _unpacked(content, name)
        names = {info.filename for info, _ in members}
        if main not in names or len(names) < len(members):
            raise InputError(f"{name}: no {PurePath(name).suffix} document, but another zip archive: check the file")
        _check_encryption(members, name)
        drafts = {
            place: read(inner, f"{name}: {info.filename}", languages)
            for place, (info, inner) in enumerate(members)
            if re.fullmatch(texts, info.filename)
        }

        def finish(translations: Sequence[str]) -> bytes:
            translated = dict(zip(drafts, finish_all(list(drafts.values()), translations), strict=True))
            return _repacked([(info, translated.get(place, inner)) for place, (info, inner) in enumerate(members)])

        return Draft([text for draft in drafts.values() for text in draft.texts], finish)

    return read_members


def _unpacked(content: bytes, name: str) -> list[tuple[zipfile.ZipInfo, bytes]]:
    """The members of an archive in their order."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            if sum(info.file_size for info in archive.infolist()) > _MOST_UNPACKED:  # no member can be larger than told
                raise InputError(f"{name}: more than {_MOST_UNPACKED / 1e6:g} MB when it is unpacked: split it")
            return [(info, archive.read(info)) for info in archive.infolist()]
    except _DAMAGE:
        raise InputError(
            f"{name}: truncated, damaged or encrypted: open it in its program, and save it again"
        ) from None


def _repacked(members: Sequence[tuple[zipfile.ZipInfo, bytes]]) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for info, inner in members:
            archive.writestr(info, inner)
    return file.getvalue()


def _check_encryption(members: Sequence[tuple[zipfile.ZipInfo, bytes]], name: str) -> None:
    """Raise InputError where members that hold texts are encrypted: of a book, only its fonts may be."""
    for info, inner in members:
        is_locked = info.filename == "META-INF/manifest.xml" and b"encryption-data" in inner
        if is_locked or (info.filename == "META-INF/encryption.xml" and re.search(rb"\.x?html?[\"']", inner)):
            raise InputError(f"{name}: encrypted: save it without a password; a protected book cannot be translated")


def _plain(read: Callable[[bytes, str], Draft]) -> _Read:
    """The way to read a format that does not depend on the languages."""
    return lambda content, name, _: read(content, name)


_READERS: Mapping[str, _Read] = {
    ".docx": _packed(
        r"word/(document|header\d*|footer\d*|footnotes|endnotes)\.xml", "word/document.xml", read_docx_part
    ),
    ".odt": _packed(r"(content|styles)\.xml", "content.xml", read_odt_part),
    ".epub": _packed(r".+\.(x?html?|ncx)", "META-INF/container.xml", read_xhtml),
    **dict.fromkeys((".html", ".htm"), read_html),
    ".xhtml": read_xhtml,
    **dict.fromkeys((".md", ".markdown"), _plain(read_markdown)),
    **dict.fromkeys((".srt", ".vtt"), _plain(read_subtitles)),
    ".po": _plain(read_po),
    **dict.fromkeys((".xliff", ".xlf"), read_xliff),
    ".json": _plain(read_json),
}
