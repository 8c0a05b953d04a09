"""What comes through a translation: marks and kept words, taken out of a sentence before, and put back after.

The model reads a sentence without its tags, and each kept word as an unknown one. The attention weights then say which
words of the translation a pair of tags goes around.

N words of the translation, T units of it, S parts of the source, which are its units as the model read it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import accumulate, chain, pairwise
from typing import TypeAlias
from unicodedata import category, normalize

import numpy as np

from seq2seq_cli.decoding.marks import Mark
from seq2seq_cli.shapes import Float
from seq2seq_cli.text import characters
from seq2seq_cli.text.characters import HIDDEN, Span, is_space, solid_length

_PAIRS = ("()", "[]", "{}", '""', "''", "“”", "„“", "‚‘", "«»", "‹›")
_OPENING = "".join(pair[0] for pair in _PAIRS) + "$€£¥"
_LETTER = rf"(?:(?![{characters.UNSPACED_LETTERS}_])[\w{characters.ACCENTS}])"
_TOUCHING = rf"{_LETTER}*{HIDDEN}(?:{HIDDEN}|{_LETTER})*"
WIDENED = (
    "|".join(f"{re.escape(pair[0])}{_TOUCHING}{re.escape(pair[1])}" for pair in _PAIRS)
    + rf"|[{re.escape(_OPENING)}]*{_TOUCHING}"
)
"""Kept words with what belongs to them: letters and digits that touch them, and brackets and quotes around them.

A copied word has a space before it, which ``( https://a.org)`` and ``$ {price}`` should not have.
"""
NO_SPACE_BEFORE = ".,;:!?…)]}。，、；：！？）］｝」』】》،؛؟۔।։።፧။។"

_Place: TypeAlias = tuple[int, int]
"""A place in a translation: the number of a word, and the side.

0 is behind the word before it, 1 before it; 2, too, for the opening mark of a pair and for what is inside of the pair:
single marks of the same word go before the pair.
"""


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


def take_out(text: str, start: int, end: int, marks: Sequence[Mark], first: int) -> Piece:
    """The piece ``text[start:end]`` with these marks, of which the first has the index `first` among all marks."""
    if not marks:
        source = text[start:end]
        return Piece(start=start, end=end, source=source, text=normalize("NFC", source.replace(HIDDEN, "")))
    parts = []
    """The text before each mark and what the model reads of the mark, and the text behind the last one."""
    position = start
    for mark in marks:
        parts += [text[position : mark.start], as_read(text, mark)]
        position = mark.end
    parts = [normalize("NFC", part.replace(HIDDEN, "")) for part in [*parts, text[position:end]]]
    places = list(accumulate(map(len, parts), initial=0))
    spans = [span for mark, span in zip(marks, list(pairwise(places))[1::2], strict=True) if mark.kind == "emoji"]
    masks = chain.from_iterable(("", {"keep": HIDDEN, "emoji": "\0"}.get(mark.kind, "")) for mark in marks)
    hidden = (mask * len(part) or part for part, mask in zip(parts, [*masks, ""], strict=True))
    spans += [match.span() for match in re.finditer(WIDENED, "".join(hidden))]
    solid = list(accumulate(map(solid_length, parts), initial=0))[1:-1:2]
    read, tags, kept = "".join(parts), tuple(_tags(text, marks, first, solid)), tuple(sorted(spans))
    return Piece(start=start, end=end, source=text[start:end], text=read, tags=tags, kept=kept)


def as_read(text: str, mark: Mark) -> str:
    """The text that the model reads in place of a mark."""
    spelled = text[mark.start : mark.end]
    if mark.kind == "character":
        return characters.without_control_characters(unescape(spelled))
    if mark.kind == "gap":
        return "" if any(_spaces_around(text, mark.start, mark.end)) else " "
    return spelled if mark.kind in {"keep", "emoji"} else ""


def _spaces_around(text: str, start: int, end: int) -> tuple[bool, bool]:
    return text[max(0, start - 1) : start].isspace(), text[end : end + 1].isspace()


def _tags(text: str, marks: Sequence[Mark], first: int, solid: Sequence[int]) -> Iterator[Tag]:
    """The tags of a piece; `solid` has the number of characters but spaces before each mark."""
    opened, count = [-1], 0
    ends = [mark.end for mark in marks]
    for i in reversed(range(len(marks) - 1)):
        if marks[i + 1].kind == "single" and marks[i + 1].start == ends[i]:
            ends[i] = ends[i + 1]  # single marks that touch have the space behind the last of them
    for mark, place, end in zip(marks, solid, ends, strict=True):
        partner = -1 if mark.partner is None else mark.partner - first
        is_pair = 0 <= partner < len(marks)
        if mark.kind in {"keep", "emoji", "character"}:
            continue
        if is_pair and mark.kind == "close":
            opened.pop()
            continue
        before, after = (False, False) if is_pair else _spaces_around(text, mark.start, end)
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
    kept = [piece.text[start:end] for start, end in piece.kept]
    lost = [piece.kept[i] for i in range(len(kept)) if i not in copied]
    left = iter([kept[i] for i in copied])
    if not (piece.tags or lost):
        return reveal(text, left)
    words = _words(text)
    weights = _weights_of_words(text, words, units, weights[:, : len(parts)])
    tags = [*piece.tags, *(_tag_of_lost(piece, *span) for span in lost)]
    order = sorted(range(len(tags)), key=lambda i: tags[i].start)
    places = _places(tags, order, weights, _owners(parts))
    starts, ends = [start for start, _ in words], [0, *(end for _, end in words)]
    written, position = "", 0
    for i, is_close in sorted(_edges(tags, order), key=lambda edge: places[edge[0]][edge[1]]):
        word, side = places[i][is_close]
        end = max(position, starts[word] if side else ends[word])
        written += reveal(text[position:end], left)
        position = end
        written = written + tags[i].close if is_close else _with_mark(written, tags[i], text[position : position + 1])
    return written + reveal(text[position:], left)


def reveal(text: str, words: Iterator[str]) -> str:
    """A text with the next of these words in place of each HIDDEN."""
    return re.sub(HIDDEN, lambda _: next(words, ""), text)


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
    return not (is_joined or all(map(characters.in_spaced_word, (before, after))))


def _weights_of_words(
    text: str, words: Sequence[Span], units: Sequence[str], weights: Float[np.ndarray, "T S"]
) -> Float[np.ndarray, "N S"]:
    """The mean attention of the characters of each word to each part; without attention, words keep their order."""
    if not (words and weights.any()):
        return np.eye(len(words), weights.shape[1])
    owners = np.array(_owners(units))
    lengths = [solid_length(text[start:end]) for start, end in words]
    # Composed to NFC, a text may have another number of characters than its units.
    rows = weights[owners[np.arange(sum(lengths)).clip(max=len(owners) - 1)]]
    starts = list(accumulate(lengths[:-1], initial=0))
    # In 64 bits, words of one unit have the same weights exactly, and the first of them is the best one.
    return np.asarray(np.add.reduceat(rows, starts, axis=0, dtype=np.float64) / np.array(lengths)[:, None])


def _tag_of_lost(piece: Piece, start: int, end: int) -> Tag:
    """A kept word that was not copied, as a single mark."""
    at = solid_length(piece.text[:start])
    parent = max((i for i, tag in enumerate(piece.tags) if tag.close and tag.start <= at < tag.end), default=-1)
    return Tag(text=piece.text[start:end], start=at, end=at, parent=parent, space_before=True, space_after=True)


def _edges(tags: Sequence[Tag], order: Sequence[int]) -> list[tuple[int, bool]]:
    """The opening mark of each tag, and its closing one (True), in the order of the source."""
    edges: list[tuple[int, bool]] = []
    opened: list[int] = []
    for i in order:
        while opened and opened[-1] != tags[i].parent:
            edges.append((opened.pop(), True))
        edges.append((i, False))
        opened.append(i)
    return edges + [(i, True) for i in reversed(opened)]


def _places(
    tags: Sequence[Tag], order: Sequence[int], weights: Float[np.ndarray, "N S"], owners: Sequence[int]
) -> dict[int, tuple[_Place, _Place]]:
    """The places of both marks of each tag, the same if it goes around no word; -1 is the text, around all tags."""
    places: dict[int, tuple[_Place, _Place]] = {-1: ((0, 1), (len(weights), 0))}
    innermost = np.full(len(weights), -1)
    """The innermost tag around each word, of those that have a place so far."""
    points = []
    for i in order:
        inside, is_free = owners[tags[i].start : tags[i].end], innermost == tags[i].parent
        if not (inside and is_free.any()):
            points.append(i)
            continue
        gains = weights[:, inside[0] : inside[-1] + 1].sum(axis=1) - weights.sum(axis=1) / 2
        start, end = largest_span(np.where(is_free, gains, -np.inf).tolist())
        innermost[start:end] = i
        places[i] = (start, 2), (end, 0)
    earliest = 0
    for i in points:
        parent = tags[i].parent
        (start, side), place = places[parent]
        following = owners[tags[i].start : None if parent < 0 else tags[parent].end]
        if following and start < place[0]:
            word = max(earliest, start + int(weights[start : place[0], following[0]].argmax()))
            if word < place[0]:
                place = word, side if word == start else 1
        places[i] = place, place
        earliest = max(earliest, place[0])
    return places


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


def _with_mark(written: str, tag: Tag, following: str) -> str:
    """The written text and behind it an opening or single mark, with the spaces that the mark has in the source.

    `following` is the next character of the translation; empty at its end.
    """
    if not tag.space_before and (tag.space_after or tag.is_gap):
        written = written.rstrip(" ")
    before = " " if tag.space_before and written and not written.endswith(" ") else ""
    after = " " if tag.space_after and following not in NO_SPACE_BEFORE else ""
    return written + before + tag.text + after
