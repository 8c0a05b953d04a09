import pytest

from seq2seq_cli.corpus.splits import TEST, TRAIN, VALID, sentence_key
from tests.corpora import splits_of


def unlike(count: int) -> list[tuple[str, str]]:
    return [(f"source {number}", f"target {number}") for number in range(count)]


def test_only_letters_digits_and_marks_of_any_script_make_a_key() -> None:
    alike = (
        ("Hello, world!", "hello World"),
        ("STRASSE", "Straße"),
        ("It's 5 €.", "its 5"),
        ("¿Qué?", "qué"),
        ("İyi Işık", "iyi ışık"),
    )
    assert all(sentence_key(one) == sentence_key(other) for one, other in alike)
    unlike = ("कि", "के"), ("की", "क"), ("schon", "schön"), ("x²", "x"), ("!", "?"), ("12", "1")
    assert all(sentence_key(one) != sentence_key(other) for one, other in unlike)


def test_held_out_splits_are_filled_exactly_and_skip_groups_that_are_too_large() -> None:
    large = [(f"one of a large group {number}", "the same") for number in range(400)]
    found = splits_of(unlike(4000) + large, valid=100, test=50)

    assert found.count(VALID) == 100
    assert found.count(TEST) == 50
    assert set(found[4000:]) == {TRAIN}


def test_sources_are_counted_and_not_pairs() -> None:
    pairs = [(f"source {number}", f"target {number} {variant}") for number in range(1000) for variant in range(3)]
    found = splits_of(pairs, valid=30, test=30)
    assert found.count(VALID) == found.count(TEST) == 90


def test_at_most_a_tenth_of_the_sources_is_held_out() -> None:
    found = splits_of(unlike(1000))
    assert 50 < found.count(VALID) <= 100
    assert 50 < found.count(TEST) <= 100


@pytest.mark.parametrize("count", [3, 4, 9, 12])
def test_each_split_of_a_small_file_has_something(count: int) -> None:
    found = splits_of(unlike(count))
    assert set(found) == {TRAIN, VALID, TEST}
    assert found.count(TRAIN) > count / 4


def test_a_split_never_takes_all_the_small_groups_of_a_tiny_file() -> None:
    # Among so many names are some whose hashes would put both small groups into one split.
    for name in range(500):
        small = [(f"{name} source {number}", f"{name} target {number}") for number in range(2)]
        found = splits_of([(f"large {number}", "the same") for number in range(20)] + small)
        assert set(found[:20]) == {TRAIN}
        assert set(found[20:]) == {VALID, TEST}


@pytest.mark.parametrize(("wanted", "held_out"), [(1000, {VALID: 90, TEST: 100}), (95, {VALID: 90}), (10, {})])
def test_no_group_makes_a_held_out_split_larger_than_it_may_be(wanted: int, held_out: dict[int, int]) -> None:
    # Their positions are those of training, whatever their sizes.
    sizes = {"a": 810, "b": 100, "i": 90}
    pairs = [(f"{group} source {number}", f"{group} target") for group, size in sizes.items() for number in range(size)]
    found = splits_of(pairs, valid=wanted, test=wanted)
    assert {split: found.count(split) for split in (VALID, TEST) if split in found} == held_out


def test_a_large_group_is_held_out_no_more_often_than_a_small_one() -> None:
    # The position of a group alone decides here, and positions are uniform: 16 of 100 are held out.
    large = [(f"{group} source {n}", f"{group} target") for group in range(300) for n in range(20)]
    found = splits_of(large + unlike(60_000), valid=6000, test=6000)
    held_out = sum(found[start] != TRAIN for start in range(0, len(large), 20))
    assert 300 * 0.16 * 0.5 < held_out < 300 * 0.16 * 1.5
