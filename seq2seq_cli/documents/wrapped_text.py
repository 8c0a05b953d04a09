"""Subtitles, SubRip and WebVTT: a sentence that goes on in the next cue is translated whole, and cut again to fit.

The times of cues are what two files in two languages have in common.
"""

import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, pairwise
from typing import NamedTuple

from seq2seq_cli.documents.draft import Draft, Languages, PlainText, Slot
from seq2seq_cli.errors import InputError
from seq2seq_cli.text.normalise import FINAL_MARKS, is_unspaced

_TAG = re.compile(r"<(/?)[A-Za-z][^<>]*?(/?)>")
_MARKS = ".,;:!?…。，、；：！？"
_WORTH_OF_MARK = 8
"""Characters by which a cut behind a punctuation mark may be farther from its place."""


def cut(text: str, shares: Sequence[int]) -> list[str]:
    """The text in as many parts, about as long as their shares, cut between words and outside of tags.

    A cut behind a punctuation mark is preferred. Where there are fewer words than parts, the last parts are empty.
    """
    places, cuts, before, total = list(_places(text)), [0], 0, sum(shares) or 1
    for share in shares[:-1]:
        before += share
        ideal = len(text) * before / total
        middle = bisect(places, ideal)
        first = max(bisect(places, cuts[-1]), middle - _WORTH_OF_MARK - 1)
        near = places[first : max(first + 1, middle + _WORTH_OF_MARK + 1)]  # no other one can be better
        if near:
            cuts.append(
                min(near, key=lambda at: abs(at - ideal) - _WORTH_OF_MARK * (text[at - 1] in _MARKS))
            )  # called at once
    parts = [text[start:end].strip() for start, end in pairwise([*cuts, len(text)])]
    return parts + [""] * (len(shares) - len(parts))


def _places(text: str) -> Iterator[int]:
    """The positions at which a text may be cut: spaces, and between letters of scripts without, outside of tags."""
    depth, position = 0, 1
    for tag in [*_TAG.finditer(text), None]:
        for place in range(position, tag.start() if tag else len(text)) if depth <= 0 else ():
            if text[place] == " " or (is_unspaced(text[place]) and is_unspaced(text[place - 1])):
                yield place
        if tag:
            depth += 0 if tag[2] else -1 if tag[1] else 1
            position = tag.end()


_TIMES = re.compile(r"\s*((?:\d+:)?\d\d:\d\d)[,.]\d{1,3}\s+-->\s+[\d:,.]+")
_TAGS = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")
_AROUND = re.compile(rf"^((?:{_TAGS.pattern}|[-–—\s])*)(.*?)((?:</[^<>]*>|\s)*)$")
"""The tags and the dash of a speaker before the text of a line, the text, and what is behind it."""
_CLOSING = "\"'”’»)]"
_MOST_LINES = 8
"""Lines of a sentence: subtitles without punctuation have no end of one."""


def is_subtitles(head: str) -> bool:
    """Whether a text begins like subtitles."""
    return any(map(_TIMES.match, head.split("\n", 20)[:20]))


def cues(lines: Iterable[str | None]) -> Iterator[tuple[int, str, list[str]]]:
    """The cues: the line with the times, counted from 1, the second in which it begins, and the lines of its text."""
    key, begun, texts = "", 1, list[str]()
    for number, line in enumerate(chain(lines, [""]), start=1):
        if found := _TIMES.match(line or ""):
            key, begun, texts = found[1], number, []
        elif key and line and line.strip():
            texts.append(line)
        elif key:
            yield begun, key, texts
            key = ""


def keyed_texts(lines: Iterable[str | None]) -> Iterator[tuple[int, str, str]]:
    """The texts of the cues without their tags, each with its line and the second in which it begins."""
    return ((begun, key, _TAGS.sub("", " ".join(texts))) for begun, key, texts in cues(lines))


class _Line(NamedTuple):
    """A line of a cue."""

    index: int
    """Its index in the file."""
    before: str
    text: str
    after: str

    def goes_on_in(self, following: "_Line") -> bool:
        """Whether the sentence at the end of this line goes on in the next one: no other speaker begins there."""
        end = _TAGS.sub("", self.text).rstrip(_CLOSING)[-1:]
        return end not in {"", *FINAL_MARKS, ":"} and not _TAGS.sub("", following.before).strip()


def read_subtitles(content: bytes, name: str, _languages: Languages) -> Draft:
    """The sentences of subtitles, each with its lines, which may be in several cues."""
    file = PlainText(content, name)
    found = list(cues(file.lines))
    if not found:
        raise InputError(f"{name}: no subtitles in it: no line with the times of a cue")
    sentences: list[list[_Line]] = []
    for line in (_line(begun + i, text) for begun, _, texts in found for i, text in enumerate(texts)):
        if sentences and len(sentences[-1]) < _MOST_LINES and sentences[-1][-1].goes_on_in(line):
            sentences[-1].append(line)
        else:
            sentences.append([line])

    def write(lines: Sequence[_Line], translation: str) -> None:
        for line, text in zip(lines, cut(translation, [len(line.text) for line in lines]), strict=True):
            file.replace_lines(line.index, 1, line.before + text + line.after if text else "")

    slots = [Slot(" ".join(line.text for line in lines), partial(write, lines)) for lines in sentences]
    return Draft([slot for slot in slots if any(map(str.isalpha, slot.text))], file.content)


def _line(index: int, line: str) -> _Line:
    [(before, text, after)] = _AROUND.findall(line.rstrip("\r"))
    if text.count("</") != len(re.findall(r"<[A-Za-z]", text)):  # tags around a part of it only
        before, text, after = "", line.strip(), ""
    return _Line(index, before, text, after)
