"""The document of a file: its format, by the ending of its name, and the members of those that are zip archives."""

import re
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path, PurePath
from typing import TypeAlias

from seq2seq_cli.documents.in_place import read_json_strings, read_markdown
from seq2seq_cli.documents.markup import read_docx_part, read_html, read_odt_part, read_xhtml, read_xliff
from seq2seq_cli.documents.plain_text import XLIFF, Draft, Languages, read_po, read_subtitles
from seq2seq_cli.errors import InputError, unreadable
from seq2seq_cli.files.reading import DAMAGE, read_whole

_Read: TypeAlias = Callable[[bytes, str, Languages], Draft]
"""Takes a file apart; the second argument is its name in messages."""

_MOST_BYTES = 100_000_000
_MOST_UNPACKED = 200_000_000
"""Bytes of all that is packed in a document; no more of a member is unpacked than the archive says."""


def open_document(path: Path, languages: Languages) -> Draft:
    """The draft of a file; raises InputError as `open_content`, and for a file that cannot be read."""
    try:
        return open_content(read_whole(path, most=_MOST_BYTES, is_named=True), str(path), languages, _MOST_UNPACKED)
    except OSError as error:
        raise InputError(unreadable(path, error)) from None


def open_content(content: bytes, name: str, languages: Languages, most_unpacked: int) -> Draft:
    """The draft of a document; raises InputError as `take_apart`, and for one without text."""
    draft = take_apart(content, name, languages, most_unpacked)
    if not draft.slots:
        raise InputError(f"{name}: no text to translate in it: check its format, and the language that it states")
    return draft


def take_apart(content: bytes, name: str, languages: Languages, most_unpacked: int = _MOST_UNPACKED) -> Draft:
    """The draft of a document, whose name tells its format; raises InputError where it is damaged or too large."""
    ending = PurePath(name).suffix.lower()
    if ending not in _PACKED:
        return _READERS[ending](content, name, languages)
    texts, read = _PACKED[ending]
    members = _unpacked(content, name, most_unpacked)
    drafts = {
        member: read(inner, f"{name}: {member}", languages)
        for member, (_, inner) in members.items()
        if re.fullmatch(texts, member)
    }

    def packed() -> bytes:
        file = BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for member, (info, inner) in members.items():
                archive.writestr(info, drafts[member].content() if member in drafts else inner)
        return file.getvalue()

    return Draft([slot for draft in drafts.values() for slot in draft.slots], packed)


def _unpacked(content: bytes, name: str, most: int) -> dict[str, tuple[zipfile.ZipInfo, bytes]]:
    """The members of an archive in their order."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            if sum(info.file_size for info in archive.infolist()) > most:
                raise InputError(f"{name}: more than {most / 1e6:g} MB when it is unpacked: split it")
            if not {info.compress_type for info in archive.infolist()} <= {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
                raise zipfile.BadZipFile  # of another method, more would be unpacked than is asked for
            return {info.filename: (info, archive.open(info).read(info.file_size)) for info in archive.infolist()}
    except DAMAGE:
        raise InputError(f"{name}: damaged or encrypted: save it again, without a password") from None


_READERS: Mapping[str, _Read] = {
    **dict.fromkeys((".html", ".htm"), read_html),
    ".xhtml": read_xhtml,
    **dict.fromkeys((".srt", ".vtt"), read_subtitles),
    ".md": read_markdown,
    ".po": read_po,
    ".json": read_json_strings,
    **dict.fromkeys(XLIFF, read_xliff),
}
_PACKED: Mapping[str, tuple[str, _Read]] = {
    ".docx": (r"word/(document\d*|(header|footer)\d*|(foot|end)notes)\.xml", read_docx_part),
    ".odt": (r"(content|styles)\.xml", read_odt_part),
    ".epub": (r".+\.(x?html?|opf)", read_xhtml),
}
"""Of formats that are zip archives, the names of the members with texts, and their reader."""
