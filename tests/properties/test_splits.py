from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.corpus.splits import TEST, TRAIN, VALID, sentence_key
from tests.corpora import splits_of

Pair = tuple[str, str]

# Few letters, so that pairs share sentences that differ in case and punctuation.
sentence = st.text("abcAB.! ", min_size=1, max_size=5)
pair_lists = st.lists(st.tuples(sentence, sentence), min_size=1, max_size=80, unique=True)
wanted = st.integers(0, 20)


def splits(pairs: list[Pair], valid: int, test: int) -> dict[Pair, int]:
    return dict(zip(pairs, splits_of(pairs, valid=valid, test=test), strict=True))


def unlike(name: str, count: int) -> list[Pair]:
    return [(f"{name} source {number}", f"{name} target {number}") for number in range(count)]


@given(pair_lists, wanted, wanted, st.randoms(use_true_random=False))
def test_the_order_of_the_file_does_not_matter(pairs: list[Pair], valid: int, test: int, random: object) -> None:
    before = splits(pairs, valid, test)
    random.shuffle(pairs)  # type: ignore[attr-defined]
    assert splits(pairs, valid, test) == before


@given(pair_lists, wanted, wanted)
def test_training_is_never_emptied_and_unwanted_splits_stay_empty(pairs: list[Pair], valid: int, test: int) -> None:
    found = set(splits(pairs, valid, test).values())
    assert TRAIN in found
    assert valid or VALID not in found
    assert test or TEST not in found


@given(st.text("xyz", max_size=6), st.integers(100, 300), st.integers(0, 300), st.integers(1, 10))
def test_a_growing_file_moves_sentences_out_of_held_out_splits_alone(
    name: str, count: int, more: int, wanted_sources: int
) -> None:
    old = unlike(name, count)
    before = splits(old, wanted_sources, wanted_sources)
    after = splits(old + unlike(name + " new", more), wanted_sources, wanted_sources)
    for pair in old:
        assert after[pair] in {before[pair], TRAIN}


def groups_by_hand(pairs: list[Pair]) -> list[set[int]]:
    """Pairs joined one by one, with plain sets."""
    groups: list[set[int]] = []
    for pair, (src, tgt) in enumerate(pairs):
        keys = sentence_key(src), sentence_key(tgt)
        joined = {pair}
        for group in list(groups):
            if any(sentence_key(pairs[other][side]) == keys[side] for other in group for side in (0, 1)):
                joined |= group
                groups.remove(group)
        groups.append(joined)
    return groups


@given(pair_lists, wanted, wanted)
def test_groups_stay_whole_and_of_three_each_split_gets_a_small_one(pairs: list[Pair], valid: int, test: int) -> None:
    found = splits_of(pairs, valid=valid, test=test)
    groups = groups_by_hand(pairs)
    assert all(len({found[pair] for pair in group}) == 1 for group in groups)
    sizes = sorted(len({pairs[pair][0] for pair in group}) for group in groups)
    if len(groups) >= 3 and valid and test and sizes[1] == 1:
        assert set(found) == {TRAIN, VALID, TEST}


@given(pair_lists, wanted, wanted)
def test_no_held_out_split_has_more_sources_than_asked_for_or_a_tenth(pairs: list[Pair], valid: int, test: int) -> None:
    found = splits(pairs, valid, test)
    tenth = max(1, len({src for src, _ in pairs}) // 10)
    for split, most in ((VALID, valid), (TEST, test)):
        assert len({src for (src, _), of_pair in found.items() if of_pair == split}) <= min(most, tenth)
