"""Download of a published pair file with its attribution."""

import re
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from seq2seq_cli.errors import DownloadError, PairFileError, UsageError
from seq2seq_cli.files import whole_file
from seq2seq_cli.pairs.archives import open_text
from seq2seq_cli.pairs.published import PUBLISHED, Language, near_languages
from seq2seq_cli.pairs.web import ByteProgress, NotFound, fetch

SITE = "https://www.manythings.org/anki/"
TIMEOUT = 30.0
"""Seconds without an answer after which a try is given up."""
RETRIES = 4

_HTTP = re.compile(r"https?://\S+")
_ABOUT = "about"
"""Part of the name of an archive's attribution, and of no other name in it."""
_LONGEST_ABOUT = 1 << 20
"""Bytes; an attribution is a page."""
_ZIP = b"PK"
_PAGE = b"<"


@dataclass(frozen=True, kw_only=True)
class Downloaded:
    """The files that were written."""

    pair_file: Path
    lines: int
    about: Path | None
    """The attribution: who wrote the sentences, under which licence; None where the archive has none."""


def download(
    language: Language,
    folder: Path,
    *,
    site: str = SITE,
    overwrite: bool,
    progress: ByteProgress,
    timeout: float = TIMEOUT,
    retries: int = RETRIES,
) -> Downloaded:
    """Fetch the archive of a language, and write its pair file and its attribution into ``folder``.

    Raises UsageError when one of the files exists and ``overwrite`` is not set, when ``folder`` cannot be made, when
    ``site`` is no web address, or when neither the site nor our list has the language; DownloadError when network,
    server or disk fail.
    """
    pair_file = folder / f"{language.code3}.txt"
    about = folder / f"{language.code3}_about.txt"
    for file in (pair_file, about):
        if file.exists() and not overwrite:
            raise UsageError(f"{file} exists already: replace it with --overwrite, or choose another folder with --out")
    if not _HTTP.fullmatch(site):
        raise UsageError(f"--site {site}: must be a web address such as {SITE}")
    url = f"{site.rstrip('/')}/{language.code3}-eng.zip"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}: choose another folder with --out") from None
    try:
        content = fetch(url, timeout=timeout, retries=retries, progress=progress)
        with TemporaryDirectory(prefix="s2s-") as temporary:
            archive = Path(temporary, "archive")
            archive.write_bytes(content)
            return _unpack(archive, url, pair_file, about)
    except NotFound:
        raise _not_published(language, url) from None
    except PairFileError as error:
        raise DownloadError(str(error)) from None
    except OSError as error:
        place = error.filename or folder
        raise DownloadError(f"{place}: {error.strerror}: free some space, and run it again") from None


def _not_published(language: Language, url: str) -> Exception:
    if language in PUBLISHED:
        return DownloadError(f"{url}: not found: if the site has moved, give its new address with --site")
    return UsageError(f"{url}: not found{near_languages(language.code3)}")


def _unpack(archive: Path, url: str, pair_file: Path, about: Path) -> Downloaded:
    """Write both files, the pair file last; raises PairFileError when the archive is damaged or has no pair file."""
    with archive.open("rb") as file:
        head = file.read(len(_ZIP))
    if head != _ZIP:
        kind = "a web page" if head.startswith(_PAGE) else "something else"
        raise PairFileError(f"{url}: not a zip archive but {kind}: open the address in a browser to see why")
    with open_text(archive, url) as text:
        first = next(text.pieces, b"")
        if b"\t" not in first:
            raise PairFileError(f"{url}: no sentence pairs in the archive: its first lines have no tab")
        attribution = _attribution(archive, url)
        if attribution:
            _write(about, [attribution])
        lines = _write(pair_file, chain([first], text.pieces))
    return Downloaded(pair_file=pair_file, lines=lines, about=about if attribution else None)


def _attribution(path: Path, url: str) -> bytes:
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if _ABOUT in PurePosixPath(member.filename).stem.lower() and member.file_size <= _LONGEST_ABOUT:
                    return archive.read(member)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError):
        raise PairFileError(f"{url}: the zip archive is damaged: download it again") from None
    return b""


def _write(path: Path, pieces: Iterable[bytes]) -> int:
    """Write a file, whole or not at all; returns its number of line ends."""
    lines = 0
    with whole_file(path) as file:
        for piece in pieces:
            file.write(piece)
            lines += piece.count(b"\n")
    return lines
