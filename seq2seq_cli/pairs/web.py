"""A file from the web, fetched whole; each failure is reported in one line that says what to do."""

import socket
import time
from collections.abc import Callable
from http.client import BadStatusLine, HTTPException, HTTPResponse, LineTooLong
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from seq2seq_cli.errors import DownloadError
from seq2seq_cli.version import __version__

ByteProgress = Callable[[int, int | None], None]
"""Called with the bytes received so far, and with their total where the server states it."""

_CHUNK = 1 << 16
_NOT_FOUND = {404, 410}
_TEMPORARY = {408, 429, 500, 502, 503, 504}
"""Status codes of failures that may soon be over."""


class NotFound(Exception):  # noqa: N818  # an answer, which the caller explains
    """The server has no such file."""


class _TemporaryFailure(Exception):  # noqa: N818  # never leaves this file
    """The next try may succeed."""


def fetch(url: str, *, timeout: float, retries: int, progress: ByteProgress) -> bytes:
    """The content at an http(s) address; ``timeout`` is in seconds, per wait for the server.

    Raises NotFound, and DownloadError when the network or the server fails.
    """
    for attempt in range(retries + 1):
        time.sleep(attempt / 2)
        try:
            with _open(url, timeout) as response:
                return _receive(response, progress)
        except _TemporaryFailure as failure:
            problem = failure
    raise DownloadError(f"{url}: {problem}: run it again")


def _open(url: str, timeout: float) -> HTTPResponse:
    # Accept: every browser sends it, and some sites refuse a request without it.
    headers = {"User-Agent": f"s2s/{__version__}", "Accept": "*/*", "Accept-Encoding": "identity"}
    try:
        response: HTTPResponse = urlopen(Request(url, headers=headers), timeout=timeout)  # noqa: S310  # http(s) alone
    except HTTPError as answer:
        with answer:
            raise _refusal(url, answer) from None
    except (OSError, HTTPException, ValueError) as failure:
        raise _unreachable(url, failure, timeout) from None
    return response


def _refusal(url: str, answer: HTTPError) -> Exception:
    """The error to raise for an HTTP error status."""
    if answer.code in _NOT_FOUND:
        return NotFound()
    problem = f"the server answers {answer.code} {answer.reason}".rstrip()
    if answer.code in _TEMPORARY:
        return _TemporaryFailure(problem)
    return DownloadError(f"{url}: {problem}: try it in a browser; prepare reads the archive as it is")


def _unreachable(url: str, failure: Exception, timeout: float) -> Exception:
    """The error to raise for a server that gave no answer."""
    reason = failure.reason if isinstance(failure, URLError) else failure
    match reason:
        case TimeoutError():
            return _TemporaryFailure(f"no answer within {timeout:g} s")
        case ConnectionResetError() | ConnectionAbortedError() | BrokenPipeError():
            return _TemporaryFailure("the connection was cut")
        case socket.gaierror():
            return DownloadError(f"{url}: the site's name cannot be looked up: is there a network?")
        case OSError():
            return DownloadError(f"{url}: cannot be reached: {reason.strerror or reason}: is the address right?")
        case BadStatusLine() | LineTooLong():
            return DownloadError(f"{url}: the answer is not a web server's: is the address right?")
        case _:
            return DownloadError(f"{url}: not a web address: {reason}")


def _receive(response: HTTPResponse, progress: ByteProgress) -> bytes:
    length = response.headers.get("Content-Length", "")
    total = int(length) if length.isdigit() else None
    content = bytearray()
    progress(0, total)
    try:
        while chunk := response.read1(_CHUNK):
            content += chunk
            progress(len(content), total)
        cut = total is not None and len(content) < total
    except (OSError, HTTPException):
        cut = True
    if cut:
        of_total = "" if total is None else f" of {total:,}"
        raise _TemporaryFailure(f"the connection was cut after {len(content):,}{of_total} bytes")
    return bytes(content)
