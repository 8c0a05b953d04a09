"""The server: a socket, its connections, and a stop that loses no request."""

import asyncio
import errno
import logging
import os
import signal
import socket
from collections.abc import Callable
from ipaddress import ip_address
from types import FrameType

import uvicorn
from typing_extensions import override

from seq2seq_cli.errors import UsageError
from seq2seq_cli.serve.app import Application

_MOST_CONNECTIONS = 1000
"""Connections at a time: the usual limit of open files is 1,024."""
_LAST_REQUESTS = 0.5
"""Seconds after the signal to stop in which requests are still taken: they are on their way on open connections."""
_ADDRESSES = "127.0.0.1, or 0.0.0.0 for all networks"


def open_socket(host: str, port: int) -> socket.socket:
    """A socket bound to an address; port 0 stands for any free one. Raises UsageError when it cannot be had."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address, family=family)
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
    """Serve, call `on_start` once requests are taken, and end at SIGINT or SIGTERM once all of them are answered."""
    # Malformed requests and clients that leave are not logged: strangers could fill the disk with them.
    for library in ("uvicorn", "python_multipart"):
        logging.getLogger(library).setLevel(logging.CRITICAL)
    config = uvicorn.Config(
        application.asgi,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        headers=[("X-Content-Type-Options", "nosniff")],
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_graceful_shutdown=int(3 * application.timeout) + 1,  # a document waits for its turn, too
    )
    _Server(config, on_start).run([listener])


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

    @override
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at a signal; unlike uvicorn's, it is not raised again: a stop is the usual end of a server."""
        self.force_exit |= self.should_exit and sig == signal.SIGINT
        self.should_exit = True
