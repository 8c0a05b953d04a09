"""The server: a socket, its connections, and a stop that loses no request."""

import asyncio
import contextlib
import errno
import logging
import os
import signal
import socket
from collections.abc import Callable, Generator
from ipaddress import ip_address
from typing import Any

import uvicorn
from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from seq2seq_cli.errors import UsageError
from seq2seq_cli.serve.app import Application

_MOST_CONNECTIONS = 1000
"""Connections at a time: the usual limit of open files is 1,024."""
_MOST_HEAD_BYTES = 2**15
"""Bytes of the request line and the headers, and of what comes beside a body."""
_LAST_REQUESTS = 0.5
"""Seconds after the signal to stop in which requests are still taken: they are on their way on open connections."""
_ADDRESSES = "127.0.0.1, or 0.0.0.0 for all networks"
_STOPPING_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def open_socket(host: str, port: int) -> socket.socket:
    """A socket bound to an address; port 0 stands for any free one. Raises UsageError when it cannot be had."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family)
    except (socket.gaierror, UnicodeError):
        raise UsageError(f"--host {host}: no such address of this machine; give {_ADDRESSES}") from None
    except OSError as error:
        reason = os.strerror(error.errno or 0)
        cure = "another --port" if error.errno != errno.EADDRNOTAVAIL else _ADDRESSES
        raise UsageError(f"--host {host} --port {port}: cannot listen there: {reason}; give {cure}") from None


def address_of(listener: socket.socket) -> str:
    """The web address of a socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_reachable(listener: socket.socket) -> bool:
    """Whether other machines may reach a socket."""
    return not ip_address(listener.getsockname()[0]).is_loopback


def run(application: Application, listener: socket.socket, on_start: Callable[[], object]) -> None:
    """Serve until SIGINT or SIGTERM comes, and every request that was taken is answered.

    `on_start` is called once requests are taken and both signals end the server in this way.
    """
    # Malformed requests and clients that leave are not logged: strangers could fill the disk with them.
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    timeout = application.limits.timeout
    config = uvicorn.Config(
        application.asgi,
        http=type("_TimedConnection", (_Connection,), {"timeout": timeout}),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        headers=[("X-Content-Type-Options", "nosniff")],
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=int(2 * timeout) + 1,
    )
    try:
        _Server(config, on_start).run([listener])
    finally:
        application.batcher.close()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_start: Callable[[], object]) -> None:
        super().__init__(config)
        self._on_start = on_start

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_start()

    @override
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Each answer closes its connection: clients that continue open a new one, elsewhere or later.
        self.server_state.default_headers = [*self.server_state.default_headers, (b"connection", b"close")]
        await asyncio.sleep(_LAST_REQUESTS)
        await super().shutdown(sockets)

    @contextlib.contextmanager
    @override
    def capture_signals(self) -> Generator[None, None, None]:
        """Stop at a signal; unlike uvicorn's, without raising it again: a stop is the usual end of a server."""
        before = {number: signal.signal(number, self.handle_exit) for number in _STOPPING_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


class _Connection(HttpToolsProtocol):
    """Uvicorn's connection, with bounds on the time and the length of heads and trailers, and on unread answers."""

    timeout: float
    """Seconds for the first byte of the first request, for a request line and its headers, for the rest of a body after
    the answer, and for reading an answer, except its last 64 kB, which the system keeps for the client."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._bytes_between = 0
        """Bytes received since the last part of a request: a whole head, some of a body, or its end."""
        self._has_part = False
        self._late: asyncio.TimerHandle | None = None
        """Refuses a request that does not come."""
        self._unread: asyncio.TimerHandle | None = None
        """Ends the connection when the client does not read what waits to be sent."""

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait_for_request()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        _cancel(self._late)
        _cancel(self._unread)
        super().connection_lost(exc)

    @override
    def data_received(self, data: bytes) -> None:
        self._has_part = False
        super().data_received(data)
        self._bytes_between = 0 if self._has_part else self._bytes_between + len(data)
        if self._bytes_between > _MOST_HEAD_BYTES and not self.transport.is_closing():
            self._refuse(b"431 Request Header Fields Too Large")

    @override
    def on_message_begin(self) -> None:
        self._wait_for_request()
        super().on_message_begin()

    @override
    def on_headers_complete(self) -> None:
        self._has_part = True
        _cancel(self._late)
        super().on_headers_complete()

    @override
    def on_body(self, body: bytes) -> None:
        self._has_part = True
        super().on_body(body)

    @override
    def on_message_complete(self) -> None:
        self._has_part = True
        _cancel(self._late)
        super().on_message_complete()

    @override
    def on_response_complete(self) -> None:
        if self.cycle.more_body:
            self._wait_for_request()
        super().on_response_complete()

    @override
    def pause_writing(self) -> None:
        super().pause_writing()
        _cancel(self._unread)
        self._unread = self.loop.call_later(self.timeout, self.transport.abort)

    @override
    def resume_writing(self) -> None:
        _cancel(self._unread)
        super().resume_writing()

    def _wait_for_request(self) -> None:
        _cancel(self._late)
        self._late = self.loop.call_later(self.timeout, self._refuse, b"408 Request Timeout")

    def _refuse(self, status: bytes) -> None:
        _cancel(self._late)
        self.transport.write(b"HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n" % status)
        self.transport.close()


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    """Cancel a timer that was set; nothing happens where it has run out."""
    if timer is not None:
        timer.cancel()
