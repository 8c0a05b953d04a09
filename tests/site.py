"""A web server on the loopback interface that publishes archives, and fails as it is told to."""

import io
import re
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """What the server has, and how it behaves; each list is used up request by request."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=lambda: {"ETag": '"1"'})
    """Sent with every file; an ETag or a Last-Modified among them is what If-Range is compared with."""
    knows_ranges: bool = True
    statuses: list[int] = field(default_factory=list)
    """Answered instead of a file."""
    cuts: list[int] = field(default_factory=list)
    """After so many bytes of a file the connection is closed."""
    stalls: bool = False
    """Cuts leave the connection open and silent."""
    ended: threading.Event = field(default_factory=threading.Event)

    requests: list[dict[str, str]] = field(default_factory=list)
    """The headers that came."""
    sent: int = 0
    """Bytes of files."""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.requests.append(dict(handler.headers))
        body = self.files.get(handler.path)
        status = self.statuses.pop(0) if self.statuses else 200 if body is not None else 404
        if status != 200 or body is None:
            handler.send_response(status)
            handler.end_headers()
            return
        start = self.start_of_range(handler)
        if start >= len(body) > 0:
            handler.send_response(416)
            handler.send_header("Content-Range", f"bytes */{len(body)}")
            handler.end_headers()
            return
        handler.send_response(206 if start else 200)
        if start:
            handler.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        for name, value in {"Content-Length": str(len(body) - start), **self.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        self.send(handler, body[start:])

    def start_of_range(self, handler: BaseHTTPRequestHandler) -> int:
        match = re.fullmatch(r"bytes=(\d+)-", handler.headers.get("Range", ""))
        version = self.headers.get("ETag") or self.headers.get("Last-Modified")
        return int(match[1]) if match and self.knows_ranges and handler.headers.get("If-Range") == version else 0

    def send(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        if self.cuts:
            body = body[: self.cuts.pop(0)]
            self.sent += len(body)
            handler.wfile.write(body)
            handler.wfile.flush()
            if self.stalls:
                self.ended.wait(10)
            return
        self.sent += len(body)
        handler.wfile.write(body)


@contextmanager
def running_site() -> Iterator[Site]:
    """A site that is served while the block runs."""
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.answer(self)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base names it
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        site.address = f"http://127.0.0.1:{server.server_port}/pairs/"
        try:
            yield site
        finally:
            site.ended.set()
            server.shutdown()
            thread.join()


def archive_of(files: dict[str, bytes], *, compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of these files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()
