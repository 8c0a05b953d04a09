import pytest

from seq2seq_cli.text.vocabulary import SPECIAL_UNITS, UNK, Vocabulary, vocabulary_size


def test_words_are_ordered_by_count_then_by_code_point() -> None:
    vocabulary = Vocabulary.fit({"b": 2, "a": 2, "c": 5, "d": 1}, min_count=2)

    assert [vocabulary.unit(id_) for id_ in range(len(vocabulary))] == [*SPECIAL_UNITS, "c", "a", "b"]
    assert [vocabulary.id(word) for word in "cab"] == [4, 5, 6]
    assert vocabulary.id("d") == UNK


def test_text_that_spells_a_special_unit_is_an_unknown_word() -> None:
    vocabulary = Vocabulary.fit({"<eos>": 9, "<pad>": 9, "a": 1})

    assert vocabulary.words == ("a",)
    assert vocabulary.id("<eos>") == vocabulary.id("<pad>") == UNK


def test_words_that_would_share_an_id_and_ids_without_a_word_are_refused() -> None:
    for words in (("a", "a"), ("<bos>",), ("",)):
        with pytest.raises(ValueError, match="differ"):
            Vocabulary(words)
    for id_ in (-1, 5):
        with pytest.raises(IndexError):
            Vocabulary(("a",)).unit(id_)


def test_more_text_has_more_subwords_within_bounds() -> None:
    sizes = [vocabulary_size("bpe", tokens, 200) for tokens in (0, 50_000, 300_000, 3_000_000, 10**9)]
    assert sizes == [1_000, 1_800, 4_400, 12_000, 12_000]
    assert {vocabulary_size("word", tokens, 200) for tokens in (0, 10**9)} == {10_000}


def test_a_text_of_many_characters_has_subwords_beside_them() -> None:
    assert vocabulary_size("bpe", 0, 3_000) == 3_500
    assert vocabulary_size("bpe", 10**9, 3_000) == 12_000
