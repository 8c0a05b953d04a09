"""Download of a published pair file with its attribution (https://www.manythings.org/anki/)."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from io import BytesIO
from pathlib import Path, PurePosixPath
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from seq2seq_cli.errors import DownloadError, PairFileError, UsageError, exit_code_of
from seq2seq_cli.files.writing import check_output, make_folder, output_file
from seq2seq_cli.pairs.archives import ZIP_MAGIC, open_archive, read_member, read_pair_member
from seq2seq_cli.text.languages import PUBLISHED, code_named, short_code
from seq2seq_cli.version import __version__

SITE = "https://www.manythings.org/anki/"

ByteProgress = Callable[[int, int | None], None]
"""Called with the bytes received so far, and with their total where the server states it."""

_CHUNK = 1 << 16
_TEMPORARY = {408, 429, 500, 502, 503, 504}
"""Status codes of failures that may soon be over."""


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

    Raises UsageError when one of the files exists and `overwrite` is not set, when `site` is no web address, and when
    the language is unknown; DownloadError when network, server or disk fail.
    """
    code3, folder = find_published(language), Path(out)
    pair_file, about = folder / f"{code3}.txt", folder / f"{code3}_about.txt"
    if not re.fullmatch(r"https?://\S+", site):
        raise UsageError(f"--site {site}: must be a web address such as {SITE}")
    url = f"{site.rstrip('/')}/{code3}-eng.zip"
    if folder.exists():
        for file in (pair_file, about):
            check_output(file, overwrite=overwrite)
    content = _fetch(url, timeout=timeout, retries=retries, progress=progress)
    try:
        make_folder(folder)
        return _unpack(content, url, pair_file, about, overwrite)
    except PairFileError as error:
        raise DownloadError(str(error)) from None
    except OSError as error:
        problem = f"{error.filename or folder}: {error.strerror or error}: free some space, or choose another --out"
        raise DownloadError(problem, exit_code=exit_code_of(error)) from None


def find_published(word: str) -> str:
    """The code of three letters of the language with this code or name: ``deu``, ``de``, ``German`` or ``Deutsch``.

    An unknown code of three letters is returned as it is: the site may have more languages than `PUBLISHED`. Raises
    UsageError for English, which is in every file, and for an unknown name.
    """
    wanted = word.strip().casefold()
    code = code_named(wanted)
    if code == "en":
        raise UsageError("English is the other language of every file: name the one that goes with it")
    by_code = {short_code(code3): code3 for code3 in PUBLISHED}
    if code in by_code:
        return by_code[code]
    if re.fullmatch("[a-z]{3}", wanted):
        return wanted
    raise UsageError(f"no published language is called '{word}': see 's2s download --list'")


def _fetch(url: str, *, timeout: float, retries: int, progress: ByteProgress) -> bytes:
    """The content at an address; raises DownloadError when the network or the server fails at every try."""
    # Accept: every browser sends it, and some sites refuse a request without it.
    headers = {"User-Agent": f"s2s/{__version__}", "Accept": "*/*", "Accept-Encoding": "identity"}
    problem = ""
    for attempt in range(retries + 1):
        time.sleep(attempt / 2)
        try:
            with urlopen(Request(url, headers=headers), timeout=timeout) as response:  # noqa: S310  # http(s) alone
                return _receive(response, progress)
        except HTTPError as answer:
            with answer:
                problem = f"the server answers {answer.code} {answer.reason}".rstrip()
                if answer.code not in _TEMPORARY:
                    break
        except (OSError, HTTPException, ValueError) as failure:
            reason = failure.reason if isinstance(failure, URLError) else failure
            problem = f"no answer: {getattr(reason, 'strerror', None) or reason}"
    raise DownloadError(f"{url}: {problem}: is there a network, and is the address right?")


def _receive(response: HTTPResponse, progress: ByteProgress) -> bytes:
    length = response.headers.get("Content-Length", "")
    total = int(length) if length.isdigit() else None
    content = bytearray()
    progress(0, total)
    while chunk := response.read1(_CHUNK):
        content += chunk
        progress(len(content), total)
    if total is not None and len(content) < total:
        raise HTTPException(f"the connection was cut after {len(content):,} of {total:,} bytes")
    return bytes(content)


def _unpack(content: bytes, url: str, pair_file: Path, about: Path, overwrite: bool) -> Downloaded:
    """Write both files, the pair file last; raises PairFileError when the archive is damaged or has no pair file."""
    if not content.startswith(ZIP_MAGIC):
        raise PairFileError(f"{url}: not a zip archive: open the address in a browser to see why")
    archive = open_archive(BytesIO(content), url)
    abouts = [name for name in archive.namelist() if "about" in PurePosixPath(name).stem.lower()]
    attribution = b"".join(read_member(archive, abouts[0], url)) if abouts else b""
    pairs = b"".join(read_pair_member(archive, url))
    with output_file(pair_file, overwrite=overwrite) as file:
        file.write(pairs)
        file.flush()
        # Not before: a full disk or a damaged archive leaves neither file.
        if attribution:
            with output_file(about, overwrite=overwrite) as about_file:
                about_file.write(attribution)
    return Downloaded(pair_file=pair_file, lines=pairs.count(b"\n"), about=about if attribution else None)
