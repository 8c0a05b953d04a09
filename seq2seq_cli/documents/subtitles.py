"""Subtitles (SubRip and WebVTT): cues with times.

Two files in two languages have these times in common. A sentence that goes on in the next cue is translated whole, and
cut again to fit the cues.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from math import ceil
from typing import NamedTuple

from seq2seq_cli.documents.draft import Draft, Languages, cut, decoded, encoded
from seq2seq_cli.errors import InputError
from seq2seq_cli.text.normalise import FINAL_MARKS

_TIME = r"((?:\d+:)?\d\d:\d\d)[,.](\d{1,3})"
_TIMES = re.compile(rf"\s*{_TIME}\s+-->\s+{_TIME}")
_TAGS = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")
_AROUND = re.compile(rf"((?:{_TAGS.pattern}|[-–—♪\s])*)(.*?)((?:</[^<>]*>|[♪\s])*)")
"""The tags, the dash of a speaker and the note of a song before a text, the text, and what is behind it."""
_KARAOKE = re.compile(r"<\d[\d:.]*>")
"""A time inside of a text."""
_DASHES = ("-", "–", "—")
_CLOSING = "\"'”’»)]"
_LONGEST_PAUSE = 1.0
"""Seconds between two cues up to which a sentence may go on."""
_MOST_PARTS = 6
"""Parts of a sentence: subtitles without punctuation have no end of one."""
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
    seconds = 0
    for part in clock.split(":"):
        seconds = 60 * seconds + int(part)
    return seconds + float(f"0.{fraction}")


def keyed_texts(lines: Iterable[str | None]) -> Iterator[tuple[int, str, str]]:
    """The texts of the cues without their tags, each with its line and the second in which it begins."""
    return ((cue.line, cue.key, _TAGS.sub("", " ".join(cue.texts))) for cue in cues(lines))


class _Part(NamedTuple):
    """Lines of a cue that one speaker says."""

    cue: Cue
    first: int
    """The index of its first line."""
    lengths: list[int]
    """The characters of its lines."""
    before: str
    text: str
    after: str

    def goes_on_in(self, following: "_Part") -> bool:
        """Whether the sentence at the end of this part goes on in the next one."""
        is_title = self.text.isupper() and not following.text.isupper()
        is_other = is_title or self.cue is following.cue or following.before.strip().startswith(_DASHES)
        end = _TAGS.sub("", self.text).rstrip(_CLOSING)[-1:]
        pause = following.cue.start - self.cue.end
        return (
            not is_other and pause <= _LONGEST_PAUSE and "♪" not in self.before and end not in {"", *FINAL_MARKS, ":"}
        )

    def shown(self, text: str) -> str | None:
        """Its lines with a translation, as many as they were, or more where these would be too long."""
        fewest = ceil(len(text) / max(_LONGEST_LINE, *self.lengths))
        lines = cut(text, self.lengths if len(self.lengths) >= fewest else [1] * fewest)
        return self.before + "\n".join(filter(None, lines)) + self.after if text else None


def read_subtitles(content: bytes, name: str, _languages: Languages) -> Draft:
    """The sentences of subtitles, each with the cues that it is in."""
    lines = decoded(content, name).split("\n")
    found = list(cues(lines))
    if not found:
        raise InputError(f"{name}: no subtitles in it: no line with the times of a cue")
    if timed := next((cue for cue in found if any(map(_KARAOKE.search, cue.texts))), None):
        raise InputError(f"{name}:{timed.line}: a cue with times inside of its text (karaoke): remove them")
    sentences: list[list[_Part]] = []
    for part in chain.from_iterable(map(_parts, found)):
        if sentences and len(sentences[-1]) < _MOST_PARTS and sentences[-1][-1].goes_on_in(part):
            sentences[-1].append(part)
        else:
            sentences.append([part])

    def finish(translations: Sequence[str]) -> bytes:
        written: list[str | None] = list(lines)
        for parts, translation in zip(sentences, translations, strict=True):
            for part, text in zip(parts, cut(translation, [len(part.text) for part in parts]), strict=True):
                end = "\r" * lines[part.first].endswith("\r")
                shown = part.shown(text)
                written[part.first : part.first + len(part.lengths)] = [None] * len(part.lengths)
                written[part.first] = shown and shown.replace("\n", f"{end}\n") + end
        return encoded(written)

    return Draft([" ".join(part.text for part in parts) for parts in sentences], finish)


def _parts(cue: Cue) -> Iterator[_Part]:
    """What each speaker says in a cue: a line that begins with a dash begins another part."""
    starts = [i for i, line in enumerate(cue.texts) if i == 0 or line.lstrip().startswith(_DASHES)]
    for start, end in pairwise([*starts, len(cue.texts)]):
        text = " ".join(cue.texts[start:end])
        around = _AROUND.fullmatch(text)
        before, inner, after = around.groups() if around else ("", text, "")
        if inner.count("</") != len(re.findall(r"<[A-Za-z]", inner)):  # tags around a part of it only
            before, inner, after = "", text, ""
        yield _Part(cue, cue.line + start, list(map(len, cue.texts[start:end])), before, inner, after)
