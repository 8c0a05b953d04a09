from collections.abc import Sequence

import pytest

from seq2seq_cli.corpus.splits import TEST, TRAIN, VALID, sentence_key
from tests.corpora import splits_of


def splits(pairs: Sequence[tuple[str, str]], *, valid: int = 1000, test: int = 1000) -> list[int]:
    return splits_of(pairs, valid_sources=valid, test_sources=test)


def unlike(count: int) -> list[tuple[str, str]]:
    return [(f"source {number}", f"target {number}") for number in range(count)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Hello, world!", "hello World"),
        ("STRASSE", "Straße"),
        ("It's 5 €.", "its 5"),
        ("¿Qué?", "qué"),
        ("他来了。", "他来了"),
    ],
)
def test_case_punctuation_symbols_and_space_do_not_change_a_key(one: str, other: str) -> None:
    assert sentence_key(one) == sentence_key(other)


@pytest.mark.parametrize(
    ("one", "other"), [("कि", "के"), ("की", "क"), ("schon", "schön"), ("x²", "x"), ("!", "?"), ("12", "1")]
)
def test_letters_digits_and_marks_of_any_script_change_a_key(one: str, other: str) -> None:
    assert sentence_key(one) != sentence_key(other)


def test_pairs_linked_through_others_stay_together() -> None:
    # A chain: each pair shares a sentence with the next one, on alternating sides.
    links = [[(f"a{n}", f"x{n}"), (f"A{n}!", f"y{n}"), (f"b{n}", f"Y{n}."), (f"b {n}", f"z{n}")] for n in range(200)]
    found = splits([pair for chain in links for pair in chain])

    assert {TRAIN, VALID, TEST} == set(found)
    for start in range(0, len(found), 4):
        assert len(set(found[start : start + 4])) == 1


def test_held_out_splits_are_filled_exactly_and_skip_groups_that_are_too_large() -> None:
    large = [(f"one of a large group {number}", "the same") for number in range(400)]
    found = splits(unlike(4000) + large, valid=100, test=50)

    assert found.count(VALID) == 100
    assert found.count(TEST) == 50
    assert set(found[4000:]) == {TRAIN}


def test_sources_are_counted_and_not_pairs() -> None:
    pairs = [(f"source {number}", f"target {number} {variant}") for number in range(1000) for variant in range(3)]
    found = splits(pairs, valid=30, test=30)
    assert found.count(VALID) == found.count(TEST) == 90


def test_at_most_a_tenth_of_the_sources_is_held_out() -> None:
    found = splits(unlike(1000))
    assert 50 < found.count(VALID) <= 100
    assert 50 < found.count(TEST) <= 100


@pytest.mark.parametrize("count", [3, 4, 9, 12])
def test_each_split_of_a_small_file_has_something(count: int) -> None:
    found = splits(unlike(count))
    assert set(found) == {TRAIN, VALID, TEST}
    assert found.count(TRAIN) > count / 4


@pytest.mark.parametrize("count", [1, 2])
def test_fewer_than_three_groups_are_all_for_training(count: int) -> None:
    assert splits(unlike(count)) == [TRAIN] * count


def test_a_split_that_is_not_wanted_is_empty() -> None:
    assert set(splits(unlike(500), valid=0)) == {TRAIN, TEST}
    assert set(splits(unlike(500), test=0)) == {TRAIN, VALID}
    assert set(splits(unlike(500), valid=0, test=0)) == {TRAIN}


def test_the_largest_group_of_a_tiny_file_is_for_training() -> None:
    found = splits([(f"large {number}", "the same") for number in range(50)] + unlike(2))
    assert set(found[:50]) == {TRAIN}
    assert set(found[50:]) == {VALID, TEST}


def test_a_split_never_takes_all_the_small_groups_of_a_tiny_file() -> None:
    # Among so many names are some whose hashes would put both small groups into one split.
    for name in range(500):
        small = [(f"{name} source {number}", f"{name} target {number}") for number in range(2)]
        found = splits([(f"large {number}", "the same") for number in range(20)] + small)
        assert set(found[:20]) == {TRAIN}
        assert set(found[20:]) == {VALID, TEST}


@pytest.mark.parametrize(("wanted", "held_out"), [(1000, {VALID: 90, TEST: 100}), (95, {VALID: 90}), (10, {})])
def test_no_group_makes_a_held_out_split_larger_than_it_may_be(wanted: int, held_out: dict[int, int]) -> None:
    # Their positions are those of training, whatever their sizes.
    sizes = {"a": 810, "b": 100, "i": 90}
    pairs = [(f"{group} source {number}", f"{group} target") for group, size in sizes.items() for number in range(size)]
    found = splits(pairs, valid=wanted, test=wanted)
    assert {split: found.count(split) for split in (VALID, TEST) if split in found} == held_out


def test_a_large_group_is_held_out_no_more_often_than_a_small_one() -> None:
    # The position of a group alone decides here, and positions are uniform: 16 of 100 are held out.
    large = [(f"{group} source {n}", f"{group} target") for group in range(300) for n in range(20)]
    found = splits(large + unlike(60_000), valid=6000, test=6000)
    held_out = sum(found[start] != TRAIN for start in range(0, len(large), 20))
    assert 300 * 0.16 * 0.5 < held_out < 300 * 0.16 * 1.5


def test_a_chain_of_many_pairs_is_one_group() -> None:
    chain = [(f"s{(n + 1) // 2}", f"t{n // 2}") for n in range(2000)]
    found = splits([*chain, *unlike(10)])
    assert set(found[:2000]) == {TRAIN}
