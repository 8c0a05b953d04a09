"""The words that are copied where the model writes UNK, computed by hand."""

import numpy as np
import pytest

from seq2seq_cli.decoding.alignment import copy_by_attention
from seq2seq_cli.text.characters import SPACING
from seq2seq_cli.text.codec import Word
from seq2seq_cli.text.vocabulary import UNK

KNOWN = 7


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
        # Of equal weights, the first.
        ([UNK, UNK], [[1, 1, 1, 1]] * 2, "Zoe met Ida", "Zoe Ida", {0: "Zoe", 1: "Ida"}),
    ],
)
def test_the_word_with_the_largest_weight_is_copied(
    ids: list[int], weights: list[list[float]], words: str, unknown: str, expected: dict[int, str]
) -> None:
    read = [Word(word, (UNK if word in unknown.split() else KNOWN,), parts=()) for word in words.split()]
    copied = copy_by_attention(ids, np.array(weights, dtype=float), read)
    assert {position: read[i].text for position, i in copied.items()} == expected


def test_the_parts_of_a_word_are_copied_together_and_once() -> None:
    words = [Word("Tom", (KNOWN,), ()), Word("Xylander", (KNOWN,) * 3, ()), Word(".", (KNOWN,), ())]
    weights = np.array([[0.3, 0.1, 0.5, 0.0, 0.0, 0.1], [0.2, 0.1, 0.1, 0.4, 0.1, 0.1], [0.0, 0.5, 0.0, 0.0, 0.5, 0.0]])
    assert copy_by_attention([UNK, UNK, UNK], weights, words) == {0: 1, 1: 0}
