"""What comes through a translation: marks and kept words, taken out of a sentence before, and put back after.

The model reads a sentence without its tags, and each kept word as an unknown one. The attention weights then say which
words of the translation a pair of tags goes around.

N words of the translation, T units of it, S parts of the source.
"""

import unicodedata
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import TypeAlias

import numpy as np

from seq2seq_cli.decoding.marks import Mark, unescaped
from seq2seq_cli.shapes import Float
from seq2seq_cli.text.normalise import (
    HIDDEN,
    Span,
    are_in_one_word,
    is_space,
    solid_length,
    without_control_characters,
)

CLOSING = dict(zip("([{\"'“„‚‘«‹", ")]}\"'”“‘’»›", strict=True))
"""The closing mark of each opening one."""
OPENING = {*CLOSING, *"$€£¥"}
NO_SPACE_BEFORE = ".,;:!?…)]}"


@dataclass(frozen=True, kw_only=True)
class Tag:
    """A pair of marks around some words of a piece, or a single mark between them."""

    text: str
    close: str = ""
    """The closing mark; empty for a single mark."""
    start: int
    end: int
    """Offsets in the text of the piece: what is between the marks. Of a single mark, both are the place before which it
    stands."""
    parent: int = -1
    """The index of the tag around it; -1: none."""
    is_gap: bool = False
    """Whether it parts words, as a space does."""
    space_before: bool = False
    space_after: bool = False


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A part of a text that is translated by itself."""

    start: int
    end: int
    """Its place in the text."""
    source: str
    """The text at that place, marks included."""
    text: str
    """Without marks."""
    tags: tuple[Tag, ...] = ()
    """In the order of their opening marks."""
    kept: tuple[Span, ...] = ()
    """The spans of `text` that come through to the letter, in order and apart."""

    @property
    def kept_words(self) -> list[str]:
        """These spans as they stand in the text."""
        return [self.text[start:end] for start, end in self.kept]


def take_out(text: str, start: int, end: int, marks: Sequence[Mark], first: int) -> Piece:
    """The piece ``text[start:end]`` with these marks, of which the first has the index `first` among all marks."""
    taken = _Taken(text)
    position = start
    for mark in marks:
        taken.write(text[position : mark.start])
        if mark.kind == "character":
            taken.write(without_control_characters(unescaped(text[mark.start : mark.end])))
        elif mark.kind in {"keep", "emoji"}:
            taken.keep(mark)
        else:
            is_pair = mark.partner is not None and first <= mark.partner < first + len(marks)
            taken.add_tag(mark, is_pair=is_pair)
        position = mark.end
    taken.write(text[position:end])
    return Piece(
        start=start,
        end=end,
        source=text[start:end],
        text=taken.plain,
        tags=tuple(taken.tags),
        kept=tuple(_widened(taken.plain, taken.kept, taken.emoji)),
    )


@dataclass
class _Taken:
    """What is taken out of a text so far."""

    text: str
    plain: str = ""
    """The text of the piece."""
    tags: list[Tag] = field(default_factory=list)
    opened: list[int] = field(default_factory=list)
    """The indices of the tags whose closing marks are still to come, the innermost last."""
    kept: list[Span] = field(default_factory=list)
    emoji: set[Span] = field(default_factory=set)
    """The spans among these that no letter beside them belongs to."""

    def write(self, part: str) -> None:
        self.plain += unicodedata.normalize("NFC", part.replace(HIDDEN, ""))

    def keep(self, mark: Mark) -> None:
        start = len(self.plain)
        self.write(self.text[mark.start : mark.end])
        self.kept.append((start, len(self.plain)))
        if mark.kind == "emoji":
            self.emoji.add(self.kept[-1])

    def add_tag(self, mark: Mark, *, is_pair: bool) -> None:
        spelled, place = self.text[mark.start : mark.end], len(self.plain)
        if is_pair and mark.kind == "close":
            index = self.opened.pop()
            self.tags[index] = replace(self.tags[index], close=spelled, end=place)
            return
        tag = Tag(text=spelled, start=place, end=place, parent=self.opened[-1] if self.opened else -1)
        if is_pair:
            self.opened.append(len(self.tags))
        else:
            before, after = self.text[: mark.start][-1:].isspace(), self.text[mark.end : mark.end + 1].isspace()
            tag = replace(tag, is_gap=mark.kind == "gap", space_before=before, space_after=after)
            if tag.is_gap and not (before or after):
                self.write(" ")
        self.tags.append(tag)


def _widened(text: str, spans: Sequence[Span], emoji: Container[Span]) -> Iterator[Span]:
    """The spans with what belongs to them: letters and digits that touch them, and brackets and quotes around them.

    A copied word has a space before it, which ``( https://a.org)`` and ``$ {price}`` should not have. Spans that touch
    are one, but for emoji, which stay as they are.
    """
    left = list(spans)[::-1]
    first = 0
    while left:
        start, end = left.pop()
        if (start, end) not in emoji:
            last = left[-1][0] if left else len(text)
            while start > first and _is_of_cased_word(text[start - 1]):
                start -= 1
            while end < len(text):
                if left and left[-1][0] == end and left[-1] not in emoji:
                    end = left.pop()[1]
                elif (not left or left[-1][0] > end) and _is_of_cased_word(text[end]):
                    end += 1
                else:
                    break
            last = left[-1][0] if left else len(text)
            while start > first and text[start - 1] in OPENING:
                start -= 1
                if end < last and text[end] == CLOSING.get(text[start]):
                    end += 1
        yield start, end
        first = end


def _is_of_cased_word(character: str) -> bool:
    """Whether it is a digit, or a letter of a script with cases: many others write no spaces between words."""
    return character.isdigit() or character.islower() or character.isupper()


@dataclass(frozen=True, kw_only=True)
class Written:
    """A translation of a piece as the model wrote it, HIDDEN in place of each kept word that it copied."""

    text: str
    units: Sequence[str]
    weights: Float[np.ndarray, "T S1"]
    """The attention of each unit to each of the parts; later columns are ignored. All 0 for a model without."""
    parts: Sequence[str]
    """The units of the source, as it was read."""
    copied: Sequence[int]
    """The numbers of the kept words for which HIDDEN stands, in this order."""


def put_back(piece: Piece, written: Written) -> str:
    """A translation with the marks and the kept words of its piece.

    A pair of marks around words of the source goes around the span of words that attend to them most. A single mark,
    and a kept word that was not copied, goes before the word that attends most to the next word of the source; they
    keep their order. Every mark and every kept word occurs once, and pairs are nested as in the source.
    """
    kept = piece.kept_words
    lost = [i for i in range(len(kept)) if i not in written.copied]
    text = reveal(written.text, [kept[i] for i in written.copied])
    if not (piece.tags or lost):
        return text
    words = _words(written.text)
    root = _Node(tag=Tag(text="", start=0, end=len(piece.text)), end=len(words))
    _place(_edges(piece, lost, root), _weights_of_words(words, written), _Parts(piece.text, written.parts))
    copied = iter([kept[i] for i in written.copied])
    spelled = [reveal(written.text[start:end], copied) for start, end in words]
    return _Writer(spelled, [i > 0 and words[i - 1][1] < start for i, (start, _) in enumerate(words)]).write(root)


def reveal(text: str, words: Iterable[str]) -> str:
    """A text with the next of these words in place of each HIDDEN."""
    words = iter(words)
    first, *others = text.split(HIDDEN)
    return first + "".join([next(words) + other for other in others])


def _words(text: str) -> list[Span]:
    """The words of a text: what no space and no mark of punctuation parts; characters, in scripts without spaces."""
    starts = [i for i, (before, after) in enumerate(pairwise(f" {text}")) if _may_part(before, after)]
    return [(start, start + len(text[start:end].rstrip())) for start, end in pairwise([*starts, len(text)])]


def _may_part(before: str, after: str) -> bool:
    """Whether a word may begin between two characters."""
    if is_space(before) or is_space(after):
        return not is_space(after)
    is_joined = unicodedata.category(after)[0] == "M" or "\u200d" in {before, after}
    return not (is_joined or are_in_one_word(before, after))


def _weights_of_words(words: Sequence[Span], written: Written) -> Float[np.ndarray, "N S"]:
    """The mean attention of the characters of each word to each part; without attention, words keep their order."""
    parts = len(written.parts)
    if not (words and parts and written.weights[:, :parts].any()):
        return _diagonal(len(words), parts)
    of_characters = np.repeat(np.arange(len(written.units)), list(map(solid_length, written.units)))
    lengths = [solid_length(written.text[start:end]) for start, end in words]
    # Composed to NFC, a text may have another number of characters than its units.
    characters = np.arange(sum(lengths)).clip(max=len(of_characters) - 1)
    rows = written.weights[of_characters[characters], :parts]
    starts = list(accumulate(lengths[:-1], initial=0))
    return np.asarray(np.add.reduceat(rows, starts, axis=0) / np.array(lengths)[:, None])


def _diagonal(words: int, parts: int) -> Float[np.ndarray, "N S"]:
    """Weights that are largest where both have the same share of their texts before them."""
    rows = (np.arange(words) + 0.5) / max(words, 1)
    columns = (np.arange(parts) + 0.5) / max(parts, 1)
    weights = np.exp(-0.5 * words * parts * (rows[:, None] - columns) ** 2)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True)) if parts else weights


class _Parts:
    """The parts of a source by the places of its characters."""

    def __init__(self, source: str, parts: Sequence[str]) -> None:
        self._solid_before = list(accumulate(map(solid_length, source), initial=0))
        """The number of characters but spaces before each offset of the source, and before its end."""
        self._of_characters = [i for i, part in enumerate(parts) for _ in range(solid_length(part))]

    def between(self, start: int, end: int) -> list[int]:
        """The part of each character but spaces between two offsets of the source."""
        return self._of_characters[self._solid_before[start] : self._solid_before[end]]


@dataclass(eq=False, kw_only=True)
class _Node:
    """A tag in the translation."""

    tag: Tag
    start: int = 0
    end: int = 0
    """The words of the translation that it goes around; equal where it stands between two."""
    children: list["_Node"] = field(default_factory=list)
    inner: dict[int, "_Node"] = field(default_factory=dict)
    """The child that goes around a word."""


_Edges: TypeAlias = list[tuple[_Node, _Node]]
"""A node and its child, each in the order of the source."""


def _edges(piece: Piece, lost: Sequence[int], root: _Node) -> _Edges:
    """The tags of a piece and its lost words below the root."""
    edges: _Edges = []
    for tag in piece.tags:
        edges.append((root if tag.parent < 0 else edges[tag.parent][1], _Node(tag=tag)))
    pairs = [node for _, node in edges if node.tag.close]
    for start, end in (piece.kept[i] for i in lost):
        tag = Tag(text=piece.text[start:end], start=start, end=start, space_before=True, space_after=True)
        around = [root, *(node for node in pairs if node.tag.start <= start < node.tag.end)]
        edges.append((around[-1], _Node(tag=tag)))
    edges.sort(key=lambda edge: edge[1].tag.start)
    for parent, node in edges:
        parent.children.append(node)
    return edges


def _place(edges: _Edges, weights: Float[np.ndarray, "N S"], parts: _Parts) -> None:
    """Find the words of the translation that each node goes around, or goes before."""
    points: _Edges = []
    for parent, node in edges:
        inside = parts.between(node.tag.start, node.tag.end)
        if not inside or len(parent.inner) == parent.end - parent.start:
            points.append((parent, node))
            continue
        rows = weights[parent.start : parent.end]
        gains = rows[:, inside[0] : inside[-1] + 1].sum(axis=1) - rows.sum(axis=1) / 2
        gains[[word - parent.start for word in parent.inner]] = -np.inf
        start, end = largest_span(gains.tolist())
        node.start, node.end = parent.start + start, parent.start + end
        parent.inner |= dict.fromkeys(range(node.start, node.end), node)
    earliest = 0
    for parent, node in points:
        node.start = node.end = _point(parent, node, weights, parts, earliest)
        earliest = max(earliest, node.start)


def largest_span(gains: Sequence[float]) -> Span:
    """The span, of at least one element, with the largest sum; the first and shortest of them (Kadane's algorithm)."""
    best, best_span = -np.inf, (0, 1)
    total, start = 0.0, 0
    for i, gain in enumerate(gains):
        if total <= 0:
            total, start = 0.0, i
        total += gain
        if total > best:
            best, best_span = total, (start, i + 1)
    return best_span


def _point(parent: _Node, node: _Node, weights: Float[np.ndarray, "N S"], parts: _Parts, earliest: int) -> int:
    """The word before which a node goes that goes around none: not inside another child of its parent."""
    following = parts.between(node.tag.start, parent.tag.end)
    if not following or parent.start == parent.end:
        return parent.end
    place = max(earliest, parent.start + int(weights[parent.start : parent.end, following[0]].argmax()))
    if place >= parent.end:
        return parent.end
    child = parent.inner.get(place)
    if child is None or child.start == place:
        return place
    return child.start if child.start >= earliest else child.end


class _Writer:
    """Writes the words of a translation and the marks between them."""

    def __init__(self, words: Sequence[str], has_space: Sequence[bool]) -> None:
        self._words = words
        self._has_space = has_space
        """Whether a space is before each word."""
        self._written: list[str] = []
        self._next_gap = 0
        """The word whose preceding space is still to be written."""

    def write(self, root: _Node) -> str:
        """The translation with the marks of all nodes below the root."""
        left: list[_Node | int | str] = [*self._content(root)]
        while left:
            item = left.pop()
            if isinstance(item, str):
                self._written.append(item)
            elif isinstance(item, int):
                self._write_gap(item)
                self._written.append(self._words[item])
            else:
                self._write_mark(item.tag, item.start)
                left += [item.tag.close] if item.tag.close else []
                left += self._content(item)
        return "".join(self._written)

    @staticmethod
    def _content(node: _Node) -> "list[_Node | int]":
        """The words and the nodes inside a node, the last one first."""
        content: list[_Node | int] = []
        place = node.start
        for child in sorted(node.children, key=lambda child: (child.start, child.end)):
            content += [*range(place, child.start), child]
            place = child.end
        return [*content, *range(place, node.end)][::-1]

    def _write_mark(self, tag: Tag, word: int) -> None:
        if not (tag.is_gap or tag.space_before or tag.space_after):  # it belongs to the word behind it
            self._write_gap(word)
        if tag.space_before:
            self._write_space()
        self._written.append(tag.text)
        if tag.space_after and "".join(self._words[word : word + 1])[:1] not in NO_SPACE_BEFORE:
            self._write_space()
        if tag.is_gap or tag.space_before or tag.space_after:
            self._next_gap = max(self._next_gap, word + 1)

    def _write_gap(self, word: int) -> None:
        """Write the space before a word, once."""
        if self._next_gap <= word < len(self._words):
            self._next_gap = word + 1
            if self._has_space[word]:
                self._write_space()

    def _write_space(self) -> None:
        if self._written and not self._written[-1].endswith(" "):
            self._written.append(" ")
