"""The web application: LibreTranslate's addresses, metrics, and a page."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from seq2seq_cli.compute.out_of_memory import is_out_of_memory
from seq2seq_cli.decoding.translation import Translation
from seq2seq_cli.pages.served import served_page
from seq2seq_cli.serve.answers import answer_to
from seq2seq_cli.serve.batcher import Batcher, QueueFullError
from seq2seq_cli.serve.directions import Directions, listed
from seq2seq_cli.serve.guard import Guard
from seq2seq_cli.serve.keys import ApiKeys
from seq2seq_cli.serve.limits import Limits
from seq2seq_cli.serve.metrics import CONTENT_TYPE, Metrics
from seq2seq_cli.serve.requests import TranslateRequest, api_key, read_fields

_AUTO = "auto"
"""What clients name as the source language to have it detected."""
_RETRY = {"Retry-After": "1"}
"""Seconds until a client may come again: a full queue is translated in a few."""
_TYPING_PAUSE = 200
"""Milliseconds without a key after which pages translate."""


@dataclass(frozen=True, kw_only=True)
class Application:
    """The translators of a server, and its answers to all addresses."""

    directions: Directions
    keys: ApiKeys
    limits: Limits
    metrics: Metrics = field(default_factory=Metrics)

    @cached_property
    def guarded(self) -> Guard:
        """The ASGI application."""
        routes = [
            Route("/", self.page),
            Route("/translate", self.translate, methods=["POST"]),
            Route("/detect", self.detect, methods=["POST"]),
            Route("/languages", self.languages),
            Route("/frontend/settings", self.settings),
            Route("/health", self.health),
            Route("/metrics", self.show_metrics),
        ]
        handlers = {HTTPException: _refused, ClientDisconnect: _left, Exception: _failed}
        app = Starlette(routes=routes, exception_handlers=handlers)
        return Guard(
            app,
            self.metrics,
            paths={route.path for route in routes},
            measured="/translate",
            timeout=self.limits.timeout,
        )

    @cached_property
    def batcher(self) -> Batcher:
        """The queue of the texts."""
        return Batcher(
            self.directions.threads,
            max_waiting=self.limits.max_waiting,
            on_batch=self.metrics.batch_texts.add,
        )

    async def translate(self, request: Request) -> Response:
        """Translate a text or a list of texts."""
        wanted = TranslateRequest.parse(await self._allowed_fields(request), self.limits)
        if wanted.direction not in self.directions.translators:
            is_auto = wanted.direction.source == _AUTO
            problem = f"source: {_AUTO}: no language is detected here" if is_auto else "source, target: not served here"
            raise HTTPException(400, f"{problem}: choose one of {listed(self.directions)}")
        fields = await _unless_client_leaves(request, self._answer(wanted))
        return JSONResponse(fields, headers={"Cache-Control": "no-store"})

    async def detect(self, request: Request) -> Response:
        """Say that no language is detected here."""
        await self._allowed_fields(request)
        raise HTTPException(501, "this server does not detect languages: name the source language")

    async def page(self, _request: Request) -> Response:
        """The page on which people translate."""
        headers = {"Cache-Control": "no-cache", "X-Frame-Options": "DENY"}
        return Response(self._page, media_type="text/html", headers=headers)

    @cached_property
    def _page(self) -> bytes:
        return served_page(
            {
                "directions": [(each.source, each.target) for each in self.directions],
                "names": {each.code: each.name for each in self.directions.languages},
                "needs_key": self.keys.are_required,
                "max_characters": self.limits.longest_text,
                "pause": _TYPING_PAUSE,
            }
        )

    async def languages(self, _request: Request) -> Response:
        """List the languages and what each is translated into."""
        return JSONResponse([each._asdict() for each in self.directions.languages])

    async def settings(self, _request: Request) -> Response:
        """Tell clients what they may ask for."""
        first = next(iter(self.directions))
        named = {each.code: {"code": each.code, "name": each.name} for each in self.directions.languages}
        return JSONResponse(
            {
                "apiKeys": self.keys.are_required,
                "keyRequired": self.keys.are_required,
                "charLimit": self.limits.longest_text,
                "frontendTimeout": _TYPING_PAUSE,
                "language": {"source": named[first.source], "target": named[first.target]},
                "suggestions": False,
                "filesTranslation": False,
                "supportedFilesFormat": [],
            }
        )

    async def health(self, _request: Request) -> Response:
        """Tell whether requests are taken."""
        if self.guarded.is_stopping:
            return JSONResponse({"status": "stopping"}, 503)
        return JSONResponse({"status": "ok"})

    async def show_metrics(self, _request: Request) -> Response:
        """The metrics as Prometheus reads them."""
        return Response(self.metrics.text(waiting=self.batcher.waiting), media_type=CONTENT_TYPE)

    async def _allowed_fields(self, request: Request) -> Any:
        fields = await read_fields(request, self.limits)
        if not self.keys.allow(api_key(request, fields)):
            raise HTTPException(403, "api_key: missing or wrong: ask the operator of this server for a key")
        return fields

    async def _answer(self, wanted: TranslateRequest) -> dict[str, Any]:
        try:
            async with asyncio.timeout(self.limits.timeout):
                best = await self._translated(wanted, 1)
                several = await self._translated(wanted, 1 + wanted.alternatives) if wanted.alternatives else []
        except TimeoutError:
            raise HTTPException(503, f"not translated within {self.limits.timeout:g} seconds", _RETRY) from None
        except QueueFullError:
            raise HTTPException(429, "too much text waits to be translated: try again soon", _RETRY) from None
        labels = ("source", wanted.direction.source), ("target", wanted.direction.target)
        self.metrics.texts[labels] += len(wanted.texts)
        self.metrics.characters[labels] += sum(map(len, wanted.texts))
        return answer_to(wanted, best, several)

    async def _translated(self, wanted: TranslateRequest, n_best: int) -> list[Translation]:
        return await self.batcher.translate(self.directions.translator(wanted.direction, n_best), wanted.texts)


async def _refused(_request: Request, error: Exception) -> Response:
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)  # type: ignore[attr-defined]


async def _failed(_request: Request, error: Exception) -> Response:
    if is_out_of_memory(error):
        return JSONResponse({"error": "out of memory: give shorter texts, or come again later"}, 503, _RETRY)
    return JSONResponse({"error": "a bug of the server: its log has the details"}, 500)


async def _left(_request: Request, _error: Exception) -> Response:
    return _NoAnswer()


async def _unless_client_leaves(request: Request, work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    """The result of `work`; when the client leaves before, the work is cancelled and ClientDisconnect raised."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        leaving.cancel()
        working.cancel()


class _NoAnswer(Response):
    """Sends nothing: nobody would read it."""

    async def __call__(self, *_: object) -> None:
        """Send nothing."""
