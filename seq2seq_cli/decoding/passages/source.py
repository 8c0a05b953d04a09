"""A text with its marks found: its lines, its parts without marks, and where they can be cut."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator

from seq2seq_cli.decoding.passages.markup import FILLER, Kind, Mark, find_marks
from seq2seq_cli.decoding.passages.pieces import Piece, make_piece

_WORD = "\ufdd0"
"""Stands for each character of a kept word: one of the code points that Unicode keeps out of texts."""
_EMOJI = "\u263a"
"""Stands for an emoji, FILLER for its other characters."""
_WORDS = re.compile(f"{_WORD}+")
CUTS = (re.compile(r"[;:—](?=[\s\0])|[；：]"), re.compile(r"[,،](?=[\s\0])|[，、]"), re.compile(r"\s"))
"""The places where a sentence that is too long is cut, the best first."""


class Source:
    """A text and its marks."""

    def __init__(self, text: str, language: str = "") -> None:
        self.text = text
        self.marks = find_marks(text, language)
        self.masked = _masked(text, self.marks)
        """The text with FILLER or a space for each character of a mark, and _WORD for that of a kept word."""
        self._starts = [mark.start for mark in self.marks]

    def lines(self) -> Iterator[tuple[int, int]]:
        """The parts between the marks that part the text."""
        position = 0
        for mark in self.marks:
            if mark.kind is Kind.BREAK:
                yield position, mark.start
                position = mark.end
        yield position, len(self.text)

    def plain(self, start: int, end: int) -> str:
        """A part of the text without its marks, each kept word one digit: as many tokens as a piece of it has."""
        return _WORDS.sub("0", self.masked[start:end].replace(FILLER, "")) if self.marks else self.text[start:end]

    def cutting_place(self, start: int, end: int) -> int | None:
        """The best position to cut a part in two, near its middle and outside of marks; None when there is none."""
        quarter, middle = (end - start) // 4, (start + end) // 2
        for cuts in CUTS:
            found = (match.end() for match in cuts.finditer(self.masked, start + quarter, end - quarter))
            places = [place for place in found if start < place < end and self._mark_around(place) is None]
            if places:
                return min(places, key=lambda place: abs(place - middle))
        mark = self._mark_around(middle)
        for place in (middle,) if mark is None else (mark.start, mark.end):
            while place < end and unicodedata.category(self.text[place])[0] == "M":
                place += 1
            if start < place < end:
                return place
        return None

    def piece(self, start: int, end: int) -> Piece | None:
        """The piece of a part of the text; None where the part has nothing to translate.

        White space, emoji and marks at the ends of the part are left out, but for marks whose partner stands inside.
        """
        lead, left = self._run(start, end, 1)
        trail, right = self._run(start, end, -1)
        if not _is_translatable(self.masked[left:right]):
            return None
        first, last = self._range(start, end)
        edges = {*lead, *trail}

        def stays(index: int) -> bool:
            partner = self.marks[index].partner
            return partner is not None and first <= partner < last and partner not in edges

        left = next((self.marks[i].start for i in lead if stays(i)), left)
        right = next((self.marks[i].end for i in trail if stays(i)), right)
        first, last = self._range(left, right)
        return make_piece(self.text, left, right, self.marks[first:last], first)

    def _range(self, start: int, end: int) -> tuple[int, int]:
        """The indices of the marks of a part of the text."""
        return bisect_left(self._starts, start), bisect_left(self._starts, end)

    def _mark_around(self, place: int) -> Mark | None:
        index = bisect_left(self._starts, place) - 1
        return self.marks[index] if index >= 0 and self.marks[index].end > place else None

    def _run(self, start: int, end: int, step: int) -> tuple[list[int], int]:
        """The marks at the beginning (step 1) or the end (-1) of a part, outermost first, and where its words begin."""
        first, last = self._range(start, end)
        indices = list(range(first, last) if step > 0 else range(last - 1, first - 1, -1))
        found: list[int] = []
        place = start if step > 0 else end
        while start <= (at := place if step > 0 else place - 1) < end:
            mark = self.marks[indices[len(found)]] if len(found) < len(indices) else None
            if mark is not None and (mark.start == place if step > 0 else mark.end == place):
                if mark.kind in {Kind.WORD, Kind.CHARACTER}:
                    break
                found.append(indices[len(found)])
                place = mark.end if step > 0 else mark.start
            elif self.masked[at].isspace():
                place += step
            else:
                break
        return found, place


def _masked(text: str, marks: list[Mark]) -> str:
    parts = []
    position = 0
    for mark in marks:
        parts += [text[position : mark.start], _mask(mark, text)]
        position = mark.end
    return "".join([*parts, text[position:]])


def _mask(mark: Mark, text: str) -> str:
    length = mark.end - mark.start
    if mark.kind is Kind.WORD:
        return _WORD * length
    if mark.kind is Kind.CHARACTER:
        return mark.character(text).ljust(length, FILLER)
    if mark.kind is Kind.EMOJI:
        return _EMOJI.ljust(length, FILLER)
    if mark.kind is Kind.GAP:
        return " ".ljust(length, FILLER)
    return FILLER * length


def _is_translatable(text: str) -> bool:
    return any(character.isalpha() for character in text)
