"""Requests to translate texts and documents, and their answers, as LibreTranslate has them."""

import asyncio
import hmac
from codecs import BOM_UTF8
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, Literal, Self
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from seq2seq_cli.counts import counted
from seq2seq_cli.decoding.lines import read_lines
from seq2seq_cli.decoding.marks import escape_unmarked
from seq2seq_cli.decoding.translation import Translation
from seq2seq_cli.documents.open_document import open_content
from seq2seq_cli.documents.plain_text import TRANSLATED, Draft, Languages
from seq2seq_cli.errors import InputError
from seq2seq_cli.files.reading import parse_json
from seq2seq_cli.serve.batcher import cost
from seq2seq_cli.text.languages import likely_languages

_MOST_FIELDS = 100
_BYTES_PER_CHARACTER = 12
"""In JSON: a character outside of the first 65,536 can be written as two escapes of six bytes."""
_OTHER_BYTES = 2**16
"""Bytes of a body besides its texts: names, languages, spaces."""
_BEARER = b"bearer "
LARGEST_FILE = 10_000_000
"""Bytes of a document; what is packed in it may have twice as many."""
AUTO = "auto"
"""The source of a request whose language is to be detected."""
_JSON, _FORM, _MULTIPART = "application/json", "application/x-www-form-urlencoded", "multipart/form-data"


class TextsRequest(BaseModel):
    """A request about texts, with LibreTranslate's names; the fields that it has besides are ignored."""

    model_config = ConfigDict(frozen=True)

    q: str | list[str]
    """A text, or several, so that the answer is a list."""

    @classmethod
    def parse(cls, fields: Mapping[str, Any], max_characters: int) -> Self:
        """The request of these fields, in JSON or in a form; raises HTTPException for what cannot be answered."""
        try:
            request = cls.model_validate({name: value for name, value in fields.items() if value or name == "q"})
        except ValidationError as error:
            first = error.errors()[0]
            raise HTTPException(400, f"{first['loc'][0]}: {first['msg']}") from None
        if (characters := sum(map(cost, request.texts))) > max_characters:
            found = counted(characters, "character")
            problem = f"the text: {found}, one more per text counted; at most {max_characters:,} are taken"
            raise HTTPException(413, problem)
        return request

    @property
    def texts(self) -> list[str]:
        """The texts, also where there is one alone."""
        return self.q if isinstance(self.q, list) else [self.q]

    def detected(self, languages: Collection[str]) -> list[dict[str, Any]]:
        """Those of some languages in which all texts may be, the likeliest first, with percentages."""
        likely = likely_languages("\n".join(self.texts), languages)
        return [{"confidence": round(100 * share, 1), "language": code} for code, share in likely.items()]


class TranslateRequest(TextsRequest):
    """A request to translate."""

    source: str
    """AUTO, or a code as in `target`."""
    target: str
    format: Literal["text", "html"] = "text"
    alternatives: int = Field(default=0, ge=0, le=10)
    """Other translations of each text at most; each makes the search of a batch wider."""
    attention: bool = False
    """Whether the answer has the attention weights; ours alone, no client of LibreTranslate asks for it."""
    steps: bool = False
    """Whether it has the searches and the steps besides; ours alone."""
    prefix: tuple[int, ...] = Field(default=(), max_length=1000)
    """The ids of the tokens that begin the translation of the only text, as `steps` tells them, each a step of the
    search; ours alone."""
    glossary: str = ""
    """Terms of the source with their translations, in lines as in a file of ``s2s translate --glossary``; ours."""

    def answer(
        self,
        best: Sequence[Translation],
        several: Sequence[Translation],
        detected: Mapping[str, Any] | None,
        warnings: Sequence[Sequence[str]],
    ) -> dict[str, Any]:
        """The fields of the answer.

        `several` are searches for more translations of each text, where it asks for them; `detected` is the source,
        where it asks for that; `warnings` say of each text what its translation suffers from, beside the attention.
        """
        texts = [self._text(translation) for translation in best]
        fields: dict[str, Any] = {"translatedText": texts}
        if detected:
            fields["detectedLanguage"] = [detected for _ in texts]
        if self.alternatives:
            found = [{self._text(other): other for other in each.alternatives} for each in several]
            others = [
                [other for other in of_text.items() if other[0] != text][: self.alternatives]
                for text, of_text in zip(texts, found, strict=True)
            ]
            fields["alternatives"] = [[text for text, _ in of_text] for of_text in others]
            if self.attention:
                fields["alternativeSentences"] = [[each.details["sentences"] for _, each in some] for some in others]
        if self.attention:
            fields["warnings"] = warnings
        if self.attention or self.steps:
            fields["sentences"] = [translation.details["sentences"] for translation in best]
        return fields if isinstance(self.q, list) else {name: values[0] for name, values in fields.items()}

    def _text(self, translation: Translation) -> str:
        return escape_unmarked(translation.text) if self.format == "html" else translation.text


class Suggestion(TranslateRequest):
    """A better translation of a text, as clients of LibreTranslate send it."""

    q: str
    s: str
    """The translation."""


async def read_fields(
    request: Request, max_characters: int, timeout: float, keys: Collection[bytes], *, with_file: bool
) -> Mapping[str, Any]:
    """The fields of a request: those of the address, and of the body, which is JSON or a form, perhaps with a file.

    Raises HTTPException for a body that is too large, too slow, of another type, or malformed, and for a request
    without one of the keys, if there are any; ClientDisconnect when the client leaves.
    """
    kind = request.headers.get("content-type", _JSON).partition(";")[0].strip().lower()
    if kind not in (kinds := (_JSON, _FORM, _MULTIPART)):
        raise HTTPException(415, f"content-type: must be {' or '.join(kinds)}", {"Accept": ", ".join(kinds)})
    most = _BYTES_PER_CHARACTER * max_characters + _OTHER_BYTES + LARGEST_FILE * with_file
    body = await _read_body(request, most, timeout)
    fields = await _read_form(request, request.scope["query_string"], "the address", _FORM)
    if body and kind == _JSON:
        try:
            given = parse_json(body.removeprefix(BOM_UTF8))
        except ValueError as error:
            raise HTTPException(400, f"the body: not JSON: {error}") from None
        if not isinstance(given, dict):
            problem = 'the body: must be a JSON object, such as {"q": "...", "source": "en", "target": "de"}'
            raise HTTPException(400, problem)
        fields |= given
    elif body:
        fields |= await _read_form(request, body, "the body", kind, files=int(with_file))
    if keys and not has_key(request, fields, keys):
        raise HTTPException(403, "api_key: missing or wrong: ask the operator of this server for a key")
    return fields


async def read_document(fields: Mapping[str, Any], languages: Languages) -> tuple[PurePath, Draft]:
    """The name and the draft of a document; raises HTTPException for one that is missing or cannot be read."""
    file = fields.get("file")
    name = PurePath(PurePath(file.filename or "").name if isinstance(file, UploadFile) else "")
    if not isinstance(file, UploadFile) or name.suffix.lower() not in TRANSLATED:
        raise HTTPException(400, f"file: must be a document with one of the endings {' '.join(TRANSLATED)}")
    try:
        content = await file.read()
        return name, await asyncio.to_thread(open_content, content, str(name), languages, 2 * LARGEST_FILE)
    except InputError as error:
        raise HTTPException(400, str(error)) from None


def read_keys(file: Path) -> list[bytes]:
    """The API keys in a file, one per line; blank lines and lines that begin with # are left out.

    Raises InputError for a file that holds no key, and as `read_lines`.
    """
    lines = map(str.strip, read_lines(file))
    if not (keys := [line.encode() for line in lines if line and not line.startswith("#")]):
        raise InputError(f"{file}: holds no API key: write one per line")
    return keys


def has_key(request: Request, fields: Mapping[str, Any], keys: Collection[bytes]) -> bool:
    """Whether a request has one of the keys: in the field ``api_key``, or the header ``Authorization: Bearer KEY``.

    The time it takes reveals nothing about the keys.
    """
    if isinstance(key := fields.get("api_key"), str) and key:
        given = key.encode("utf-8", "surrogatepass")
    else:
        header = request.headers.get("authorization", "").encode("latin-1")  # as Starlette has read its bytes
        given = header[len(_BEARER) :].strip() if header.lower().startswith(_BEARER) else b""
    return any([hmac.compare_digest(given, known) for known in keys])  # noqa: C419  # all


async def _read_body(request: Request, most: int, timeout: float) -> bytes:
    """The body of a request, of at most so many bytes, which must be there within `timeout` seconds.

    One that is too large is read to its end, but not kept: a client that sends all before it looks for the answer would
    find a broken connection instead.
    """
    body, size = bytearray(), 0
    try:
        async with asyncio.timeout(timeout):
            async for chunk in request.stream():
                size += len(chunk)
                if size <= most:
                    body += chunk
    except TimeoutError:
        problem = f"the body: not received within {timeout:g} seconds"
        raise HTTPException(408, problem, {"Connection": "close"}) from None
    if size > most:
        raise HTTPException(413, f"the body: at most {most} bytes are taken")
    return bytes(body)


async def _read_form(request: Request, form: bytes, place: str, kind: str, *, files: int = 0) -> dict[str, Any]:
    """The fields of a form by name, several texts as a list; raises HTTPException for more files, and other content."""

    async def stream() -> AsyncGenerator[bytes, None]:
        yield form

    pairs: Sequence[tuple[str, Any]]
    try:
        text = form.decode("utf-8", "ignore" if files else "strict")
        if kind == _FORM:
            pairs = parse_qsl(text, True, errors="strict", max_num_fields=_MOST_FIELDS)
        else:
            limits = {"max_files": files, "max_fields": _MOST_FIELDS, "max_part_size": len(form)}
            pairs = (await MultiPartParser(request.headers, stream(), **limits).parse()).multi_items()
    except (MultiPartException, KeyError, ValueError):
        problem = f"{place}: not a form in UTF-8 with at most {_MOST_FIELDS} fields and {files or 'no'} file"
        raise HTTPException(400, problem) from None
    texts = [value for name, value in pairs if name == "q"]
    return dict(pairs) | ({"q": texts} if len(texts) > 1 else {})
