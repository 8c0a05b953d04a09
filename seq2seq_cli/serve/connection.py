"""A connection on which the head of a request must come in time, and be short."""

import asyncio
from typing import Any

from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from seq2seq_cli.serve.limits import MOST_HEAD_BYTES


class Connection(HttpToolsProtocol):
    """Uvicorn's, which waits for a head without end, and takes one of any length."""

    head_timeout: float
    """Seconds for the request line and the headers, and for the first byte of the first request."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._head_bytes = 0
        self._timer: asyncio.TimerHandle | None = None

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    @override
    def data_received(self, data: bytes) -> None:
        is_in_head = self._timer is not None
        super().data_received(data)
        if is_in_head and self._timer is not None:
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEAD_BYTES:
                self._refuse(b"431 Request Header Fields Too Large")

    @override
    def on_message_begin(self) -> None:
        self._start_timer()
        super().on_message_begin()

    @override
    def on_headers_complete(self) -> None:
        self._stop_timer()
        super().on_headers_complete()

    def _start_timer(self) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(self.head_timeout, self._refuse, b"408 Request Timeout")

    def _stop_timer(self) -> None:
        self._head_bytes = 0
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, status: bytes) -> None:
        self._stop_timer()
        self.transport.write(b"HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n" % status)
        self.transport.close()
