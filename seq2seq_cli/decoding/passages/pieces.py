"""A piece of a text: a part that is translated by itself, without its marks."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from seq2seq_cli.decoding.passages.kept import widened
from seq2seq_cli.decoding.passages.markup import Kind, Mark
from seq2seq_cli.text.normalise import HIDDEN


@dataclass(frozen=True, slots=True)
class InnerMark:
    """A mark between the words of a piece."""

    text: str
    offset: int
    """The position in the text of the piece before which it stands."""
    kind: Kind
    """OPEN or CLOSE where its partner is in the piece, else VOID or GAP."""
    partner: int | None = None
    """The index of its partner among the marks of the piece."""
    is_ordered: bool = False
    """Whether its partner is in another piece, so that it must not change places with others of that kind."""
    space_before: bool = False
    space_after: bool = False


@dataclass(frozen=True)
class Piece:
    """A part of a text that is translated by itself."""

    start: int = field(compare=False)
    end: int = field(compare=False)
    """Its place in the text."""
    source: str
    """The text at that place, marks included."""
    text: str
    """Without marks."""
    marks: tuple[InnerMark, ...] = ()
    kept: tuple[tuple[int, int], ...] = ()
    """The spans of `text` that come through to the letter, in order and apart."""

    @property
    def kept_words(self) -> list[str]:
        """These spans as they stand in the text."""
        return [self.text[start:end] for start, end in self.kept]


def make_piece(text: str, start: int, end: int, marks: Sequence[Mark], first: int) -> Piece:
    """The piece ``text[start:end]`` with these marks, of which the first has the index `first` among all marks."""
    return _Builder(text, start, end, range(first, first + len(marks))).build(marks)


@dataclass
class _Builder:
    """Collects the text of a piece."""

    text: str
    start: int
    end: int
    indices: range
    """Of its marks among all marks of the text."""
    parts: list[str] = field(default_factory=list)
    length: int = 0
    marks: list[InnerMark] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)
    """The index among the inner marks of each mark that has one."""
    kept: list[tuple[int, int]] = field(default_factory=list)
    emoji: set[int] = field(default_factory=set)
    """The numbers of the emoji among the spans that are kept."""

    def build(self, marks: Sequence[Mark]) -> Piece:
        position = self.start
        for index, mark in zip(self.indices, marks, strict=True):
            self._write(self.text[position : mark.start])
            self._add(index, mark)
            position = mark.end
        self._write(self.text[position : self.end])
        inner = tuple(
            mark if mark.partner is None else replace(mark, partner=self.places[mark.partner]) for mark in self.marks
        )
        plain = "".join(self.parts)
        kept = widened(plain, self.kept, self.emoji)
        return Piece(self.start, self.end, self.text[self.start : self.end], plain, inner, kept)

    def _write(self, text: str) -> None:
        text = unicodedata.normalize("NFC", text.replace(HIDDEN, ""))
        self.parts.append(text)
        self.length += len(text)

    def _add(self, index: int, mark: Mark) -> None:
        spelled = self.text[mark.start : mark.end]
        if mark.kind is Kind.CHARACTER:
            self._write(mark.character(self.text))
        elif mark.kind in {Kind.WORD, Kind.EMOJI}:
            if mark.kind is Kind.EMOJI:
                self.emoji.add(len(self.kept))
            start = self.length
            self._write(spelled)
            self.kept.append((start, self.length))
        else:
            self.places[index] = len(self.marks)
            self.marks.append(self._inner(mark, spelled))

    def _inner(self, mark: Mark, spelled: str) -> InnerMark:
        if mark.partner is not None and mark.partner in self.indices:
            return InnerMark(spelled, self.length, mark.kind, partner=mark.partner)
        if mark.kind in {Kind.OPEN, Kind.CLOSE}:
            return InnerMark(spelled, self.length, Kind.VOID, is_ordered=True)
        offset = self.length
        before, after = (side.isspace() for side in (self.text[mark.start - 1], self.text[mark.end]))
        if mark.kind is Kind.GAP and not (before or after):
            self._write(" ")
        return InnerMark(spelled, offset, mark.kind, space_before=before, space_after=after)
