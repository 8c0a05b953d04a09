"""A connection on which a request must come in time, and be short besides its body, and answers are read in time."""

import asyncio
from typing import Any

from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from seq2seq_cli.serve.limits import MOST_HEAD_BYTES


class Connection(HttpToolsProtocol):
    """Uvicorn's connection, with bounds on the time and the length of heads and trailers."""

    head_timeout: float
    """Seconds for the first byte of the first request, for a request line and its headers, and for the rest of a body
    after the answer."""
    answer_timeout: float
    """Seconds in which a client reads an answer, but for the last 64 kB, which the system keeps for it."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._bytes_between = 0
        """Bytes received since the last part of a request: a whole head, some of a body, or its end."""
        self._has_part = False
        self._timer: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        """Ends the connection when the client does not read what waits to be sent."""

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._stop_waiting()
        super().connection_lost(exc)

    @override
    def data_received(self, data: bytes) -> None:
        self._has_part = False
        super().data_received(data)
        self._bytes_between = 0 if self._has_part else self._bytes_between + len(data)
        if self._bytes_between > MOST_HEAD_BYTES and not self.transport.is_closing():
            self._refuse(b"431 Request Header Fields Too Large")

    @override
    def on_message_begin(self) -> None:
        self._start_timer()
        super().on_message_begin()

    @override
    def on_headers_complete(self) -> None:
        self._has_part = True
        self._stop_timer()
        super().on_headers_complete()

    @override
    def on_body(self, body: bytes) -> None:
        self._has_part = True
        super().on_body(body)

    @override
    def on_message_complete(self) -> None:
        self._has_part = True
        self._stop_timer()
        super().on_message_complete()

    @override
    def on_response_complete(self) -> None:
        if self.cycle.more_body:
            self._start_timer()
        super().on_response_complete()

    @override
    def pause_writing(self) -> None:
        super().pause_writing()
        if self._unread is None:
            self._unread = self.loop.call_later(self.answer_timeout, self.transport.abort)

    @override
    def resume_writing(self) -> None:
        self._stop_waiting()
        super().resume_writing()

    def _stop_waiting(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _start_timer(self) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(self.head_timeout, self._refuse, b"408 Request Timeout")

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _refuse(self, status: bytes) -> None:
        self._stop_timer()
        self.transport.write(b"HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n" % status)
        self.transport.close()
