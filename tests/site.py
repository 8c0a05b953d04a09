"""A web server on the loopback interface that publishes archives, and fails as it is told to."""

import io
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Site:
    """The files of the server and its faults; the first entry of each list is used up by a request."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    statuses: list[int] = field(default_factory=list)
    """HTTP status codes, answered instead of a file."""
    cuts: list[int] = field(default_factory=list)
    """Bytes of a file after which the connection is closed."""
    stalls: bool = False
    """Cuts leave the connection open and silent."""
    ended: threading.Event = field(default_factory=threading.Event)

    requests: list[dict[str, str]] = field(default_factory=list)
    """The headers of each request."""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.requests.append(dict(handler.headers))
        body = self.files.get(handler.path)
        status = self.statuses.pop(0) if self.statuses else 200 if body is not None else 404
        handler.send_response(status)
        if status == 200 and body is not None:
            handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        if status == 200 and body is not None:
            self.send(handler, body)

    def send(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        if self.cuts:
            handler.wfile.write(body[: self.cuts.pop(0)])
            handler.wfile.flush()
            if self.stalls:
                self.ended.wait(10)
        else:
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
