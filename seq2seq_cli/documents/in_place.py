"""Markdown and JSON: of the file, only the places change that hold text.

Markdown: https://spec.commonmark.org, and the tables of https://github.github.com/gfm. Emphasis, links and code inside
of a paragraph are marks that the translator knows.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from seq2seq_cli.documents.plain_text import Draft, Languages, PlainText, Slot, joined
from seq2seq_cli.errors import InputError
from seq2seq_cli.files.reading import parse_json
from seq2seq_cli.text.characters import Span

# Markdown

_FORMULA = r"^[ \t]*\$\$(?:(?!\$\$|\n\s*(?:\n|```|~~~)).)*+\$\$\s*?$"
_DIRECTIVE = r"^[ \t]*:{3,}[^\n]*$"
_LEFT_ALONE = re.compile(r"(?ms)\A(---|\+\+\+)[ \r]*\n(?=\S).*?\n(?:\1|\.\.\.)\s*?$|" + _FORMULA + "|" + _DIRECTIVE)
"""Front matter, in YAML or in TOML, formulas, and the begin and the end of a directive: ``:::note``."""
_REFERENCE = re.compile(r"(?<!\\)(?:``.*?``|`[^`]*`)|(?<![\]\\])\[(?!\^)([^\[\]]+)\](\[[^\[\]]*\]|(?=\())?")
_LABEL = re.compile(r"\A\[(?:\^[^\]\s]+\]:|![A-Z]+\][ \t]*(?:\n|\Z))")
"""Of a footnote, or of a note as GitHub shows it: ``[!NOTE]``."""
_HARD_BREAK = ("  ", "\\")
"""Ends of lines that are kept."""
_BEGINNING = re.compile(r"\A(\d{0,9})([-+*#>.)])(?=[ \t]|\Z)")
"""What would begin an item, a heading or a quotation, and is escaped: ``3\\. Mai``."""


def read_markdown(content: bytes, name: str, _languages: Languages) -> Draft:
    """The paragraphs, headings, items and cells of a text; one of several lines has one line afterwards."""
    file = PlainText(content, name)
    text = re.sub(r"\r(?!\n)", " ", file.text).replace("\0", "\ufffd")  # as the parser reads it, of the same length
    shown = _LEFT_ALONE.sub(lambda found: "\n" * found[0].count("\n"), text)
    environment: dict[str, Any] = {}
    tokens = MarkdownIt("commonmark").enable("table").parse(shown, environment)
    slots = _paragraphs(file, text, tokens, environment.get("references", {}))
    return Draft([slot for slot in slots if any(map(str.isalpha, slot.text))], file.content)


def _paragraphs(
    file: PlainText, text: str, tokens: Iterable[Token], references: Mapping[str, object]
) -> Iterator[Slot]:
    """The paragraphs of a parsed file, parted at hard line breaks; the parser tells the lines in which they begin.

    Nothing but marks stands before each of their lines, so that its first place there is the right one.
    """

    def labelled(found: re.Match[str]) -> str:
        """``[text][text]`` for a link whose text is its label, too, so that one of both stays."""
        is_label = found[1] and found[2] in {None, "[]"} and normalizeReference(found[1]) in references
        return f"[{found[1]}][{found[1]}]" if is_label else found[0]

    end = 0
    for opening, token in pairwise(tokens):
        shown = "".join(child.content for child in token.children or () if child.type in {"text", "image"})
        is_text = any(map(str.isalpha, shown)) and not token.content.startswith("$$")
        is_cell = opening.type in {"th_open", "td_open"}  # the next one may have the same text
        if token.map is None or not (is_text or is_cell):
            continue
        escapes = str.maketrans({"|": "\\|"} if is_cell else {})
        start = end = max(end, file.starts[token.map[0]])
        parts = list[str]()
        for line in f"{_LABEL.sub('', token.content)}  ".split("\n"):
            if part := line.removesuffix("\\").strip():
                place = text.index(part.translate(escapes), end)
                start, end = start if parts else place, place + len(part.translate(escapes))
                parts.append(part)
            if parts and line.endswith(_HARD_BREAK):
                if is_text:
                    write = partial(_write_paragraph, file, (start, end), escapes)
                    yield Slot(_REFERENCE.sub(labelled, joined(parts)), write)
                parts = []


def _write_paragraph(file: PlainText, place: Span, escapes: dict[int, str], translation: str) -> None:
    file.edits[place] = _BEGINNING.sub(r"\1\\\2", translation).translate(escapes)


# JSON

_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"(\s*:)?')
"""A string; with a colon behind it, it is a key."""
_CHOICE = re.compile(r"\{\s*\w+\s*,\s*(?:plural|select|selectordinal)\s*,")
"""The beginning of a message with several texts, https://unicode-org.github.io/icu/userguide/format_parse/messages."""


def read_json_strings(content: bytes, name: str, _languages: Languages) -> Draft:
    """The strings that are values, at any depth, without keys."""
    file = PlainText(content, name)
    try:
        parse_json(file.text[:-1].encode())
    except json.JSONDecodeError as error:
        raise InputError(f"{name}:{error.lineno}:{error.colno}: not JSON: {error.msg}: correct it") from None
    except ValueError as error:
        raise InputError(f"{name}: not JSON: {error}: correct it") from None
    is_escaped = file.text.isascii() and "\\u" in file.text
    slots = []
    for found in _STRING.finditer(file.text):
        text = "" if found[2] else json.loads(f'"{found[1]}"')
        if any(map(str.isalpha, text)) and not _CHOICE.search(text):
            slots.append(Slot(text, partial(_write_string, file, found.span(1), found[1], is_escaped=is_escaped)))
    return Draft(slots, file.content)


def _write_string(file: PlainText, place: Span, literal: str, translation: str, *, is_escaped: bool) -> None:
    """Write a translation with the escapes that the file has."""
    written = json.dumps(translation, ensure_ascii=is_escaped)[1:-1]
    file.edits[place] = written.replace("/", "\\/") if "\\/" in literal else written
