"""The alignment of words: computed by hand."""

from typing import Any

import numpy as np
import pytest

from seq2seq_cli.decoding.alignment import word_links, words_of_tokens


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
        ([[1.0]], [None], [0], []),
        (np.zeros((0, 0)), [0], [0], []),
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
        ("He sa\u00adw u\u0308ber.", [{"He": 0, "saw": 1, "über": 2, ".": 2}]),
        ("He left. He came.", [{"He": 0, "left": 1, ".": 1}, {"He": 2, "came": 3, ".": 3}]),
    ],
)
def test_tokens_stand_in_the_words_of_the_raw_text(text: str, sentences: list[dict[str, int]]) -> None:
    tokens, words = zip(*(token for sentence in sentences for token in sentence.items()), strict=True)
    assert words_of_tokens(text, tokens) == [*words]


def test_a_token_is_looked_for_nearby_so_that_the_work_grows_with_the_length_of_a_text_and_not_its_square() -> None:
    assert words_of_tokens(f"x {'a' * 1000} z", ["x", "z"]) == [0, 2]
    assert words_of_tokens(f"x {'a' * 3000} z", ["x", "z"]) == [0, 0]
