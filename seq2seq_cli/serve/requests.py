"""Requests to translate: read from a body as LibreTranslate's clients write it, and checked."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from email.parser import BytesHeaderParser
from typing import Any
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from seq2seq_cli.counts import counted
from seq2seq_cli.serve.directions import Direction
from seq2seq_cli.serve.limits import MOST_ALTERNATIVES, MOST_DROPPED_BYTES, Limits, cost

_MOST_FIELDS = 100
_LONGEST_HEAD = 1000
"""Bytes of the headers of a part of a form."""
_BEARER = "bearer "


@dataclass(frozen=True, kw_only=True)
class TranslateRequest:
    """A request to translate."""

    texts: tuple[str, ...]
    is_list: bool
    """Whether the texts came as a list, so that the answer is one."""
    direction: Direction
    is_html: bool
    alternatives: int
    """Other translations of each text at most."""
    with_attention: bool
    """Whether the answer has the attention weights; ours alone, no client of LibreTranslate asks for it."""

    @classmethod
    def parse(cls, fields: Mapping[str, Any], limits: Limits) -> "TranslateRequest":
        """The request of these fields, in JSON or in a form; raises HTTPException for what cannot be translated."""
        found = fields.get("q")
        texts: list[Any] = found if isinstance(found, list) else [found]
        if not all(isinstance(text, str) for text in texts):
            raise HTTPException(400, "q: must be a text or a list of texts")
        if not all(map(_is_unicode, texts)):
            raise HTTPException(400, "q: half of a surrogate pair is no character")
        if (characters := sum(map(cost, texts))) > limits.max_characters:
            raise HTTPException(
                413,
                f"q: {counted(characters, 'character')}, one more per text counted; at most"
                f" {limits.max_characters:,} are taken",
            )
        return cls(
            texts=tuple(texts),
            is_list=isinstance(found, list),
            direction=Direction(_language(fields, "source"), _language(fields, "target")),
            is_html=_format(fields) == "html",
            alternatives=_alternatives(fields),
            with_attention=_attention(fields),
        )


async def read_fields(request: Request, limits: Limits) -> Mapping[str, Any]:
    """The fields of the body of a request, which is JSON or a form.

    Raises HTTPException for a body that is too large, too slow, of another type, or malformed; ClientDisconnect when
    the client leaves.
    """
    header = request.headers.get("content-type", "application/json")
    kind = header.partition(";")[0].strip().lower()
    if kind not in _READERS:
        raise HTTPException(415, f"content-type: must be {' or '.join(_READERS)}", {"Accept": ", ".join(_READERS)})
    return _READERS[kind](await _read_body(request, limits), header)


def api_key(request: Request, fields: Mapping[str, Any]) -> str | None:
    """The API key of a request: the field ``api_key``, or the header ``Authorization: Bearer KEY``."""
    if isinstance(key := fields.get("api_key"), str) and key:
        return key
    # Starlette reads the bytes of headers as Latin-1.
    header = request.headers.get("authorization", "").encode("latin-1").decode("utf-8", "surrogateescape")
    return header[len(_BEARER) :].strip() if header.lower().startswith(_BEARER) else None


async def _read_body(request: Request, limits: Limits) -> bytes:
    """The body of a request.

    One that is too large is read to its end, but not kept: a client that sends all before it looks for the answer would
    find a broken connection instead.
    """
    body, size = bytearray(), 0
    try:
        async with asyncio.timeout(limits.timeout):
            async for chunk in request.stream():
                size += len(chunk)
                if size <= limits.max_bytes:
                    body += chunk
                elif size > MOST_DROPPED_BYTES:
                    break
    except TimeoutError:
        problem = f"the body: not received within {limits.timeout:g} seconds"
        raise HTTPException(408, problem, {"Connection": "close"}) from None
    if size > limits.max_bytes:
        headers = {"Connection": "close"} if size > MOST_DROPPED_BYTES else None
        raise HTTPException(413, f"the body: at most {limits.max_bytes} bytes are taken", headers)
    return bytes(body)


def _read_json(body: bytes, _header: str) -> Mapping[str, Any]:
    try:
        fields = json.loads(body)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise HTTPException(400, f"the body: not JSON: {place}: {error.msg}") from None
    except (ValueError, RecursionError):  # not UTF-8, a number of thousands of digits, a thousand brackets
        raise HTTPException(400, "the body: not JSON that can be read") from None
    if not isinstance(fields, dict):
        example = '{"q": "...", "source": "en", "target": "de"}'
        raise HTTPException(400, f"the body: must be a JSON object, such as {example}")
    return fields


def _read_form(body: bytes, _header: str) -> Mapping[str, Any]:
    try:
        return _fields(parse_qsl(body.decode("utf-8"), True, errors="strict", max_num_fields=_MOST_FIELDS))
    except ValueError:  # UnicodeDecodeError is one
        raise _not_a_form() from None


def _read_multipart(body: bytes, header: str) -> Mapping[str, Any]:
    """A form as browsers send one that a script has made; RFC 7578. Files are no fields."""
    boundary = _head(f"Content-Type: {header}".encode("latin-1")).get_param("boundary")
    _, *parts = (b"\r\n" + body).split(f"\r\n--{boundary}".encode("latin-1", "replace"), _MOST_FIELDS + 1)
    end = parts.pop() if parts else b""
    fields = []
    for part in parts:
        head, _, content = part.partition(b"\r\n\r\n")
        headers = _head(head.removeprefix(b"\r\n"))
        try:
            name = headers.get_param("name", header="content-disposition")
            if headers.get_filename() is None:
                fields.append((name, content.decode("utf-8")))
        except (ValueError, LookupError):  # of an encoding that there is not, or of another one
            raise _not_a_form() from None
    if not end.startswith(b"--") or not all(isinstance(name, str) for name, _ in fields):
        raise _not_a_form()
    return _fields([(str(name), value) for name, value in fields])


def _head(lines: bytes) -> Message:
    """The headers of a part; its content, which may be of any depth, is not parsed."""
    if len(lines) > _LONGEST_HEAD:  # parsing takes time with the square of the length
        raise _not_a_form()
    return BytesHeaderParser().parsebytes(lines + b"\r\n\r\n")


def _fields(pairs: Sequence[tuple[str, str]]) -> Mapping[str, Any]:
    """The fields of a form by name; several texts are a list."""
    texts = [value for name, value in pairs if name == "q"]
    return dict(pairs) | ({"q": texts} if len(texts) > 1 else {})


def _not_a_form() -> HTTPException:
    return HTTPException(400, f"the body: not a form in UTF-8 with at most {_MOST_FIELDS} fields")


_READERS: Mapping[str, Callable[[bytes, str], Mapping[str, Any]]] = {
    "application/json": _read_json,
    "application/x-www-form-urlencoded": _read_form,
    "multipart/form-data": _read_multipart,
}
"""The readers of a body by its type; they are given the whole header, too."""


def _is_unicode(text: str) -> bool:
    """Whether a text can be written in UTF-8; escapes of JSON can make one that cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _language(fields: Mapping[str, Any], side: str) -> str:
    code = fields.get(side)
    if not isinstance(code, str) or not code:
        raise HTTPException(400, f"{side}: missing: give the code of a language, such as en")
    return code


def _format(fields: Mapping[str, Any]) -> str:
    wanted = fields.get("format") or "text"
    if wanted not in ("text", "html"):
        raise HTTPException(400, "format: must be text or html")
    return str(wanted)


def _attention(fields: Mapping[str, Any]) -> bool:
    found = fields.get("attention") or False
    if found not in (True, False, "true", "false"):
        raise HTTPException(400, "attention: must be true or false")
    return found in (True, "true")


def _alternatives(fields: Mapping[str, Any]) -> int:
    wanted = fields.get("alternatives") or 0  # a number in JSON, its digits in a form
    if type(wanted) in (int, str) and str(wanted) in (known := [str(each) for each in range(MOST_ALTERNATIVES + 1)]):
        return known.index(str(wanted))
    raise HTTPException(400, f"alternatives: must be a number from 0 to {MOST_ALTERNATIVES}")
