"""A piece of a text: a part that is translated by itself, without its marks."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from seq2seq_cli.decoding.passages.markup import Kind, Mark
from seq2seq_cli.decoding.passages.protected import widened


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
    protected: tuple[tuple[int, int], ...] = ()
    """The spans of `text` that come through unchanged, in order and apart."""

    @property
    def protected_words(self) -> list[str]:
        """The protected spans as they stand in the text."""
        return [self.text[start:end] for start, end in self.protected]

    def without_marks(self, output: str) -> str:
        """A translation without the texts of these marks, each of which stands in it once."""
        for mark in self.marks:
            output = output.replace(mark.text, " " if mark.kind is Kind.GAP else "", 1)
        return output

    def protect(self, spans: Sequence[tuple[int, int]]) -> "Piece":
        """The piece with more protected spans; those that meet one of its own are left out."""
        new = [span for span in spans if all(span[1] <= start or end <= span[0] for start, end in self.protected)]
        return replace(self, protected=widened(self.text, sorted([*self.protected, *new])))


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
    protected: list[tuple[int, int]] = field(default_factory=list)

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
        return Piece(
            self.start, self.end, self.text[self.start : self.end], plain, inner, widened(plain, self.protected)
        )

    def _write(self, text: str) -> None:
        text = unicodedata.normalize("NFC", text)
        self.parts.append(text)
        self.length += len(text)

    def _add(self, index: int, mark: Mark) -> None:
        spelled = self.text[mark.start : mark.end]
        if mark.kind is Kind.CHARACTER:
            self._write(mark.character(self.text))
        elif mark.kind is Kind.WORD:
            start = self.length
            self._write(spelled)
            self.protected.append((start, self.length))
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
