"""Markdown: its headings, paragraphs, items of lists and cells of tables.

What is inside of them (emphasis, links, code) the translator keeps by itself.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markdown_it import MarkdownIt

from seq2seq_cli.documents.draft import Draft, Languages, cut, decoded, encoded

_FRONT = re.compile(r"\A\ufeff?---\r?\n.*?\n(?:---|\.\.\.)\r?\n", re.DOTALL)
"""Data at the beginning of a file."""
_HARD_BREAK = re.compile(r"(?: {2,}|\\)\n")
_BULLET = re.compile(r"(?:[-*+>]|\d{1,9}[.)]|#{1,6})(?:\s|$)")


class _Span(NamedTuple):
    """A part of a line."""

    line: int
    start: int
    end: int


def read_markdown(content: bytes, name: str, _languages: Languages) -> Draft:
    """The texts of a Markdown file, each in one line or in several."""
    whole = decoded(content, name)
    lines = whole.split("\n")
    body = _FRONT.sub(lambda front: "\n" * front[0].count("\n"), whole).removeprefix("\ufeff")
    found = list(_texts(body, lines))

    def finish(translations: Sequence[str]) -> bytes:
        written: list[str | None] = list(lines)
        # From right to left, so that the places in a line with several texts stay what they are.
        for spans, translation in reversed(list(zip(found, translations, strict=True))):
            parts = cut(translation, [span.end - span.start for span in spans])
            for i in range(len(parts) - 1, 0, -1):
                if _BULLET.match(parts[i]):  # it would begin a list
                    parts[i - 1 : i + 1] = [f"{parts[i - 1]} {parts[i]}", ""]
            for part, (line, start, end) in zip(parts, spans, strict=True):
                before = written[line] or ""
                written[line] = before[:start] + part + before[end:] if part else None
        return encoded(written)

    return Draft([" ".join(lines[line][start:end] for line, start, end in spans) for spans in found], finish)


def _texts(text: str, lines: Sequence[str]) -> Iterator[list[_Span]]:
    """The spans of each text in the lines."""
    ends: dict[int, int] = {}
    """The end of the last text in each line."""
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        number = token.map[0] if token.type == "inline" and token.map else len(lines)
        for part in _HARD_BREAK.split(token.content) if token.type == "inline" else ():
            spans = []
            for plain in map(str.strip, part.split("\n")):
                line = lines[number] if number < len(lines) else ""
                for shown in dict.fromkeys((plain, plain.replace("|", "\\|"))):
                    if (start := line.find(shown, ends.get(number, 0))) >= 0:
                        ends[number] = start + len(shown)
                        spans.append(_Span(number, start, ends[number]))
                number += 1
            if spans and any(map(str.isalpha, part)):
                yield spans
