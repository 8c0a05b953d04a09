"""Word links from attention weights: computed by hand, and for every text."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.decoding.alignment import word_links, words_of_tokens


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
    words, _ = words_of_tokens(["I", "do", "n't", "like", "it", "."], "I don't  like\tit.")
    assert words == [0, 1, 1, 2, 3, 3]


def test_case_and_spacing_of_the_raw_text_make_no_difference() -> None:
    assert words_of_tokens(["She", "kiss", "ed", "him", "."], "SHE KISSED HIM .")[0] == [0, 1, 1, 2, 3]


def test_a_mark_that_was_added_belongs_to_the_last_word() -> None:
    assert words_of_tokens(["She", "left", "."], "she left")[0] == [0, 1, 1]


def test_characters_that_are_no_tokens_are_passed_over() -> None:
    assert words_of_tokens(["She", "left", "."], "<b>She</b> has *left* .")[0] == [0, 2, 3]


def test_the_search_goes_on_after_the_first_sentence() -> None:
    text = "He left. He came."
    first, start = words_of_tokens(["He", "left", "."], text)
    second, _ = words_of_tokens(["He", "came", "."], text, start)
    assert (first, second) == ([0, 1, 1], [2, 3, 3])


@given(st.lists(st.text(max_size=5), max_size=8), st.text(max_size=30))
def test_every_token_has_a_word_of_the_text_or_none(tokens: list[str], text: str) -> None:
    words, _ = words_of_tokens(tokens, text)
    assert len(words) == len(tokens)
    assert all(word is None or 0 <= word < len(text.split()) for word in words)
