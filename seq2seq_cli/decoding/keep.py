"""What comes through a translation: marks and kept words, taken out of a sentence before, and put back after.

The model reads a sentence without its tags, and each kept word as an unknown one. The attention weights then say which
words of the translation a pair of tags goes around.

N words of the translation, T units of it, S parts of the source, which are its units as the model read it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import accumulate, chain, pairwise
from typing import TypeAlias
from unicodedata import category, normalize

import numpy as np

from seq2seq_cli.decoding.marks import Mark
from seq2seq_cli.shapes import Float
from seq2seq_cli.text.normalise import (
    HIDDEN,
    UNSPACED_LETTERS,
    Span,
    are_in_one_word,
    is_space,
    solid_length,
    without_control_characters,
)

_PAIRS = ("()", "[]", "{}", '""', "''", "“”", "„“", "‚‘", "«»", "‹›")
_OPENING = "".join(pair[0] for pair in _PAIRS) + "$€£¥"
_LETTER = rf"(?:(?![{UNSPACED_LETTERS}_])\w)"
_TOUCHING = rf"{_LETTER}*{HIDDEN}(?:{HIDDEN}|{_LETTER})*"
WIDENED = (
    "|".join(f"{re.escape(pair[0])}{_TOUCHING}{re.escape(pair[1])}" for pair in _PAIRS)
    + rf"|[{re.escape(_OPENING)}]*{_TOUCHING}"
)
"""Kept words with what belongs to them: letters and digits that touch them, and brackets and quotes around them.

A copied word has a space before it, which ``( https://a.org)`` and ``$ {price}`` should not have.
"""
NO_SPACE_BEFORE = ".,;:!?…)]}"


@dataclass(frozen=True, kw_only=True)
class Tag:
    """A pair of marks around some words of a piece, or a single mark between them."""

    text: str
    close: str = ""
    """The closing mark; empty for a single mark."""
    start: int
    end: int
    """The characters of the piece before each of them, spaces not counted; the same number for a single mark."""
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
    if not marks:
        source = text[start:end]
        return Piece(start=start, end=end, source=source, text=normalize("NFC", source.replace(HIDDEN, "")))
    parts = []
    """The text before each mark and what the model reads of the mark, and the text behind the last one."""
    position = start
    for mark in marks:
        parts += [text[position : mark.start], _as_read(text, mark)]
        position = mark.end
    parts = [normalize("NFC", part.replace(HIDDEN, "")) for part in [*parts, text[position:end]]]
    places = list(accumulate(map(len, parts), initial=0))
    spans = [span for mark, span in zip(marks, list(pairwise(places))[1::2], strict=True) if mark.kind == "emoji"]
    masks = chain.from_iterable(("", {"keep": HIDDEN, "emoji": "\0"}.get(mark.kind, "")) for mark in marks)
    hidden = (mask * len(part) or part for part, mask in zip(parts, [*masks, ""], strict=True))
    spans += [match.span() for match in re.finditer(WIDENED, "".join(hidden))]
    solid = list(accumulate(map(solid_length, parts), initial=0))[1:-1:2]
    return Piece(
        start=start,
        end=end,
        source=text[start:end],
        text="".join(parts),
        tags=tuple(_tags(text, marks, first, solid)),
        kept=tuple(sorted(spans)),
    )


def _as_read(text: str, mark: Mark) -> str:
    """The text that the model reads in place of a mark."""
    spelled = text[mark.start : mark.end]
    if mark.kind == "character":
        return without_control_characters(unescape(spelled))
    if mark.kind == "gap":
        return "" if any(_spaces_around(text, mark)) else " "
    return spelled if mark.kind in {"keep", "emoji"} else ""


def _spaces_around(text: str, mark: Mark) -> tuple[bool, bool]:
    return text[max(0, mark.start - 1) : mark.start].isspace(), text[mark.end : mark.end + 1].isspace()


def _tags(text: str, marks: Sequence[Mark], first: int, solid: Sequence[int]) -> Iterator[Tag]:
    """The tags of a piece; `solid` has the number of characters but spaces before each mark."""
    opened, count = [-1], 0
    for mark, place in zip(marks, solid, strict=True):
        partner = -1 if mark.partner is None else mark.partner - first
        is_pair = 0 <= partner < len(marks)
        if mark.kind in {"keep", "emoji", "character"}:
            continue
        if is_pair and mark.kind == "close":
            opened.pop()
            continue
        before, after = (False, False) if is_pair else _spaces_around(text, mark)
        yield Tag(
            text=text[mark.start : mark.end],
            close=text[marks[partner].start : marks[partner].end] if is_pair else "",
            start=place,
            end=solid[partner] if is_pair else place,
            parent=opened[-1],
            is_gap=mark.kind == "gap",
            space_before=before,
            space_after=after,
        )
        opened += [count] if is_pair else []
        count += 1


def put_back(
    piece: Piece,
    text: str,
    copied: Sequence[int],
    *,
    units: Sequence[str],
    parts: Sequence[str],
    weights: Float[np.ndarray, "T S1"],
) -> str:
    """A translation `text` with the marks and the kept words of its piece.

    `copied` are the numbers of the kept words for which HIDDEN stands in it, in this order. `weights` is the attention
    of its units to the parts of the source, later columns are ignored; all 0 for a model without attention.

    A pair of marks around words of the source goes around the span of words that attend to them most. A single mark,
    and a kept word that was not copied, goes before the word that attends most to the next word of the source; they
    keep their order. Every mark and every kept word occurs once, and pairs are nested as in the source.
    """
    kept = piece.kept_words
    lost = [i for i in range(len(kept)) if i not in copied]
    left = iter([kept[i] for i in copied])
    if not (piece.tags or lost):
        return reveal(text, left)
    words = _words(text)
    root = _Node(tag=Tag(text="", start=0, end=solid_length(piece.text)), end=len(words))
    owners = _owners(parts)
    _place(_edges(piece, lost, root), _weights_of_words(text, words, units, weights[:, : len(parts)]), owners)
    return _Writer(text, words, left).write(root)


def reveal(text: str, words: Iterable[str]) -> str:
    """A text with the next of these words in place of each HIDDEN."""
    words = iter(words)
    first, *others = text.split(HIDDEN)
    return first + "".join([next(words) + other for other in others])


def _owners(units: Sequence[str]) -> list[int]:
    """The index of the unit that each character but spaces of their text is of."""
    return [i for i, unit in enumerate(units) for _ in range(solid_length(unit))]


def _words(text: str) -> list[Span]:
    """The words of a text: what no space and no mark of punctuation parts; characters, in scripts without spaces."""
    starts = [i for i, (before, after) in enumerate(pairwise(f" {text}")) if _may_part(before, after)]
    return [(start, start + len(text[start:end].rstrip())) for start, end in pairwise([*starts, len(text)])]


def _may_part(before: str, after: str) -> bool:
    """Whether a word may begin between two characters."""
    if is_space(before) or is_space(after):
        return not is_space(after)
    is_joined = category(after)[0] == "M" or "\u200d" in {before, after}
    return not (is_joined or are_in_one_word(before, after))


def _weights_of_words(
    text: str, words: Sequence[Span], units: Sequence[str], weights: Float[np.ndarray, "T S"]
) -> Float[np.ndarray, "N S"]:
    """The mean attention of the characters of each word to each part; without attention, words keep their order."""
    if not (words and weights.any()):
        return _diagonal(len(words), weights.shape[1])
    owners = np.array(_owners(units))
    lengths = [solid_length(text[start:end]) for start, end in words]
    # Composed to NFC, a text may have another number of characters than its units.
    rows = weights[owners[np.arange(sum(lengths)).clip(max=len(owners) - 1)]]
    starts = list(accumulate(lengths[:-1], initial=0))
    return np.asarray(np.add.reduceat(rows, starts, axis=0) / np.array(lengths)[:, None])


def _diagonal(words: int, parts: int) -> Float[np.ndarray, "N S"]:
    """Weights that are largest where both have the same share of their texts before them."""
    rows = (np.arange(words) + 0.5) / max(words, 1)
    columns = (np.arange(parts) + 0.5) / max(parts, 1)
    weights = np.exp(-0.5 * words * parts * (rows[:, None] - columns) ** 2)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True)) if parts else weights


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
        at = solid_length(piece.text[:start])
        tag = Tag(text=piece.text[start:end], start=at, end=at, space_before=True, space_after=True)
        around = [root, *(node for node in pairs if node.tag.start <= at < node.tag.end)]
        edges.append((around[-1], _Node(tag=tag)))
    edges.sort(key=lambda edge: edge[1].tag.start)
    for parent, node in edges:
        parent.children.append(node)
    return edges


def _place(edges: _Edges, weights: Float[np.ndarray, "N S"], owners: Sequence[int]) -> None:
    """Find the words of the translation that each node goes around, or goes before."""
    points: _Edges = []
    for parent, node in edges:
        inside = owners[node.tag.start : node.tag.end]
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
        node.start = node.end = _point(parent, weights, owners[node.tag.start : parent.tag.end], earliest)
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


def _point(parent: _Node, weights: Float[np.ndarray, "N S"], following: Sequence[int], earliest: int) -> int:
    """The word before which a node goes that goes around none: not inside another child of its parent.

    `following` are the parts behind it.
    """
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
    """Writes a translation and the marks between its words."""

    def __init__(self, text: str, words: Sequence[Span], copied: Iterator[str]) -> None:
        self._text = text
        self._starts = [start for start, _ in words]
        self._ends = [0, *(end for _, end in words)]
        """The end of the word before each word."""
        self._copied = copied
        self._written: list[str] = []
        self._position = 0
        """The place in the text up to which it is written."""

    def write(self, root: _Node) -> str:
        """The translation with the marks of all nodes below the root."""
        self._write_inside(root)
        self._write_text(len(self._text))
        return "".join(self._written)

    def _write_inside(self, node: _Node) -> None:
        for child in sorted(node.children, key=lambda child: (child.start, child.end)):
            self._write_text(self._starts[child.start] if child.start < node.end else self._ends[child.start])
            self._write_mark(child.tag)
            self._write_inside(child)
            if child.tag.close:
                self._write_text(self._ends[child.end])
                self._written.append(child.tag.close)

    def _write_text(self, end: int) -> None:
        if self._position < end:
            self._written.append(reveal(self._text[self._position : end], self._copied))
            self._position = end

    def _write_mark(self, tag: Tag) -> None:
        """Write a mark; a single one has the spaces around it that it has in the source."""
        if self._written and not tag.space_before and (tag.space_after or tag.is_gap):
            self._written[-1] = self._written[-1].rstrip(" ")
        if tag.space_before:
            self._write_space()
        self._written.append(tag.text)
        if tag.space_after and self._text[self._position : self._position + 1] not in NO_SPACE_BEFORE:
            self._write_space()

    def _write_space(self) -> None:
        if self._written and not self._written[-1].endswith(" "):
            self._written.append(" ")
