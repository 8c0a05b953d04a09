"""Marks and kept words put back into a translation, by the attention weights.

N words of the translation, S parts of the source.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from seq2seq_cli.decoding.passages.markup import Kind
from seq2seq_cli.decoding.passages.pieces import InnerMark, Piece
from seq2seq_cli.decoding.passages.word_weights import WordWeights
from seq2seq_cli.shapes import Float
from seq2seq_cli.text.normalise import HIDDEN

NO_SPACE_BEFORE = ".,;:!?…)]}"


def restore(piece: Piece, weighed: WordWeights, copied: Sequence[int]) -> str:
    """A translation with the marks and the kept words of its piece.

    `copied` are the numbers of the kept words for which HIDDEN stands in the translation, in this order. A pair of
    marks around words of the source goes around the span of words that attend to them most. Any other mark, and a kept
    word that was not copied, goes before the word that attends most to the next word of the source. Every mark and
    every kept word occurs once, and pairs are nested as in the source.
    """
    words = piece.kept_words
    lost = [
        InnerMark(words[i], start, Kind.WORD, space_before=True, space_after=True)
        for i, (start, _) in enumerate(piece.kept)
        if i not in copied
    ]
    if not (piece.marks or lost):
        return reveal(weighed.text, [words[i] for i in copied])
    root = _tree(piece, lost, weighed)
    _place(root, weighed.weights)
    return _Writer(weighed, [words[i] for i in copied]).write(root)


def reveal(text: str, words: Iterable[str]) -> str:
    """A text with these words in place of each HIDDEN."""
    parts = text.split(HIDDEN)
    return "".join(chain(parts[:1], *zip(words, parts[1:], strict=True)))


@dataclass(eq=False)
class _Node:
    """A pair of marks and what is between them, or a mark by itself."""

    mark: InnerMark
    parts: slice
    """The parts of the source between the marks. Of a mark by itself, none, before the next part."""
    parent: "_Node | None" = None
    close: str = ""
    children: list["_Node"] = field(default_factory=list)
    start: int = 0
    end: int = 0
    """The words of the translation that it goes around; equal where it goes around none."""

    def edges(self) -> Iterator[tuple["_Node", "_Node"]]:
        """Each node below it after its parent, in the order of the source."""
        left = [(self, child) for child in reversed(self.children)]
        while left:
            parent, node = left.pop()
            yield parent, node
            left += [(node, child) for child in reversed(node.children)]


def _tree(piece: Piece, lost: list[InnerMark], weighed: WordWeights) -> _Node:
    """The node of the whole piece."""
    root = _Node(InnerMark("", 0, Kind.OPEN), slice(0, len(weighed.src_parts)))
    opened = [root]
    for mark in sorted([*piece.marks, *lost], key=lambda mark: mark.offset):
        if mark.kind is Kind.CLOSE:
            opened.pop().close = mark.text
            continue
        end = mark.offset if mark.partner is None else piece.marks[mark.partner].offset
        node = _Node(mark, weighed.parts_between(mark.offset, end), opened[-1])
        opened[-1].children.append(node)
        if mark.kind is Kind.OPEN:
            opened.append(node)
    return root


def _place(root: _Node, weights: Float[np.ndarray, "N S"]) -> None:
    """Find the words of the translation that each node goes around, or goes before."""
    root.end = len(weights)
    owners = np.full(len(weights), root, dtype=object)
    points = []
    for parent, node in root.edges():
        inside = weights[parent.start : parent.end]
        free = owners[parent.start : parent.end] == parent
        if node.parts.start == node.parts.stop or not free.any():
            points.append((parent, node))
            continue
        gain = inside[:, node.parts].sum(axis=1) - inside.sum(axis=1) / 2
        start, end = largest_span(np.where(free, gain, -np.inf).tolist())
        node.start, node.end = parent.start + start, parent.start + end
        owners[node.start : node.end] = node
    earliest = 0
    for parent, node in points:
        node.start = node.end = _point(parent, node, weights, owners, earliest if node.mark.is_ordered else 0)
        earliest = node.start if node.mark.is_ordered else earliest


def largest_span(gains: Sequence[float]) -> tuple[int, int]:
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


def _point(parent: _Node, node: _Node, weights: Float[np.ndarray, "N S"], owners: np.ndarray, earliest: int) -> int:
    """The word before which a node goes that goes around none: not inside another pair of its parent."""
    part = node.parts.start
    if parent.start == parent.end or part >= parent.parts.stop:
        return parent.end
    place = max(earliest, parent.start + int(weights[parent.start : parent.end, part].argmax()))
    if place >= parent.end:
        return parent.end
    owner = owners[place]
    while owner is not parent and owner.parent is not parent:
        owner = owner.parent
    if owner is parent or owner.start == place:
        return place
    return int(owner.end if owner.start < earliest else owner.start)


class _Writer:
    """Writes the words of a translation and the marks between them."""

    def __init__(self, weighed: WordWeights, copied: Sequence[str]) -> None:
        self._text = weighed.text
        self._words = weighed.words
        self._copied = copied
        self._written: list[str] = []
        self._next_gap = 0
        """The word whose preceding white space is still to be written."""
        self._needs_space = False

    def write(self, root: _Node) -> str:
        """The translation with the marks of all nodes below the root."""
        left: list[_Node | int | str] = [root]
        while left:
            item = left.pop()
            if isinstance(item, str):
                self._written.append(item)
            elif isinstance(item, int):
                self._write_word(item)
            else:
                self._write_mark(item.mark, item.start)
                left += [item.close, *self._content(item)]
        return "".join(self._written)

    @staticmethod
    def _content(node: _Node) -> list[_Node | int]:
        """The words and the nodes inside a node, the last one first."""
        content: list[_Node | int] = []
        place = node.start
        for child in sorted(node.children, key=lambda child: (child.start, child.end)):
            content += [*range(place, child.start), child]
            place = child.end
        return [*content, *range(place, node.end)][::-1]

    def _write_word(self, word: int) -> None:
        self._write_gap(word)
        text = self._text[slice(*self._words[word])]
        if self._needs_space and text[0] not in NO_SPACE_BEFORE:
            self._write_space()
        self._needs_space = False
        hidden = text.count(HIDDEN)
        self._written.append(reveal(text, self._copied[:hidden]))
        self._copied = self._copied[hidden:]

    def _write_mark(self, mark: InnerMark, word: int) -> None:
        if not mark.text:
            return
        if mark.kind is not Kind.GAP:
            if mark.space_before or not mark.space_after:  # else it belongs to the word before it, before the gap
                self._write_gap(word)
        elif word == self._next_gap:
            self._next_gap += 1
        if self._needs_space or mark.space_before:
            self._write_space()
        self._written.append(mark.text)
        self._needs_space = mark.space_after

    def _write_gap(self, word: int) -> None:
        """Write the white space before a word, once."""
        if word == self._next_gap and word < len(self._words):
            self._next_gap += 1
            if word > 0 and self._words[word - 1][1] < self._words[word][0]:
                self._write_space()

    def _write_space(self) -> None:
        if self._written and not self._written[-1].endswith(" "):
            self._written.append(" ")
