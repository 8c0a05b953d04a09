"""A published pair file with its attribution, from the site to the working directory."""

import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath

from seq2seq_cli.config.schema import DownloadConfig
from seq2seq_cli.errors import DownloadError, PairFileError, UsageError
from seq2seq_cli.files import whole_file
from seq2seq_cli.pairs.archives import open_text
from seq2seq_cli.pairs.fetching import AGAIN, NotFound, Progress, discard, fetch
from seq2seq_cli.pairs.published import PUBLISHED, Published, near_languages

_ABOUT = "about"
"""In the name of the attribution, and in no other name of an archive."""
_LONGEST_ABOUT = 1 << 20
"""Bytes; an attribution is a page."""
_ZIP = b"PK"
_PAGE = b"<"


@dataclass(frozen=True, kw_only=True)
class Downloaded:
    """What was written."""

    pair_file: Path
    lines: int
    about: Path | None
    """The attribution: who wrote the sentences, under which licence; None where the archive has none."""


def download(
    language: Published, folder: Path, config: DownloadConfig, *, overwrite: bool, progress: Progress
) -> Downloaded:
    """Fetch the archive of a language, and leave its pair file and its attribution in ``folder``.

    When it fails or is stopped, what came lies in a hidden file, from which the next call goes on.

    Raises UsageError when one of the files is there and ``overwrite`` is not asked for, when ``folder`` cannot be
    made, or when neither the site nor our list has the language; DownloadError when network, server or disk fail.
    """
    pair_file = folder / f"{language.archive}.txt"
    about = folder / f"{language.archive}_about.txt"
    for file in (pair_file, about):
        if file.exists() and not overwrite:
            raise UsageError(f"{file} is there already: --overwrite replaces it, --out DIR leaves it alone")
    archive = config.archive.format(language=language.archive)
    url = config.site.rstrip("/") + "/" + archive
    part = folder / f".{archive}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}: choose another folder with --out") from None
    try:
        fetch(url, part, timeout=config.timeout, retries=config.retries, progress=progress)
    except NotFound:
        raise _not_published(language, url) from None
    try:
        downloaded = _unpack(part, url, pair_file, about)
    except PairFileError as error:
        discard(part)  # going on from it would lead nowhere
        raise DownloadError(str(error)) from None
    except OSError as error:
        raise DownloadError(f"{error.filename or folder}: {error.strerror}: make room, then {AGAIN}") from None
    discard(part)
    return downloaded


def _not_published(language: Published, url: str) -> Exception:
    if language in PUBLISHED:
        return DownloadError(f"{url}: not found: has the site moved? --set download.site=ADDRESS names another")
    return UsageError(f"{url}: not found{near_languages(language.archive)}")


def _unpack(part: Path, url: str, pair_file: Path, about: Path) -> Downloaded:
    """Write both files, the pair file last; raises PairFileError when this is no whole archive with a pair file."""
    with part.open("rb") as file:
        head = file.read(len(_ZIP))
    if head != _ZIP:
        kind = "a web page" if head.startswith(_PAGE) else "something else"
        raise PairFileError(f"{url}: not a zip archive but {kind}: open the address in a browser to see why")
    with open_text(part, url) as text:
        first = next(text.pieces, b"")
        if b"\t" not in first:
            raise PairFileError(f"{url}: no sentence pairs in the archive: its first lines have no tab")
        attribution = _attribution(part, url)
        if attribution:
            _write(about, [attribution])
        lines = _write(pair_file, chain([first], text.pieces))
    return Downloaded(pair_file=pair_file, lines=lines, about=about if attribution else None)


def _attribution(part: Path, url: str) -> bytes:
    try:
        with zipfile.ZipFile(part) as archive:
            for member in archive.infolist():
                if _ABOUT in PurePosixPath(member.filename).stem.lower() and member.file_size <= _LONGEST_ABOUT:
                    return archive.read(member)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError):
        raise PairFileError(f"{url}: the zip archive is damaged: download it again") from None
    return b""


def _write(path: Path, pieces: Iterable[bytes]) -> int:
    """Write a file whole or not at all; its number of line ends."""
    lines = 0
    with whole_file(path) as file:
        for piece in pieces:
            file.write(piece)
            lines += piece.count(b"\n")
    return lines
