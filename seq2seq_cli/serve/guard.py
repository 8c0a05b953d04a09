"""What holds for every request: it is counted, its answer is sent in time, and no error of it gets further."""

import asyncio
import logging
import time
import traceback
from collections.abc import Collection

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from seq2seq_cli.compute.out_of_memory import is_out_of_memory
from seq2seq_cli.serve.metrics import Metrics

logger = logging.getLogger(__name__)

_CLIENT_LEFT = "499"
"""Status of a request whose client left before the answer, by the habit of nginx."""


class Guard:
    """An ASGI application around another one."""

    def __init__(
        self, app: ASGIApp, metrics: Metrics, *, paths: Collection[str], measured: str, timeout: float
    ) -> None:
        """Count by these `paths`, all others as one; take the time of the path that is `measured`."""
        self._app = app
        self._metrics = metrics
        self._paths = paths
        self._measured = measured
        self._timeout = timeout
        self.is_stopping = False
        """Whether each answer closes its connection: clients that continue open a new one, elsewhere or later."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        started, status = time.perf_counter(), _CLIENT_LEFT

        async def send_in_time(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
                message["headers"].append((b"x-content-type-options", b"nosniff"))
                if self.is_stopping:
                    message["headers"].append((b"connection", b"close"))
            async with asyncio.timeout(self._timeout):
                await send(message)

        try:
            await self._app(scope, receive, send_in_time)
        except TimeoutError:
            status = _CLIENT_LEFT  # it does not read its answer
        except Exception as error:
            _log(error)
        path = scope["path"] if scope["path"] in self._paths else "other"
        self._metrics.requests[("path", path), ("status", status)] += 1
        if path == self._measured and status == "200":
            self._metrics.seconds.add(time.perf_counter() - started)


def _log(error: Exception) -> None:
    """Log where an error was raised; its message may hold a text of a client."""
    places = (f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__))
    kind = "out of memory" if is_out_of_memory(error) else "a bug of the server"
    logger.error("%s: %s at %s", kind, type(error).__name__, " < ".join(reversed([*places])))
