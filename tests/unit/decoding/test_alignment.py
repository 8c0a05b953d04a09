"""Word links from attention weights: computed by hand, and for every text."""

import sys
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.decoding.alignment import WordFinder, word_links
from seq2seq_cli.decoding.translation import SentenceTranslation, Translation
from seq2seq_cli.text.codec import Reading


def test_a_target_word_is_linked_to_the_source_word_with_the_most_attention() -> None:
    # Source: she | kiss ed | <eos>; target: sie | kü sste | <eos>.
    weights = np.array([[0.7, 0.1, 0.1, 0.1], [0.2, 0.1, 0.2, 0.5], [0.3, 0.3, 0.3, 0.1], [0.0, 0.0, 0.0, 1.0]])
    # "küsste": 0.5 to "she", 0.4 + 0.5 to "kissed".
    assert word_links(weights, [0, 1, 1, None], [0, 1, 1, None]) == [(0, 0), (1, 1)]


def test_the_end_of_a_sentence_is_no_word() -> None:
    weights = np.array([[0.2, 0.8], [0.5, 0.5]])
    assert word_links(weights, [0, None], [0, None]) == [(0, 0)]


def test_without_attention_there_are_no_links() -> None:
    assert word_links(np.zeros((2, 2)), [0, 1], [0, 1]) == []
    assert word_links(np.zeros((0, 0)), [], []) == []


def test_tokens_stand_in_the_words_of_the_raw_text() -> None:
    finder = WordFinder("I don't  like\tit.")
    assert finder.words(["I", "do", "n't", "like", "it", "."]) == [0, 1, 1, 2, 3, 3]


def test_case_and_spacing_of_the_raw_text_make_no_difference() -> None:
    assert WordFinder("SHE KISSED HIM .").words(["She", "kiss", "ed", "him", "."]) == [0, 1, 1, 2, 3]


def test_a_mark_that_was_added_belongs_to_the_last_word() -> None:
    assert WordFinder("she left").words(["She", "left", "."]) == [0, 1, 1]


def test_a_mark_that_was_added_is_not_looked_for_in_the_next_sentence() -> None:
    finder = WordFinder("Hello\tI see Tom.")
    assert finder.words(["Hello", "."]) == [0, 0]
    assert finder.words(["I", "see", "Tom", "."]) == [1, 2, 3, 3]


def test_quotes_of_another_form_stand_where_they_were() -> None:
    tokens = ["Tom", "'s", "dog", "saw", "Ann", "'s", "cat", "."]
    assert WordFinder("Tom’s dog saw Ann's cat.").words(tokens) == [0, 0, 1, 2, 3, 3, 4, 4]


def test_characters_that_are_no_tokens_are_passed_over() -> None:
    assert WordFinder("<b>She</b> has *left* .").words(["She", "left", "."]) == [0, 2, 3]


def test_the_search_goes_on_after_the_first_sentence() -> None:
    finder = WordFinder("He left. He came.")
    assert finder.words(["He", "left", "."]) == [0, 1, 1]
    assert finder.words(["He", "came", "."]) == [2, 3, 3]


@given(st.lists(st.text(max_size=5), max_size=8), st.text(max_size=30))
def test_every_token_has_a_word_of_the_text_or_none(tokens: list[str], text: str) -> None:
    words = WordFinder(text).words(tokens)
    assert len(words) == len(tokens)
    assert all(word is None or 0 <= word < len(text.split()) for word in words)


def calls_to_align(sentences: int) -> int:
    """The calls that the alignment of a text of so many sentences takes; more exact than a time."""
    sentence = SentenceTranslation(
        src_tokens=["Go", "on", "!"],
        tgt_tokens=["Weiter", "so", "!"],
        weights=np.eye(3),
        source="Go on!",
        text="Weiter so!",
        log_probability=-1.0,
        length=3,
        unknown=(),
        copied=(),
        forced=(),
        reading=Reading("Go on!", [], []),
        written="Weiter so!",
    )
    texts = " ".join(["Go on!"] * sentences), " ".join(["Weiter so!"] * sentences)
    translation = Translation(source=texts[0], text=texts[1], sentences=(sentence,) * sentences)
    calls = 0

    def count(_frame: object, event: str, _argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        links = translation.alignment
    finally:
        sys.setprofile(None)
    assert links == [(word, word) for word in range(2 * sentences)]
    return calls


def test_the_work_grows_with_the_length_of_a_text_and_not_with_its_square() -> None:
    assert calls_to_align(80) < 2.5 * calls_to_align(40)
