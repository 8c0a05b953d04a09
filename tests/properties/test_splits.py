from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.corpus.splits import TEST, TRAIN, VALID, assign_splits, sentence_key

Pair = tuple[str, str]

# Few letters, so that sentences are shared, with case and punctuation to see past.
sentence = st.text("abcAB.! ", min_size=1, max_size=5)
pair_lists = st.lists(st.tuples(sentence, sentence), min_size=1, max_size=80, unique=True)
wanted = st.integers(0, 20)


def splits(pairs: list[Pair], valid: int, test: int) -> dict[Pair, int]:
    src, tgt = zip(*pairs, strict=True)
    found = assign_splits(src, tgt, valid_sources=valid, test_sources=test).tolist()
    return dict(zip(pairs, found, strict=True))


def unlike(name: str, count: int) -> list[Pair]:
    return [(f"{name} source {number}", f"{name} target {number}") for number in range(count)]


@given(pair_lists, wanted, wanted)
def test_no_sentence_of_either_side_is_in_two_splits(pairs: list[Pair], valid: int, test: int) -> None:
    split_of: dict[tuple[int, str], int] = {}
    for pair, split in splits(pairs, valid, test).items():
        for side, text in enumerate(pair):
            assert split_of.setdefault((side, sentence_key(text)), split) == split


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
