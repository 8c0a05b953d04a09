"""What the attention weights say about words: computed by hand, and for every text."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from seq2seq_cli.decoding.alignment import WordFinder, copy_by_attention, copy_in_order, word_links
from seq2seq_cli.text.codec import Word
from seq2seq_cli.text.normalise import SPACING
from seq2seq_cli.text.vocabulary import UNK

KNOWN = 7


@pytest.mark.parametrize(
    ("weights", "src_words", "tgt_words", "links"),
    [
        # Source: she | kiss ed | <eos>; target: sie | kü sste | <eos>. "küsste": 0.5 to "she", 0.4 + 0.5 to "kissed".
        (
            [[0.7, 0.1, 0.1, 0.1], [0.2, 0.1, 0.2, 0.5], [0.3, 0.3, 0.3, 0.1], [0.0, 0.0, 0.0, 1.0]],
            [0, 1, 1, None],
            [0, 1, 1, None],
            [(0, 0), (1, 1)],
        ),
        ([[0.2, 0.8], [0.5, 0.5]], [0, None], [0, None], [(0, 0)]),
        ([[0, 0], [0, 0]], [0, 1], [0, 1], []),
        (np.zeros((0, 0)), [], [], []),
    ],
)
def test_a_target_word_is_linked_to_the_source_word_with_the_most_attention(
    weights: Any, src_words: list[int | None], tgt_words: list[int | None], links: list[tuple[int, int]]
) -> None:
    assert word_links(np.array(weights, dtype=float), src_words, tgt_words) == links


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("I don't  like\tit.", [{"I": 0, "do": 1, "n't": 1, "like": 2, "it": 3, ".": 3}]),
        ("SHE KISSED HIM .", [{"She": 0, "kiss": 1, "ed": 1, "him": 2, ".": 3}]),
        ("Hello\tI see Tom.", [{"Hello": 0, ".": 0}, {"I": 1, "see": 2, "Tom": 3, ".": 3}]),
        ("Tom’s dog saw Ann's cat.", [{"Tom": 0, "'s": 0, "dog": 1, "saw": 2, "Ann": 3}, {"'s": 3, "cat": 4}]),
        ("<b>She</b> has *left* .", [{"She": 0, "left": 2, ".": 3}]),
        ("He left. He came.", [{"He": 0, "left": 1, ".": 1}, {"He": 2, "came": 3, ".": 3}]),
    ],
)
def test_tokens_stand_in_the_words_of_the_raw_text(text: str, sentences: list[dict[str, int]]) -> None:
    finder = WordFinder(text)
    for words in sentences:
        assert finder.words(list(words)) == list(words.values())


def test_a_token_is_looked_for_nearby_so_that_the_work_grows_with_the_length_of_a_text_and_not_its_square() -> None:
    assert WordFinder(f"x {'a' * 1000} z").words(["x", "z"]) == [0, 2]
    assert WordFinder(f"x {'a' * 3000} z").words(["x", "z"]) == [0, 0]


def copied(ids: Sequence[int], weights: Any, words: Sequence[str], unknown: Sequence[str] = ()) -> dict[int, str]:
    """The copies when each word has one id."""
    read = [Word(word, (UNK if word in unknown else KNOWN,), parts=()) for word in words]
    table = np.array(weights, dtype=float) if ids else np.zeros((0, len(words) + 1))
    return {position: words[i] for position, i in copy_by_attention(ids, table, read).items()}


@pytest.mark.parametrize(
    ("ids", "weights", "words", "unknown", "expected"),
    [
        ([KNOWN, UNK], [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]], "Tom Xylander", "", {1: "Xylander"}),
        # Unknown words have priority, where there are enough of them, and where they have weight.
        ([UNK], [[0.2, 0.7, 0.1]], "Zoe met Ida", "Zoe Ida", {0: "Zoe"}),
        ([UNK, UNK], [[0.2, 0.7, 0.1], [0.3, 0.6, 0.1]], "Zoe met Ida", "Zoe Ida", {0: "Zoe", 1: "Ida"}),
        ([UNK], [[0.0, 0.9, 0.1]], "Zoe met Ida", "Zoe", {0: "met"}),
        ([UNK, UNK], [[0.2, 0.7, 0.1], [0.6, 0.3, 0.1]], "Zoe met Ida", "Zoe", {0: "met", 1: "Zoe"}),
        # Neither <eos> nor known punctuation.
        ([UNK], [[0.1, 0.2, 0.7]], "Tom Maria", "", {0: "Maria"}),
        *(([UNK], [[0.1, 0.8, 0.1]], f"Tom {mark}", "", {0: "Tom"}) for mark in (".", "...", "„", "。", "~", SPACING)),
        ([UNK], [[0.3, 0.6, 0.1]], "Tom …", "…", {0: "…"}),
        ([UNK], [[0.3, 0.6, 0.1]], f"Tom {SPACING}", SPACING, {0: "Tom"}),
        # No word twice, and none of weight 0.
        ([UNK] * 3, [[0.6, 0.3, 0.1]] * 3, "Tom Tom", "", {0: "Tom", 1: "Tom"}),
        ([UNK], [[0.0, 0.0, 1.0]], "Tom Maria", "", {}),
    ],
)
def test_the_word_with_the_largest_weight_is_copied(
    ids: list[int], weights: list[list[float]], words: str, unknown: str, expected: dict[int, str]
) -> None:
    assert copied(ids, weights, words.split(), unknown.split()) == expected


def test_the_parts_of_a_word_are_copied_together_and_once() -> None:
    words = [Word("Tom", (KNOWN,), ()), Word("Xylander", (KNOWN,) * 3, ()), Word(".", (KNOWN,), ())]
    weights = np.array([[0.3, 0.1, 0.5, 0.0, 0.0, 0.1], [0.2, 0.1, 0.1, 0.4, 0.1, 0.1], [0.0, 0.5, 0.0, 0.0, 0.5, 0.0]])
    assert copy_by_attention([UNK, UNK, UNK], weights, words) == {0: 1, 1: 0}


def test_without_attention_the_unknown_words_are_copied_in_their_order() -> None:
    words = [Word("Zoë", (UNK,), ()), Word("—", (UNK,), ()), Word("met", (KNOWN,), ()), Word("Xaver", (UNK,), ())]
    assert copy_in_order([KNOWN, UNK, KNOWN, UNK], words) == {1: 0, 3: 3}
    assert copy_in_order([UNK, UNK, UNK], words) == {0: 0, 1: 3}
    assert copy_in_order([KNOWN], words) == copy_in_order([UNK], []) == {}
