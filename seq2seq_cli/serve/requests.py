"""Requests to translate and their answers, as LibreTranslate has them."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from starlette.exceptions import HTTPException
from starlette.requests import Request

from seq2seq_cli.counts import counted
from seq2seq_cli.decoding.marks import escape_unmarked
from seq2seq_cli.decoding.translation import Translation
from seq2seq_cli.serve.limits import Limits, cost

_MOST_ALTERNATIVES = 10
"""Alternatives per text: each makes the search of a batch wider."""
_MOST_FIELDS = 100
_BEARER = "bearer "
_JSON, _FORM = "application/json", "application/x-www-form-urlencoded"


class Direction(NamedTuple):
    """From which language into which: two ISO 639 codes."""

    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.source}-{self.target}"


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
            is_html=_choice(fields, "format", {"text": False, "html": True}),
            alternatives=_alternatives(fields),
            with_attention=_choice(fields, "attention", {"false": False, False: False, "true": True, True: True}),
        )

    def answer(self, best: Sequence[Translation], several: Sequence[Translation]) -> dict[str, Any]:
        """The fields of the answer; `several` are searches for more translations of each text, where it asks."""
        texts = [self._text(translation) for translation in best]
        fields: dict[str, Any] = {"translatedText": texts}
        if self.alternatives:
            found = [dict.fromkeys(self._text(other) for other in each.alternatives) for each in several]
            fields["alternatives"] = [
                [other for other in of_text if other != text][: self.alternatives]
                for text, of_text in zip(texts, found, strict=True)
            ]
        if self.with_attention:
            fields["sentences"] = [translation.details["sentences"] for translation in best]
        return fields if self.is_list else {name: values[0] for name, values in fields.items()}

    def _text(self, translation: Translation) -> str:
        return escape_unmarked(translation.text) if self.is_html else translation.text


async def read_fields(request: Request, limits: Limits) -> Mapping[str, Any]:
    """The fields of the body of a request, which is JSON or a form.

    Raises HTTPException for a body that is too large, too slow, of another type, or malformed; ClientDisconnect when
    the client leaves.
    """
    kind = request.headers.get("content-type", _JSON).partition(";")[0].strip().lower()
    if kind not in (_JSON, _FORM):
        raise HTTPException(415, f"content-type: must be {_JSON} or {_FORM}", {"Accept": f"{_JSON}, {_FORM}"})
    body = await _read_body(request, limits)
    return _read_json(body) if kind == _JSON else _read_form(body)


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
    except TimeoutError:
        problem = f"the body: not received within {limits.timeout:g} seconds"
        raise HTTPException(408, problem, {"Connection": "close"}) from None
    if size > limits.max_bytes:
        raise HTTPException(413, f"the body: at most {limits.max_bytes} bytes are taken")
    return bytes(body)


def _read_json(body: bytes) -> Mapping[str, Any]:
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


def _read_form(body: bytes) -> Mapping[str, Any]:
    """The fields of a form by name; several texts are a list."""
    try:
        pairs = parse_qsl(body.decode("utf-8"), True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:  # UnicodeDecodeError is one
        raise HTTPException(400, f"the body: not a form in UTF-8 with at most {_MOST_FIELDS} fields") from None
    texts = [value for name, value in pairs if name == "q"]
    return dict(pairs) | ({"q": texts} if len(texts) > 1 else {})


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


def _choice(fields: Mapping[str, Any], name: str, choices: Mapping[str | bool, bool]) -> bool:
    """The value of the choice that a field names; of the first one where it is missing or empty."""
    wanted = fields.get(name) or next(iter(choices))
    if not isinstance(wanted, (str, bool)) or wanted not in choices:
        raise HTTPException(400, f"{name}: must be {' or '.join(each for each in choices if isinstance(each, str))}")
    return choices[wanted]


def _alternatives(fields: Mapping[str, Any]) -> int:
    wanted = fields.get("alternatives") or 0  # a number in JSON, its digits in a form
    if type(wanted) in (int, str) and str(wanted) in (known := [str(each) for each in range(_MOST_ALTERNATIVES + 1)]):
        return known.index(str(wanted))
    raise HTTPException(400, f"alternatives: must be a number from 0 to {_MOST_ALTERNATIVES}")
