"""Documents that clients send to be translated, and their translations, which wait to be fetched."""

import asyncio
import secrets
from collections.abc import AsyncGenerator
from pathlib import PurePath
from typing import NamedTuple, Self
from urllib.parse import quote

from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.responses import Response

from seq2seq_cli.documents.draft import KINDS

_MOST_FIELDS = 10
_MOST_KEPT = 16
_SECONDS_KEPT = 600


class Upload(NamedTuple):
    """A request to translate a document, with LibreTranslate's names."""

    name: str
    """The name of the file, without folders."""
    content: bytes
    source: str
    target: str
    api_key: str

    @classmethod
    async def read(cls, request: Request, body: bytes) -> Self:
        """The request of a form in parts; raises HTTPException for any other body, and for another kind of file."""

        async def stream() -> AsyncGenerator[bytes, None]:
            yield body

        try:
            parser = _Parser(request.headers, stream(), max_files=1, max_fields=_MOST_FIELDS)
            form = await parser.parse()
            file, texts = form["file"], [str(form.get(name, "")) for name in ("source", "target", "api_key")]
        except (MultiPartException, KeyError, ValueError):
            raise HTTPException(400, "the body: not a form in parts with a file, source and target") from None
        if not isinstance(file, UploadFile) or PurePath(file.filename or "").suffix.lower() not in KINDS:
            raise HTTPException(400, f"file: its name must end with one of {' '.join(KINDS)}")
        return cls(PurePath(file.filename or "").name, await file.read(), *texts)


class _Parser(MultiPartParser):
    """Keeps the file in memory: nothing of a client comes to the disk."""

    spool_max_size = 0
    """The size from which on a temporary file is made; 0: never."""


class TranslatedFiles:
    """Translated documents by the names of their addresses, which nobody can guess; each is kept for a while."""

    def __init__(self) -> None:
        self._files: dict[str, Response] = {}

    def add(self, name: str, content: bytes) -> str:
        """Keep a document, the oldest one no longer when there are too many, and return its name in its address."""
        key = secrets.token_urlsafe() + PurePath(name).suffix
        headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}", "Cache-Control": "no-store"}
        self._files[key] = Response(content, media_type="application/octet-stream", headers=headers)
        while len(self._files) > _MOST_KEPT:
            del self._files[next(iter(self._files))]
        asyncio.get_running_loop().call_later(_SECONDS_KEPT, self._files.pop, key, None)
        return key

    def get(self, key: str) -> Response:
        """The answer with a document; raises HTTPException when it is kept no longer, or never was."""
        if key not in self._files:
            raise HTTPException(404, "no such file: a translated document is kept for a few minutes")
        return self._files[key]
