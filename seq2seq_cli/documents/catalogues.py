"""Texts of programs: PO, the catalogues of gettext, and JSON files of strings.

https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from seq2seq_cli.documents.draft import Draft, Languages, decoded, encoded
from seq2seq_cli.errors import InputError, PairFileError

_KEYWORD = re.compile(r'(msgctxt|msgid_plural|msgid|msgstr(?:\[\d+\])?)?\s*"((?:[^"\\]|\\.)*+)"\s*$')
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')
_COLON = re.compile(r"\s*:")


@dataclass
class Message:
    """A message of a catalogue."""

    line: int = 1
    """The line of its ``msgid``, counted from 1."""
    texts: dict[str, str] = field(default_factory=dict)
    """By keyword; that of the first ``msgstr`` is without its number."""
    lines: dict[str, list[int]] = field(default_factory=dict)
    """The lines of each text."""
    is_fuzzy: bool = False


def messages(lines: Iterable[str | None], name: str) -> Iterator[Message]:
    """The messages of a catalogue, and blank ones between them; raises PairFileError for another line."""
    message, keyword = Message(), ""
    for number, line in enumerate(chain(lines, [""]), start=1):
        if not (line or "").strip():
            yield message
            message = Message()
        elif line and line.startswith("#"):
            message.is_fuzzy = message.is_fuzzy or (line.startswith("#,") and "fuzzy" in line)
        elif found := _KEYWORD.match(line or ""):
            keyword = (found[1] or keyword).replace("msgstr[0]", "msgstr")
            message.line = number if keyword == "msgid" and found[1] else message.line
            message.texts[keyword] = message.texts.get(keyword, "") + _unescaped(found[2], f"{name}:{number}")
            message.lines.setdefault(keyword, []).append(number)
        else:
            raise PairFileError(f"{name}:{number}: no line of a PO file: correct it, or export the file again")


def _unescaped(text: str, place: str) -> str:
    try:
        return str(ast.literal_eval(f'"{text}"'))
    except (SyntaxError, ValueError):
        raise PairFileError(f"{place}: a string that does not end, or a wrong \\ in it: correct it") from None


def read_po(content: bytes, name: str, _languages: Languages) -> Draft:
    """The messages of a catalogue that have no translation; those in doubt (fuzzy) have one."""
    lines = decoded(content, name).split("\n")
    found = [
        (message.lines[keyword], message.texts[source])
        for message in messages((line.removeprefix("\ufeff") for line in lines), name)
        for keyword, text in message.texts.items()
        for source in ("msgid" if keyword == "msgstr" else "msgid_plural",)
        if keyword.startswith("msgstr") and not text and message.texts.get(source)
    ]

    def finish(translations: Sequence[str]) -> bytes:
        written: list[str | None] = list(lines)
        for ((first, *others), _), translation in zip(found, translations, strict=True):
            keyword, end = lines[first - 1].partition('"')[0], "\r" * lines[first - 1].endswith("\r")
            parts = translation.splitlines(keepends=True)
            quoted = (json.dumps(part, ensure_ascii=False) + end for part in (["", *parts] if parts[1:] else parts))
            written[first - 1] = keyword + "\n".join(quoted)
            for other in others:
                written[other - 1] = None
        return encoded(written)

    return Draft([text for _, text in found], finish)


def read_json(content: bytes, name: str, _languages: Languages) -> Draft:
    """The strings of a JSON file, but its keys."""
    text = decoded(content, name)
    try:
        json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        problem = error.msg[:1].lower() + error.msg[1:]
        raise InputError(f"{name}:{error.lineno}:{error.colno}: not JSON: {problem}: correct it") from None
    except RecursionError:
        raise InputError(f"{name}:1: not JSON: a list in a list in a list, too deep: correct it") from None
    strings = ((match, json.loads(match[0])) for match in _STRING.finditer(text) if not _COLON.match(text, match.end()))
    found = [(match, value) for match, value in strings if any(map(str.isalpha, value))]
    has_escapes = text.isascii() and "\\u" in text

    def finish(translations: Sequence[str]) -> bytes:
        parts, position = list[str](), 0
        for (match, _), translation in zip(found, translations, strict=True):
            parts += [text[position : match.start()], json.dumps(translation, ensure_ascii=has_escapes)]
            position = match.end()
        return "".join([*parts, text[position:]]).encode()

    return Draft([value for _, value in found], finish)
