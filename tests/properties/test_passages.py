"""What holds for every text that is taken apart, and for every alignment by which it is put together again."""

import re
from collections import Counter
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.decoding.keep import Piece, largest_span, put_back
from seq2seq_cli.decoding.marks import find_marks
from seq2seq_cli.decoding.sentences import Passage, split_passage
from seq2seq_cli.text.characters import HIDDEN, normalise, without_control_characters

TAGS = ["<b>", "</b>", "<i class='x y'>", "</i>", "<br>", "<p>", "</p>", "<code>", "</code>", "<!-- c -->", "<a", ">"]
MARKDOWN = ["*", "**", "_", "`", "[", "](u)", "]", "# ", "- ", "> ", "```", "\n\n", "1. ", "~~"]
WORDS = ["https://a.org/b_c.", "me@a.org", "/usr/bin/x", "@me", "#tag", "12.50", "3", "Dr.", "e.g.", "Hund", "he", "猫"]
MORE = ["ה", "❤️", "👩‍👧", "🇩🇪", "1️⃣", "%s", "{name}", "$1", "\f", "\ufdd0", "&amp;", "<!--", "'", "(", "<"]
ENTITIES = ["&eacute;", "&quot;", "&mdash;", "&nbsp;", "&#33;"]
STOPS = [". ", "! ", "? ", "…", "。", ", ", "; ", " ", "  ", "\t", "\r\n", "\0", "\x1b[31m", '"', "<!-- c -->"]
any_part = st.sampled_from(TAGS + MARKDOWN + WORDS + MORE + ENTITIES + STOPS) | st.text(max_size=3)
any_text = st.lists(any_part, max_size=25).map("".join)
lengths = st.integers(1, 12)


def count(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def taken_apart(text: str, longest: int = 10) -> Passage:
    return split_passage(text, "de", lambda part: count(part) <= longest)


def sources(passage: Passage) -> list[str]:
    return [passage.text[piece.start : piece.end] for piece in passage.pieces]


@given(any_text, lengths)
def test_a_text_is_put_together_again_from_its_pieces(text: str, longest: int) -> None:
    passage = taken_apart(text, longest)
    assert passage.join(sources(passage)) == passage.text
    assert passage.text == re.sub("[\v\f\x1c-\x1f]", " ", without_control_characters(text))


@given(any_text)
def test_the_marks_of_a_text_are_in_order_and_have_each_other_as_partners(text: str) -> None:
    marks = find_marks(text)
    assert all(mark.start < mark.end for mark in marks)
    assert all(left.end <= right.start for left, right in pairwise(marks))
    for i, mark in enumerate(marks):
        assert mark.partner is None or marks[mark.partner].partner == i


@given(any_text, lengths)
def test_no_piece_begins_or_ends_inside_of_a_mark(text: str, longest: int) -> None:
    passage = taken_apart(text, longest)
    ends = [place for piece in passage.pieces for place in (piece.start, piece.end)]
    assert not [mark for mark in find_marks(passage.text) if any(mark.start < place < mark.end for place in ends)]


@given(any_text, lengths)
def test_no_piece_is_blank_or_has_a_line_break_and_its_kept_words_are_in_order(text: str, longest: int) -> None:
    for piece in taken_apart(text, longest).pieces:
        assert any(character.isalnum() for character in piece.text)
        outside = "".join(piece.text[a:b] for a, b in gaps(piece))
        assert all(start <= end for start, end in gaps(piece))
        assert all(start < end for start, end in piece.kept)
        assert outside == "".join(outside.splitlines())
        assert "\0" not in piece.text
        assert "\x1b" not in piece.text


def gaps(piece: Piece) -> list[tuple[int, int]]:
    """The spans between the words that are kept."""
    ends = [0, *(end for _, end in piece.kept)]
    return list(zip(ends, [*(start for start, _ in piece.kept), len(piece.text)], strict=True))


@given(
    st.lists(st.sampled_from([*"aaaabc", " ", " ", ", ", "; ", "。", "<b>", "</b>"]), max_size=200).map("".join),
    lengths,
)
def test_no_piece_is_longer_than_allowed(text: str, longest: int) -> None:
    passage = taken_apart(text, longest)
    assert all(count(piece.text) <= longest for piece in passage.pieces)


# The words of a sentence, of which each may be inside a pair of marks, or have a mark before it.
trees = st.recursive(
    st.sampled_from(["Hund", "he", "3", ",", "x<img>y", "<!-- c -->", "me@a.org"]),
    lambda inner: st.tuples(
        st.sampled_from(["<b>", "<i>", "<a href='u'>"]), st.lists(inner, min_size=1, max_size=3)
    ).map(lambda pair: f"{pair[0]}{' '.join(pair[1])}</{pair[0][1]}>"),
    max_leaves=8,
)
marked = st.lists(trees, min_size=1, max_size=6).map(" ".join)
TAG = re.compile(r"<[^>]*>")


@given(marked | any_text, st.data())
def test_marks_and_kept_words_come_through_once_and_pairs_are_nested(text: str, data: st.DataObject) -> None:
    for piece in taken_apart(text, 1000).pieces:
        output = restored(piece, data)
        kept = [piece.text[start:end] for start, end in piece.kept]
        come_through = [*(mark for tag in piece.tags for mark in (tag.text, tag.close) if mark), *kept]
        for mark, times in Counter(come_through).items():
            others = sum(other.count(mark) for other in come_through) - times
            assert times <= output.count(mark) <= times + others or mark.isspace()
        assert all(output.index(tag.text) < output.rindex(tag.close) for tag in piece.tags if tag.close)


@given(marked, st.data())
def test_html_comes_through_well_formed(text: str, data: st.DataObject) -> None:
    passage = taken_apart(text, 1000)
    output = passage.join([restored(piece, data) for piece in passage.pieces])
    assert sorted(TAG.findall(output)) == sorted(TAG.findall(text))
    opened: list[str] = []
    for tag in TAG.findall(output):
        if tag.startswith("</"):
            assert opened.pop()[1] == tag[2]
        elif tag not in {"<img>", "<!-- c -->"}:
            opened.append(tag)
    assert not opened


def restored(piece: Piece, data: st.DataObject) -> str:
    """A made-up translation with the marks of its piece."""
    units = data.draw(st.lists(st.sampled_from(["Haus", "und", ",", ".", "ß", "家"]), max_size=8), label="units")
    copied = data.draw(st.permutations(range(len(piece.kept))), label="copied")[: len(units)]
    units[: len(copied)] = [HIDDEN] * len(copied)
    parts = re.findall(r"\w+|[^\w\s]", normalise(piece.text))
    shape = len(units), len(parts) + 1
    weights = np.zeros(shape, dtype=np.float32)
    if data.draw(st.booleans(), label="has attention"):
        drawn = data.draw(st.lists(st.integers(0, 3), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]))
        weights = np.array(drawn, dtype=np.float32).reshape(shape)
    return put_back(piece, " ".join(units), copied, units=units, parts=parts, weights=weights)


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12))
def test_the_largest_span_has_the_largest_sum_of_all_spans(gains: list[int]) -> None:
    spans = [(a, b) for a in range(len(gains)) for b in range(a + 1, len(gains) + 1)]
    start, end = largest_span([float(gain) for gain in gains])
    assert sum(gains[start:end]) == max(sum(gains[a:b]) for a, b in spans)
