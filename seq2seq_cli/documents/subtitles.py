"""Subtitles (SubRip and WebVTT): cues with times.

Two files in two languages have these times in common. A sentence that goes on in the next cue is translated whole, and
cut again to fit the cues.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil
from typing import NamedTuple

from seq2seq_cli.documents.draft import Draft, cut, decoded
from seq2seq_cli.errors import InputError
from seq2seq_cli.text.normalise import FINAL_MARKS

_TIME = r"((?:\d+:)?\d\d:\d\d)([,.]\d{1,3})"
_TIMES = re.compile(rf"\s*{_TIME}\s+-->\s+{_TIME}")
_TAGS = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")
_AROUND = re.compile(rf"((?:{_TAGS.pattern}|[-–—♪#\s])*)(.*?)((?:</[^<>]*>|[♪#\s])*)", re.DOTALL)
"""The tags, the dash of a speaker and the note of a song before a text, the text, and what is behind it."""
_DASHES = ("-", "–", "—")
_OPENING = re.compile(r"<[A-Za-z]")
_KARAOKE = re.compile(r"<\d[\d:.]*>")
"""A time inside of a text."""
_CLOSING = "\"'”’»)]"
_LONGEST_PAUSE = 1.0
"""Seconds between two cues up to which a sentence may go on."""
_LONGEST_LINE = 42
"""Characters of a line of subtitles, by the habit of broadcasters."""


class Cue(NamedTuple):
    """A text that is shown for some seconds."""

    line: int
    """The line with its times, counted from 1."""
    key: str
    """The second in which it begins, as it is written."""
    start: float
    end: float
    """Seconds."""
    texts: list[str]
    """Its lines, which follow the line with its times."""


def is_subtitles(head: str) -> bool:
    """Whether a text begins like subtitles."""
    return any(map(_TIMES.match, head.split("\n", 20)[:20]))


def cues(lines: Iterable[str | None]) -> Iterator[Cue]:
    """The cues of subtitles in their order."""
    cue: Cue | None = None
    for number, line in enumerate(chain(lines, [""]), start=1):
        if found := _TIMES.match(line or ""):
            cue = Cue(number, found[1], _seconds(found[1], found[2]), _seconds(found[3], found[4]), [])
        elif cue and not (line or "").strip():
            yield cue
            cue = None
        elif cue:
            cue.texts.append((line or "").rstrip("\r"))


def _seconds(clock: str, fraction: str) -> float:
    seconds = float(f"0.{fraction[1:]}")
    for place, part in enumerate(reversed(clock.split(":"))):
        seconds += 60.0**place * int(part)
    return seconds


def keyed_texts(lines: Iterable[str | None]) -> Iterator[tuple[int, str, str]]:
    """The texts of the cues without their tags, each with its line and the second in which it begins."""
    for cue in cues(lines):
        yield cue.line, cue.key, _TAGS.sub("", " ".join(cue.texts))


@dataclass(frozen=True)
class _Part:
    """Lines of a cue that one speaker says."""

    cue: Cue
    before: str
    text: str
    after: str
    lengths: list[int]
    """The characters of its lines."""

    def goes_on_in(self, following: "_Part") -> bool:
        """Whether the sentence at the end of this part goes on in the next one."""
        if self.cue is following.cue or following.before.strip().startswith(_DASHES) or "♪" in self.before:
            return False
        end = _TAGS.sub("", self.text).rstrip(_CLOSING)[-1:]
        is_title = self.text.isupper() and not following.text.isupper()
        return (
            following.cue.start - self.cue.end <= _LONGEST_PAUSE and not is_title and end not in {"", *FINAL_MARKS, ":"}
        )

    def lines(self, text: str) -> list[str]:
        """The lines of its translation, as many as it has, or more where these would be too long."""
        fewest = ceil(len(text) / max(_LONGEST_LINE, *self.lengths))
        lengths = self.lengths if len(self.lengths) >= fewest else [1] * fewest
        shown = "\n".join(line for line in cut(text, lengths) if line)
        return f"{self.before}{shown}{self.after}".split("\n") if shown else []


def read_subtitles(content: bytes, name: str) -> Draft:
    """The sentences of subtitles, each with the cues that it is in."""
    lines = decoded(content, name).split("\n")
    found = list(cues(lines))
    if not found:
        raise InputError(f"{name}: no subtitles in it: no line with the times of a cue")
    if timed := next((cue for cue in found if any(map(_KARAOKE.search, cue.texts))), None):
        raise InputError(f"{name}:{timed.line}: a cue with times inside of its text (karaoke): remove them")
    sentences: list[list[_Part]] = []
    for part in chain.from_iterable(map(_parts, found)):
        if sentences and sentences[-1][-1].goes_on_in(part):
            sentences[-1].append(part)
        else:
            sentences.append([part])

    def finish(translations: Sequence[str]) -> bytes:
        written: dict[int, list[str]] = {}
        for parts, translation in zip(sentences, translations, strict=True):
            for part, text in zip(parts, cut(translation, [len(part.text) for part in parts]), strict=True):
                written.setdefault(part.cue.line, []).extend(part.lines(text))
        edited, position = list[str](), 0
        for cue in found:
            end = "\r" * lines[cue.line - 1].endswith("\r")
            edited += [*lines[position : cue.line], *(line + end for line in written.get(cue.line, []))]
            position = cue.line + len(cue.texts)
        return "\n".join([*edited, *lines[position:]]).encode()

    return Draft([" ".join(part.text for part in parts) for parts in sentences], finish)


def _parts(cue: Cue) -> Iterator[_Part]:
    """What each speaker says in a cue: a line that begins with a dash begins another part."""
    spoken: list[list[str]] = []
    for line in cue.texts:
        if spoken and not line.lstrip().startswith(_DASHES):
            spoken[-1].append(line)
        else:
            spoken.append([line])
    for lines in spoken:
        text = " ".join(lines)
        around = _AROUND.fullmatch(text)
        if around and around[2].count("</") == len(_OPENING.findall(around[2])):
            before, text, after = around.groups()
        else:  # tags around a part of it only
            before = after = ""
        yield _Part(cue, before, text, after, list(map(len, lines)))
