"""A file from the web, fetched so that nothing that came is fetched twice.

What has come lies in a hidden file beside the one that is wanted; a note beside it says which version of which address
it is the beginning of. The rest is asked for by HTTP's Range and If-Range (RFC 9110, sections 13.1.5 and 14.2), so a
file that the site has changed meanwhile, or a site that knows no ranges, means a new beginning and never a mixture.
"""

import contextlib
import json
import socket
import ssl
import time
from collections.abc import Callable
from email.message import Message
from http import HTTPStatus
from http.client import BadStatusLine, HTTPException, HTTPResponse, LineTooLong
from pathlib import Path
from typing import NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from seq2seq_cli import __version__
from seq2seq_cli.errors import DownloadError
from seq2seq_cli.files import write_json

Progress = Callable[[int, int | None], None]
"""Told the bytes that have come, and how many there will be when the server says so."""

AGAIN = "run it again to go on"

_CHUNK = 1 << 16
_LONGEST_PAUSE = 8.0
"""Seconds between two tries; the first ones follow more quickly."""

_NOT_FOUND = {404, 410}
_PASSING = {408, 429, 500, 502, 503, 504}
"""Answers of a server that may have a better one in a moment."""


class NotFound(Exception):  # noqa: N818  # an answer, which the caller explains
    """The server has no such file."""


class _Broken(Exception):  # noqa: N818  # never leaves this file
    """The connection failed in a way that may be over at the next try."""


class _Beginning(NamedTuple):
    """What a partial file holds: so many bytes of the version that the validator (ETag or date) names."""

    size: int
    validator: str


def fetch(url: str, part: Path, *, timeout: float, retries: int, progress: Progress) -> None:
    """Fetch ``url`` into ``part``, going on from what is there; ``timeout`` is in seconds.

    Raises NotFound; DownloadError when network, server or disk fail, with what came left in place.
    """
    for tries_left in range(retries, -1, -1):
        try:
            _fetch_rest(url, part, timeout, progress)
        except _Broken as failure:
            if not tries_left:
                raise DownloadError(f"{url}: {failure}: {AGAIN}") from None
            time.sleep(min(_LONGEST_PAUSE, (retries - tries_left) / 2))
        else:
            return


def discard(part: Path) -> None:
    """Remove a partial file and its note."""
    part.unlink(missing_ok=True)
    _note(part).unlink(missing_ok=True)


def _fetch_rest(url: str, part: Path, timeout: float, progress: Progress) -> None:
    """One try; raises _Broken when another one may help."""
    beginning = _beginning(url, part)
    try:
        response = _open(url, beginning, timeout)
    except HTTPError as answer:
        with answer:
            if not beginning or answer.code != HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                raise _refusal(url, answer) from None
            if answer.headers.get("Content-Range") == f"bytes */{beginning.size}":
                return  # it was whole already
        discard(part)
        raise _Broken("the server has changed the file") from None
    with response:
        going_on = response.status == HTTPStatus.PARTIAL_CONTENT
        if going_on and not (beginning and _starts_at(beginning.size, response)):
            discard(part)
            raise _Broken("the server sent another part than the one asked for")
        try:
            if not going_on:
                _begin(url, part, response.headers)
            _receive(response, part, beginning.size if beginning and going_on else 0, progress)
        except OSError as failure:
            raise DownloadError(f"{failure.filename or part}: {failure.strerror}: make room, then {AGAIN}") from None


def _open(url: str, beginning: _Beginning | None, timeout: float) -> HTTPResponse:
    """The server's answer; raises HTTPError when that is an error, _Broken or DownloadError when there is none."""
    # Accept: what a browser always sends, some sites turn away a request without it.
    headers = {"User-Agent": f"s2s/{__version__}", "Accept": "*/*", "Accept-Encoding": "identity"}
    if beginning:
        headers |= {"Range": f"bytes={beginning.size}-", "If-Range": beginning.validator}
    try:
        request = Request(url, headers=headers)  # noqa: S310  # the config allows http and https alone
        response: HTTPResponse = urlopen(request, timeout=timeout)  # noqa: S310
    except HTTPError:
        raise
    except (OSError, HTTPException, ValueError) as failure:
        raise _unreachable(url, failure, timeout) from None
    return response


def _unreachable(url: str, failure: Exception, timeout: float) -> Exception:
    """What the user is told of a server that gave no answer."""
    reason = failure.reason if isinstance(failure, URLError) else failure
    match reason:
        case TimeoutError():
            return _Broken(f"no answer within {timeout:g} s")
        case ConnectionResetError() | ConnectionAbortedError() | BrokenPipeError():
            return _Broken("the connection was cut")
        case socket.gaierror():
            return DownloadError(f"{url}: the site's name cannot be looked up: is there a network?")
        case ConnectionRefusedError():
            return DownloadError(f"{url}: the connection was refused: nothing answers there")
        case ssl.SSLError():
            return DownloadError(f"{url}: no secure connection: {reason.reason or reason}")
        case OSError():
            return DownloadError(f"{url}: cannot be reached: {reason.strerror or reason}")
        case BadStatusLine() | LineTooLong():
            return DownloadError(f"{url}: what answers there is no web server: {reason}")
        case _:
            return DownloadError(f"{url}: not an address that can be asked: {reason}")


def _refusal(url: str, answer: HTTPError) -> Exception:
    """What to raise for an answer that is an error."""
    if answer.code in _NOT_FOUND:
        return NotFound()
    told = f"the server answers {answer.code} {answer.reason}".rstrip()
    if answer.code in _PASSING:
        return _Broken(told)
    return DownloadError(f"{url}: {told}: a browser may get it, and prepare takes the archive as it is")


def _receive(response: HTTPResponse, part: Path, offset: int, progress: Progress) -> None:
    """Append the answer to what is there; raises _Broken when it ends too early, OSError when the disk fails."""
    length = response.headers.get("Content-Length", "")
    total = offset + int(length) if length.isdigit() else None
    size = offset
    progress(size, total)
    with part.open("ab") as file:
        while chunk := _next_chunk(response, size, total):
            file.write(chunk)
            size += len(chunk)
            progress(size, total)
    if total is not None and size < total:
        raise _Broken(_cut(size, total))


def _next_chunk(response: HTTPResponse, size: int, total: int | None) -> bytes:
    try:
        return response.read1(_CHUNK)
    except (OSError, HTTPException):
        raise _Broken(_cut(size, total)) from None


def _cut(size: int, total: int | None) -> str:
    return f"the connection was cut after {size:,} of {'unknown' if total is None else format(total, ',')} bytes"


def _begin(url: str, part: Path, headers: Message) -> None:
    """An empty partial file, and the note of what it is going to hold."""
    part.write_bytes(b"")  # before the note: an old beginning must not be taken for one of the new version
    validator = headers.get("ETag", "")
    if not validator or validator.startswith("W/"):  # a weak one does not promise the same bytes
        validator = headers.get("Last-Modified", "")
    write_json(_note(part), {"url": url, "validator": validator})


def _beginning(url: str, part: Path) -> _Beginning | None:
    """What can be gone on from; None when there is nothing, or nobody knows what it is."""
    with contextlib.suppress(OSError, ValueError):
        note = json.loads(_note(part).read_bytes())
        size = part.stat().st_size
        if size and isinstance(note, dict) and note.get("url") == url and note.get("validator"):
            return _Beginning(size, str(note["validator"]))
    return None


def _note(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _starts_at(size: int, response: HTTPResponse) -> bool:
    return response.headers.get("Content-Range", "").startswith(f"bytes {size}-")
