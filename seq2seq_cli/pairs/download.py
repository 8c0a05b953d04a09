"""Download of a published pair file with its attribution."""

import errno
import os
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from itertools import chain
from pathlib import Path, PurePosixPath

from seq2seq_cli.errors import DownloadError, PairFileError, UsageError, exit_code_of
from seq2seq_cli.files.output import check_output, output_file
from seq2seq_cli.files.writing import make_folder, naming
from seq2seq_cli.pairs.archives import is_zip, open_archive, read_member, read_pairs
from seq2seq_cli.pairs.published import find_published, near_languages
from seq2seq_cli.pairs.web import ByteProgress, NotFound, fetch
from seq2seq_cli.text.languages.names import PUBLISHED

SITE = "https://www.manythings.org/anki/"

_HTTP = re.compile(r"https?://\S+")
_ABOUT = "about"
"""Part of the name of an archive's attribution, and of no other name in it."""
_PAGE = b"<"
_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
"""Failures of a full disk."""


@dataclass(frozen=True, kw_only=True)
class Downloaded:
    """The files that were written."""

    pair_file: Path
    lines: int
    about: Path | None
    """The attribution: who wrote the sentences, under which licence; None where the archive has none."""


def download(
    language: str,
    out: Path | str = "",
    *,
    site: str = SITE,
    overwrite: bool = False,
    progress: ByteProgress = lambda _done, _total: None,
    timeout: float = 30.0,
    retries: int = 4,
) -> Downloaded:
    """Fetch the sentence pairs of English and a language, and write them and their attribution into the folder `out`.

    `language` is a code or a name: ``deu``, ``de`` or ``German``. `progress` is called with (bytes done, total).
    `timeout` is in seconds, per wait for the server.

    Raises UsageError when one of the files exists and `overwrite` is not set, when `out` cannot be made, when `site` is
    no web address, or when neither the site nor our list has the language; DownloadError when network, server or disk
    fail.
    """
    wanted, folder = find_published(language), Path(out)
    pair_file = folder / f"{wanted.code3}.txt"
    about = folder / f"{wanted.code3}_about.txt"
    if not _HTTP.fullmatch(site):
        raise UsageError(f"--site {site}: must be a web address such as {SITE}")
    url = f"{site.rstrip('/')}/{wanted.code3}-eng.zip"
    try:
        with _made(folder):
            for file in (pair_file, about):
                check_output(file, overwrite=overwrite)
            content = fetch(url, timeout=timeout, retries=retries, progress=progress)
            return _unpack(content, url, pair_file, about, overwrite)
    except NotFound:
        if wanted in PUBLISHED:
            raise DownloadError(f"{url}: not found: if the site has moved, give its new address with --site") from None
        raise UsageError(f"{url}: not found{near_languages(wanted.code3)}") from None
    except PairFileError as error:
        raise DownloadError(str(error)) from None
    except OSError as error:
        cure = "free some space, and run it again" if error.errno in _FULL else "choose another folder with --out"
        raise DownloadError(f"{error.filename or folder}: {error.strerror or error}: {cure}") from None


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Make a folder; where the block fails, remove it again, and those parents that were made with it.

    Raises UsageError when it cannot be made, or cannot be written to.
    """
    missing = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        make_folder(folder)
    except OSError as error:
        problem = f"{folder}: cannot be made: {error.strerror}: choose another folder with --out"
        raise UsageError(problem, exit_code=exit_code_of(error)) from None
    if not os.access(folder, os.W_OK):
        raise UsageError(f"{folder}: not writable: choose another folder with --out")
    try:
        yield
    except BaseException:
        for place in missing:
            with suppress(OSError):  # it is not empty: somebody else uses it
                place.rmdir()
        raise


def _unpack(content: bytes, url: str, pair_file: Path, about: Path, overwrite: bool) -> Downloaded:
    """Write both files, the pair file last; raises PairFileError when the archive is damaged or has no pair file."""
    if not is_zip(content):
        kind = "a web page" if content.startswith(_PAGE) else "something else"
        raise PairFileError(f"{url}: not a zip archive but {kind}: open the address in a browser to see why")
    archive = open_archive(BytesIO(content), url)
    pieces = read_pairs(archive, url)
    first = next(pieces, b"")
    if b"\t" not in first:
        raise PairFileError(f"{url}: no sentence pairs in the archive: its first lines have no tab")
    attribution = _attribution(archive, url)
    lines = 0
    with output_file(pair_file, overwrite=overwrite) as file:
        with naming(pair_file):
            for piece in chain([first], pieces):
                file.write(piece)
                lines += piece.count(b"\n")
            file.flush()
        # Not before: a full disk or a damaged archive leaves neither file.
        if attribution:
            with output_file(about, overwrite=overwrite) as about_file, naming(about):
                about_file.write(attribution)
    return Downloaded(pair_file=pair_file, lines=lines, about=about if attribution else None)


def _attribution(archive: zipfile.ZipFile, url: str) -> bytes:
    members = [name for name in archive.namelist() if _ABOUT in PurePosixPath(name).stem.lower()]
    return b"".join(read_member(archive, members[0], url)) if members else b""
