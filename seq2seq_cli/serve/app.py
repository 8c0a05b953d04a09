"""The web application: LibreTranslate's addresses, and a page."""

import asyncio
import logging
import secrets
import traceback
from collections.abc import Awaitable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from seq2seq_cli.compute.process import is_out_of_memory
from seq2seq_cli.config.choices import DeviceName
from seq2seq_cli.decoding.corrections import add_line, correction_line
from seq2seq_cli.decoding.demands import Demands, glossary_of
from seq2seq_cli.decoding.load import LoadedRun, load
from seq2seq_cli.decoding.problems import problems
from seq2seq_cli.documents.plain_text import TRANSLATED, Languages
from seq2seq_cli.errors import InputError, UsageError
from seq2seq_cli.pages.page import VIEWS, manifest, page
from seq2seq_cli.runs.layout import SUGGESTIONS
from seq2seq_cli.runs.listing import about_run
from seq2seq_cli.serve.batcher import Batcher, cost
from seq2seq_cli.serve.requests import AUTO, Suggestion, TextsRequest, TranslateRequest, read_document, read_fields
from seq2seq_cli.text.languages import name_of
from seq2seq_cli.text.spacy_tokenizers import ANY_LANGUAGE

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

_RETRY = {"Retry-After": "1"}
"""Seconds until a client may come again: a full queue is translated in a few."""
_NOT_STORED = {"Cache-Control": "no-store"}
_TYPING_PAUSE = 200
"""Milliseconds without a key after which pages translate."""
_MOST_BYTES, _SECONDS = 100_000_000, 600
"""Of all translated documents together, where new ones replace the oldest; for which each may be fetched."""


def load_runs(
    runs: Sequence[Path | None], *, device: DeviceName, overrides: Sequence[str], threads: int | None
) -> dict[Languages, LoadedRun]:
    """The runs, None for the newest, by their directions; raises as `load`, and UsageError for two of one direction."""
    served: dict[Languages, LoadedRun] = {}
    for run in runs:
        loaded = load(run, device=device, overrides=overrides, threads=threads)
        translator = loaded.translator
        direction = translator.src_codec.config.language, translator.tgt_codec.config.language
        if direction in served:
            problem = f"{loaded.path}: translates {'-'.join(direction)}, as {served[direction].path} does"
            raise UsageError(f"{problem}: name one of them")
        served[direction] = loaded
        # A missing tokenizer is reported now, the first request is quick, and what steps need, too, is open before a
        # training may replace the weights.
        translator.with_traces(steps=True).translate(["a"])
    return served


@dataclass(frozen=True, kw_only=True)
class Application:
    """The translators of a server, and its answers to all addresses."""

    runs: Mapping[Languages, LoadedRun]
    """By the directions in which they translate; the first one is the page's at first."""
    keys: Collection[bytes]
    """The API keys that open the server; without any, it is open to everybody who reaches it."""
    max_characters: int
    """Most characters of the texts of a request, one more per text counted; one with more is refused with 413."""
    max_waiting: int
    """Most characters of the requests that are not answered yet; a request beyond is refused with 429."""
    timeout: float
    """Seconds to receive the body of a request (else 408), and to translate it (else 503)."""
    takes_suggestions: bool = False
    """Whether suggested translations are kept in the folders of the runs, for their owners."""
    files: dict[str, bytes] = field(default_factory=dict)
    """Translated documents by their names, which nobody can guess: a secret, a full stop, and a document's own name."""
    file_turns: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))
    """Two documents at a time are received and translated."""

    @cached_property
    def asgi(self) -> Starlette:
        """The ASGI application."""
        routes = [
            Route("/translate", self.translate, methods=["POST"]),
            Route("/translate_file", self.translate_file, methods=["POST"]),
            Route("/download_file/{name}", self.download_file, methods=["GET"]),
            Route("/detect", self.detect, methods=["POST"]),
            Route("/suggest", self.suggest, methods=["POST"]),
            *(Route(path, answer, methods=["GET"]) for path, answer in self._constant_answers().items()),
        ]
        handlers = {HTTPException: _refused, ClientDisconnect: _left, Exception: _failed}
        return Starlette(routes=routes, exception_handlers=handlers)

    @cached_property
    def batcher(self) -> Batcher:
        """The queue of the texts."""
        threads = min(run.uncorrected.engine.threads for run in self.runs.values())
        return Batcher(threads, max_waiting=self.max_waiting)

    async def translate(self, request: Request) -> Response:
        """Translate a text or a list of texts."""
        wanted = TranslateRequest.parse(await self._fields(request), self.max_characters)
        answer = await _unless_client_leaves(request, self._in_time(self._answer(wanted)))
        return JSONResponse(answer, headers=_NOT_STORED)

    async def translate_file(self, request: Request) -> Response:
        """Translate a document, which may be fetched at an address for a while."""
        await self._in_time(self.file_turns.acquire())
        try:
            fields = await self._fields(request, with_file=True)
            name, content = await _unless_client_leaves(request, self._in_time(self._translated_file(fields)))
        finally:
            self.file_turns.release()
        secret = f"{secrets.token_urlsafe(16)}.{name}"
        self.files[secret] = content
        while sum(map(len, self.files.values())) > _MOST_BYTES:
            del self.files[next(iter(self.files))]
        asyncio.get_running_loop().call_later(_SECONDS, self.files.pop, secret, None)
        address = f"{request.base_url}download_file/{quote(secret)}"
        return JSONResponse({"translatedFileUrl": address}, headers=_NOT_STORED)

    async def download_file(self, request: Request) -> Response:
        """A translated document."""
        if (content := self.files.get(name := request.path_params["name"])) is None:
            raise HTTPException(404, "no such file, or no more: translate it again")
        headers = {"Content-Disposition": f"attachment; filename*=utf-8''{quote(name.partition('.')[2], safe='')}"}
        return Response(content, media_type="application/octet-stream", headers=_NOT_STORED | headers)

    async def detect(self, request: Request) -> Response:
        """Say in which of the languages that are translated from a text may be."""
        asked = TextsRequest.parse(await self._fields(request), self.max_characters)
        detecting = asyncio.to_thread(asked.detected, dict.fromkeys(source for source, _ in self.runs))
        return JSONResponse(await _unless_client_leaves(request, self._in_time(detecting)), headers=_NOT_STORED)

    async def suggest(self, request: Request) -> Response:
        """Keep a better translation of a text, which counts once the owner of the run accepts it."""
        if not self.takes_suggestions:
            raise HTTPException(403, "suggestions are off: s2s serve --suggestions turns them on")
        wanted = Suggestion.parse(await self._fields(request), self.max_characters)
        TextsRequest.parse({"q": wanted.s}, self.max_characters)  # it is searched for, as texts are
        run = self.runs[(await self._direction(wanted))[0]]
        try:
            line = await self._in_time(asyncio.to_thread(correction_line, run.uncorrected, wanted.q, wanted.s))
            add_line(run.path / SUGGESTIONS, line)  # behind the timeout: a suggestion that was refused is not kept
        except InputError as error:
            raise HTTPException(400, str(error)) from None
        except OSError as error:
            raise HTTPException(503, f"{SUGGESTIONS}: cannot be written: {error.strerror}") from None
        return JSONResponse({"success": True}, headers=_NOT_STORED)

    def _fields(self, request: Request, *, with_file: bool = False) -> Awaitable[Mapping[str, Any]]:
        return read_fields(request, self.max_characters, self.timeout, self.keys, with_file=with_file)

    def _constant_answers(self) -> dict[str, Response]:
        """The constant answers, by their paths: the page, and what clients ask before they translate."""
        directions = list(self.runs)
        sources, targets = zip(*directions, strict=True)
        names = {code: name_of(code) for code in (*sources, *targets)}
        named = {code: {"code": code, "name": name} for code, name in names.items()}
        languages = [{**named[code], "targets": [tgt for src, tgt in directions if src == code]} for code in names]
        settings = {
            **dict.fromkeys(("apiKeys", "keyRequired"), bool(self.keys)),
            "charLimit": self.max_characters - cost(""),
            "frontendTimeout": _TYPING_PAUSE,
            "language": {"source": named[sources[0]], "target": named[targets[0]]},
            "suggestions": self.takes_suggestions,
            "filesTranslation": True,
            "supportedFilesFormat": TRANSLATED,
        }
        about = [about_run(run.folder) for run in self.runs.values()]
        data = {"directions": directions, "names": names, "about": about, **settings}
        allowed = "; connect-src 'self'; manifest-src 'self'"  # the page may ask this server, and nobody else
        content = page("s2s", (*VIEWS, "panes.js"), data, start="servedPage", allowed=allowed)
        headers = {"Cache-Control": "no-cache", "X-Frame-Options": "DENY"}
        return {
            "/": Response(content, media_type="text/html", headers=headers),
            "/manifest.webmanifest": JSONResponse(manifest(), media_type="application/manifest+json"),
            "/languages": JSONResponse(languages),
            "/frontend/settings": JSONResponse(settings),
            "/health": JSONResponse({"status": "ok"}),
        }

    async def _direction(self, wanted: TranslateRequest) -> tuple[Languages, dict[str, Any] | None]:
        """The direction of a request, and the language that was found where it is to be; raises HTTPException."""
        sources = [source for source, target in self.runs if target == wanted.target]
        found = None
        if wanted.source == AUTO and sources:
            found = (await asyncio.to_thread(wanted.detected, sources))[0]
        direction = found["language"] if found else wanted.source, wanted.target
        if direction not in self.runs:
            served = ", ".join(map("-".join, self.runs))
            raise HTTPException(400, f"source, target: not served here: choose one of {served}")
        return direction, found

    async def _answer(self, wanted: TranslateRequest) -> dict[str, Any]:
        """The fields of the answer: the translations of the texts, and several of each where they are wanted."""
        direction, found = await self._direction(wanted)
        run = self.runs[direction]
        translator = await asyncio.to_thread(lambda: run.translator)  # corrections may have to be read
        if wanted.prefix and len(wanted.texts) > 1:
            raise HTTPException(400, "prefix: is for one text: ask for each alone")
        if wanted.prefix or wanted.glossary:
            try:
                terms = glossary_of(wanted.glossary.splitlines(), "glossary")
                demands = Demands(prefix=wanted.prefix or "", terms=terms)
                translator = await asyncio.to_thread(translator.with_demands, demands)
            except InputError as error:
                raise HTTPException(400, str(error).removeprefix("--")) from None
        shown = translator.with_traces(steps=True) if wanted.steps else translator
        wider = translator.with_n_best(1 + wanted.alternatives) if wanted.alternatives else None
        best = await self.batcher.translate(shown, wanted.texts)
        several = await self.batcher.translate(wider, wanted.texts) if wider else []
        warnings = [[problem for _, problem in problems(translator, each)] for each in best] if wanted.attention else []
        return wanted.answer(best, several, found, warnings)

    async def _translated_file(self, fields: Mapping[str, Any]) -> tuple[str, bytes]:
        """The name and the content of a translated document; raises HTTPException for one that cannot be read."""
        asked = TranslateRequest.parse({**fields, "q": []}, self.max_characters)
        sources = [source for source, target in self.runs if target == asked.target and asked.source in {AUTO, source}]
        source = sources[0] if len(sources) == 1 else ANY_LANGUAGE
        name, draft = await read_document(fields, (source, asked.target))
        wanted = {key: fields.get(key) for key in ("source", "target", "glossary")}
        wanted["q"] = [slot.text for slot in draft.slots]
        answer = await self._answer(TranslateRequest.parse(wanted, self.max_characters))
        content = await asyncio.to_thread(draft.written, answer["translatedText"])
        return f"{name.stem}_{asked.target}{name.suffix}", content

    async def _in_time(self, work: Awaitable[_T]) -> _T:
        """The result of some work; raises HTTPException when it takes too long, or when the queue is full."""
        try:
            async with asyncio.timeout(self.timeout):
                return await work
        except TimeoutError:
            raise HTTPException(503, f"no answer within {self.timeout:g} seconds", _RETRY) from None
        except asyncio.QueueFull:
            raise HTTPException(429, "too much text waits to be translated: try again soon", _RETRY) from None


async def _refused(_request: Request, error: Exception) -> Response:
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)  # type: ignore[attr-defined]


async def _failed(_request: Request, error: Exception) -> Response:
    """Log where an error was raised, without its message: that may hold a text of a client."""
    is_memory = is_out_of_memory(error)
    places = (f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__))
    kind = "out of memory" if is_memory else "a bug of the server"
    logger.error("%s: %s at %s", kind, type(error).__name__, " < ".join(reversed([*places])))
    closed = {"Connection": "close"}  # uvicorn closes it after an error
    if is_memory:
        return JSONResponse({"error": "out of memory: give shorter texts, or come again later"}, 503, _RETRY | closed)
    return JSONResponse({"error": "a bug of the server: its log has the details"}, 500, closed)


async def _left(_request: Request, _error: Exception) -> Response:
    return Response(status_code=499)  # by the habit of nginx; nobody reads it


async def _unless_client_leaves(request: Request, work: Coroutine[Any, Any, _T]) -> _T:
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
