"""Subtitles, SubRip and WebVTT: a sentence that goes on in the next cue is translated whole, and cut again to fit.

The times of cues are what two files in two languages have in common.
"""

import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Sequence
from functools import partial, reduce
from itertools import chain, pairwise
from math import ceil
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


_TIME = r"((?:\d+:)?\d\d:\d\d)[,.](\d{1,3})"
_TIMES = re.compile(rf"\s*{_TIME}\s+-->\s+{_TIME}")
_TAGS = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")
_AROUND = re.compile(rf"^((?:{_TAGS.pattern}|[-–—♪\s])*)(.*?)((?:</[^<>]*>|[♪\s])*)$")
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
    return reduce(lambda seconds, part: 60 * seconds + int(part), clock.split(":"), 0) + float(f"0.{fraction}")


def keyed_texts(lines: Iterable[str | None]) -> Iterator[tuple[int, str, str]]:
    """The texts of the cues without their tags, each with its line and the second in which it begins."""
    return ((cue.line, cue.key, _TAGS.sub("", " ".join(cue.texts))) for cue in cues(lines))


class _Part(NamedTuple):
    """Lines of a cue that one speaker says."""

    cue: Cue
    first: int
    """The index of its first line in the file."""
    lengths: list[int]
    """The characters of its lines."""
    before: str
    text: str
    after: str

    def goes_on_in(self, following: "_Part") -> bool:
        """Whether the sentence at the end of this part goes on in the next one."""
        is_title = self.text.isupper() and not following.text.isupper()
        is_other = is_title or self.cue is following.cue or following.before.strip().startswith(_DASHES)
        is_later = following.cue.start - self.cue.end > _LONGEST_PAUSE
        end = _TAGS.sub("", self.text).rstrip(_CLOSING)[-1:]
        return not (is_other or is_later or "♪" in self.before or end in {"", *FINAL_MARKS, ":"})

    def shown(self, text: str) -> str:
        """Its lines with a translation, as many as they were, or more where these would be too long."""
        fewest = ceil(len(text) / max(_LONGEST_LINE, *self.lengths))
        lines = cut(text, self.lengths if len(self.lengths) >= fewest else [1] * fewest)
        return self.before + "\n".join(filter(None, lines)) + self.after if text else ""


def read_subtitles(content: bytes, name: str, _languages: Languages) -> Draft:
    """The sentences of subtitles, each with the cues that it is in."""
    file = PlainText(content, name)
    found = list(cues(file.lines))
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

    def write(parts: Sequence[_Part], translation: str) -> None:
        for part, text in zip(parts, cut(translation, [len(part.text) for part in parts]), strict=True):
            file.replace_lines(part.first, len(part.lengths), part.shown(text))

    slots = [Slot(" ".join(part.text for part in parts), partial(write, parts)) for parts in sentences]
    return Draft(slots, file.content)


def _parts(cue: Cue) -> Iterator[_Part]:
    """What each speaker says in a cue: a line that begins with a dash begins another part."""
    starts = [i for i, line in enumerate(cue.texts) if i == 0 or line.lstrip().startswith(_DASHES)]
    for start, end in pairwise([*starts, len(cue.texts)]):
        text = " ".join(cue.texts[start:end])
        [(before, inner, after)] = _AROUND.findall(text)
        if inner.count("</") != len(re.findall(r"<[A-Za-z]", inner)):  # tags around a part of it only
            before, inner, after = "", text, ""
        yield _Part(cue, cue.line + start, list(map(len, cue.texts[start:end])), before, inner, after)
