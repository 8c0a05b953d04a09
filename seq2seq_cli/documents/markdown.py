"""Markdown: its headings, paragraphs, items of lists and cells of tables.

What is inside of them (emphasis, links, code) the translator keeps by itself.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from seq2seq_cli.documents.draft import Draft, cut, decoded

_BULLET = r"(?:[-*+]|\d{1,9}[.)]|#{1,6})(?:\s++|$)(?:\[[ xX]\]\s++)?"
_LEAD = re.compile(rf"(?:\s|>|{_BULLET})*+")
"""The indentation of a line, its bullets and its signs of a quotation."""
_BEGINS = re.compile(rf"(?:\s|>)*{_BULLET}")
_QUOTED = re.compile(rf"{_BULLET}|>")
_HEADING = re.compile(r"(?:\s|>)*#{1,6}\s")
_FENCE = re.compile(rf"{_LEAD.pattern}(`{{3,}}|~{{3,}})")
_CODE = re.compile(r" {4}|\t")
"""Begins a line of code, behind a blank line."""
_TARGET = re.compile(r"\s*\[[^\]^][^\]]*\]:\s")
"""Begins the target of links."""
_HARD_BREAK = re.compile(r"(?: {2,}|\\)$")
_ROW = re.compile(r"\s*\|")
_CELL = re.compile(r"(?:\\.|`[^`]*`|[^|\\`]|[\\`])+")
_FRONT = re.compile(r"---\r?\n.*?\n(?:---|\.\.\.)\r?\n", re.DOTALL)
"""Data at the beginning of a file."""

_Text: TypeAlias = "list[_Span]"
"""A text, which stands in one line or in several."""


class _Span(NamedTuple):
    """A part of a line."""

    line: int
    start: int
    end: int


def read_markdown(content: bytes, name: str) -> Draft:
    """The texts of a Markdown file."""
    whole = decoded(content, name)
    front = _FRONT.match(whole)
    lines = whole.split("\n")
    found = list(_texts(lines, front[0].count("\n") if front else 0))

    def finish(translations: Sequence[str]) -> bytes:
        edited: list[str | None] = list(lines)
        # From right to left, so that the places in a line with several texts stay what they are.
        for spans, translation in reversed(list(zip(found, translations, strict=True))):
            parts = cut(translation, [span.end - span.start for span in spans])
            for i in range(len(parts) - 1, 0, -1):
                if _QUOTED.match(parts[i]):  # it would begin a list
                    parts[i - 1], parts[i] = f"{parts[i - 1]} {parts[i]}", ""
            for part, (line, start, end) in zip(parts, spans, strict=True):
                before = edited[line] or ""
                edited[line] = f"{before[:start]}{part}{before[end:]}" if part else None
        return "\n".join(line for line in edited if line is not None).encode()

    return Draft([" ".join(lines[line][start:end] for line, start, end in spans) for spans in found], finish)


def _texts(lines: Sequence[str], first: int) -> Iterator[_Text]:
    """The texts of the lines from the first one on."""
    paragraph: _Text = []
    fence, in_list, is_blank = "", False, True
    for number, line in enumerate(lines[first:], start=first):
        was_blank, is_blank = is_blank, not line.strip()
        lead = _LEAD.match(line)
        start, end = lead.end() if lead else 0, len(line.rstrip())
        begins = _BEGINS.match(line) is not None
        mark = _FENCE.match(line)
        is_code = bool(fence or mark) or (was_blank and not in_list and _CODE.match(line) is not None)
        if mark and not (fence and not mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        elif not is_blank and not is_code:
            in_list = (in_list or begins) if begins or line[:1].isspace() else False
        is_text = not is_code and not _TARGET.match(line) and any(map(str.isalpha, line[start:end]))
        is_row = _ROW.match(line) is not None
        if paragraph and (begins or is_row or not is_text):
            yield paragraph
            paragraph = []
        if is_text and is_row:
            cells = (match.span() for match in _CELL.finditer(line))
            yield from ([_trimmed(line, number, *cell)] for cell in cells if any(map(str.isalpha, line[slice(*cell)])))
        elif is_text:
            hard = _HARD_BREAK.search(line.rstrip("\r"))
            paragraph.append(_Span(number, start, hard.start() if hard else end))
            if hard or _HEADING.match(line):
                yield paragraph
                paragraph = []
    if paragraph:
        yield paragraph


def _trimmed(line: str, number: int, start: int, end: int) -> _Span:
    text = line[start:end]
    return _Span(number, start + len(text) - len(text.lstrip()), start + len(text.rstrip()))
