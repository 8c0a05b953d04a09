"""The source word that is written for an unknown target word."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.decoding.alignment import copy_by_attention, copy_in_order
from seq2seq_cli.text.codec import Word
from seq2seq_cli.text.normalise import SPACING, is_punctuation
from seq2seq_cli.text.vocabulary import UNK

KNOWN = 7


def copied(
    ids: Sequence[int], weights: np.ndarray, words: Sequence[str], *, unknown: Sequence[str] = ()
) -> dict[int, str]:
    """The copies when each word has one id."""
    copies = copy_by_attention(ids, weights, [read(word, UNK if word in unknown else KNOWN) for word in words])
    return {position: words[i] for position, i in copies.items()}


def read(text: str, *ids: int) -> Word:
    """A word of the source; its parts do not matter here."""
    return Word(text, ids, parts=())


def test_the_word_with_the_largest_weight_is_copied() -> None:
    weights = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]])
    assert copied([KNOWN, UNK], weights, ["Tom", "Xylander"]) == {1: "Xylander"}


def test_unknown_words_have_priority() -> None:
    weights = np.array([[0.2, 0.7, 0.1], [0.3, 0.6, 0.1]])
    words = ["Zoe", "met", "Ida"]
    assert copied([UNK], weights[:1], words, unknown=["Zoe", "Ida"]) == {0: "Zoe"}
    assert copied([UNK, UNK], weights, words, unknown=["Zoe", "Ida"]) == {0: "Zoe", 1: "Ida"}
    without = np.array([[0.0, 0.9, 0.1]])
    assert copied([UNK], without, words, unknown=["Zoe"]) == {0: "met"}


def test_the_weights_alone_decide_when_there_are_too_few_unknown_words() -> None:
    weights = np.array([[0.2, 0.7, 0.1], [0.6, 0.3, 0.1]])
    assert copied([UNK, UNK], weights, ["Zoe", "met", "Ida"], unknown=["Zoe"]) == {0: "met", 1: "Zoe"}


def test_eos_is_never_copied() -> None:
    assert copied([UNK], np.array([[0.1, 0.2, 0.7]]), ["Tom", "Maria"]) == {0: "Maria"}


@pytest.mark.parametrize("mark", [".", "?!", "...", "„", "¿", "。", "-", "~", "«", SPACING])
def test_known_punctuation_is_never_copied(mark: str) -> None:
    assert is_punctuation(mark)
    assert copied([UNK], np.array([[0.1, 0.8, 0.1]]), ["Tom", mark]) == {0: "Tom"}


def test_a_mark_that_the_vocabulary_lacks_is_copied() -> None:
    weights = np.array([[0.3, 0.6, 0.1]])
    assert copied([UNK], weights, ["Tom", "…"], unknown=["…"]) == {0: "…"}
    assert copied([UNK], weights, ["Tom", SPACING], unknown=[SPACING]) == {0: "Tom"}


@pytest.mark.parametrize("word", ["Tom", "l'", "U.S.", "42", "東京", "हिन्दी", "😀"])
def test_words_are_not_punctuation(word: str) -> None:
    assert not is_punctuation(word)


def test_the_parts_of_a_word_are_copied_together_and_once() -> None:
    words = [read("Tom", KNOWN), read("Xylander", KNOWN, KNOWN, KNOWN), read(".", KNOWN)]
    weights = np.array([[0.3, 0.1, 0.5, 0.0, 0.0, 0.1], [0.2, 0.1, 0.1, 0.4, 0.1, 0.1], [0.0, 0.5, 0.0, 0.0, 0.5, 0.0]])
    assert copy_by_attention([UNK, UNK, UNK], weights, words) == {0: 1, 1: 0}


def test_no_word_is_copied_twice() -> None:
    weights = np.array([[0.6, 0.3, 0.1], [0.6, 0.3, 0.1], [0.6, 0.3, 0.1]])
    assert copied([UNK, UNK, UNK], weights, ["Tom", "Tom"]) == {0: "Tom", 1: "Tom"}


def test_a_word_of_weight_0_is_not_copied() -> None:
    assert copied([UNK], np.array([[0.0, 0.0, 1.0]]), ["Tom", "Maria"]) == {}


def test_without_attention_the_unknown_words_are_copied_in_their_order() -> None:
    words = [read("Zoë", UNK), read("—", UNK), read("met", KNOWN, KNOWN), read("Xaver", UNK)]
    assert copy_in_order([KNOWN, UNK, KNOWN, UNK], words) == {1: 0, 3: 3}
    assert copy_in_order([UNK], words) == {0: 0}
    assert copy_in_order([UNK, UNK, UNK], words) == {0: 0, 1: 3}
    assert copy_in_order([KNOWN], words) == copy_in_order([UNK], []) == {}


@st.composite
def searches(draw: st.DrawFn) -> tuple[list[int], np.ndarray, list[str]]:
    words = draw(st.lists(st.sampled_from(["Tom", "und", "Maria", ".", ",", "?"]), max_size=6))
    ids = draw(st.lists(st.sampled_from([UNK, KNOWN, KNOWN + 1]), max_size=8))
    rows = st.lists(st.floats(0, 1), min_size=len(words) + 1, max_size=len(words) + 1)
    weights = [draw(rows) for _ in ids]
    return ids, np.array(weights).reshape(len(ids), len(words) + 1), words


@given(searches())
def test_copies_stand_for_unknown_words_and_come_from_the_source(
    search: tuple[list[int], np.ndarray, list[str]],
) -> None:
    ids, weights, words = search
    copies = copied(ids, weights, words)
    left = list(words)
    for position, word in copies.items():
        assert ids[position] == UNK
        assert not is_punctuation(word)
        left.remove(word)  # as often as it stands in the source, and no more
