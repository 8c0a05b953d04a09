import random
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest
from tokenizers import Tokenizer, models

from seq2seq_cli.text.bpe import Merge, learn_bpe, units_of
from seq2seq_cli.text.characters import CONTINUING, SPACING
from seq2seq_cli.text.vocabulary import SPECIAL_UNITS

# The dictionary of Sennrich et al. 2016, algorithm 1, with our mark of a space before a word for their end of a word.
SENNRICH = {"▁low": 5, "▁lower": 2, "▁newest": 6, "▁widest": 3}


def corpus(words: int, seed: int = 1) -> dict[str, int]:
    """Random tokens of a few syllables, some with a space before, with counts as in a text."""
    source = random.Random(seed)  # noqa: S311  # not for secrets
    syllables = ["ba", "be", "lo", "st", "en", "ung", "er", "ε", "ß", "n't", "xy"]
    tokens: dict[str, int] = {}
    while len(tokens) < words:
        tokens[source.choice([SPACING, ""]) + "".join(source.choices(syllables, k=source.randint(1, 5)))] = 0
    return {token: 1 + int(source.paretovariate(1)) for token in tokens}


def ranks_of(merges: Sequence[Merge]) -> dict[Merge, int]:
    return {merge: rank for rank, merge in enumerate(merges)}


def test_each_merge_joins_the_pair_that_is_then_the_most_frequent() -> None:
    counts = corpus(300)
    _, merges = learn_bpe(counts, min_count=3, max_size=None)
    assert len(merges) > 100
    for step in [*range(0, len(merges), 20), len(merges)]:
        so_far = ranks_of(merges[:step])
        pairs: Counter[str] = Counter()
        for token, count in counts.items():
            for left, right in pairwise(units_of(token, so_far)):
                pairs[f"{left} {right}"] += count
        most = max(pairs.values())
        assert most < 3 if step == len(merges) else pairs[merges[step]] == most >= 3


def test_learning_stops_at_the_maximum_size() -> None:
    alphabet, _ = learn_bpe(SENNRICH, min_count=100, max_size=None)
    assert sorted(alphabet) == sorted([SPACING, *"lowernstid", *(CONTINUING + c for c in "lowernstid")])

    units, merges = learn_bpe(SENNRICH, min_count=1, max_size=len(alphabet) + 3)
    assert units[: len(alphabet)] == alphabet
    assert (len(units), len(merges)) == (len(alphabet) + 3, 3)
    assert learn_bpe(SENNRICH, min_count=1, max_size=5) == (alphabet, ())


def test_the_merges_do_not_depend_on_the_order_of_the_counts_threads_or_hash_seeds() -> None:
    program = """
from tests.unit.text.test_bpe import corpus
from seq2seq_cli.text.bpe import learn_bpe
print(ascii(learn_bpe(corpus(400), min_count=1, max_size=300)))
"""
    counts = list(corpus(400).items())
    random.Random(2).shuffle(counts)  # noqa: S311  # not for secrets
    environment = {"PYTHONHASHSEED": "2", "RAYON_NUM_THREADS": "3", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == ascii(learn_bpe(dict(counts), min_count=1, max_size=300)), done.stderr


def test_a_token_is_cut_as_by_hugging_face() -> None:
    counts = corpus(600)
    units, merges = learn_bpe(counts, min_count=2, max_size=400)
    assert len(merges) > 100
    vocabulary = {unit: id_ for id_, unit in enumerate(units)}
    theirs = Tokenizer(
        models.BPE(
            vocab=vocabulary,
            merges=[(left, right) for left, right in map(str.split, merges)],
            continuing_subword_prefix=CONTINUING,
        )
    )
    ranks = ranks_of(merges)
    for token in [*counts, *corpus(600, seed=2)]:
        assert units_of(token, ranks) == theirs.encode(token).tokens


def test_the_draws_decide_which_merges_are_carried_out() -> None:
    ranks = ranks_of(["a ▏b", "▏c ▏d", "ab ▏cd"])
    assert units_of("abcd", ranks) == ["abcd"]
    assert units_of("abcd", ranks, iter([True, True, False])) == ["ab", "▏cd"]
    # The first merge is dropped and the second carried out; then the first is possible again.
    assert units_of("abcd", ranks, iter([False, True, True, True])) == ["abcd"]
    assert units_of("abcd", ranks, iter([False, True, False])) == ["a", "▏b", "▏cd"]
    assert units_of("abcd", ranks, iter([False, False])) == ["a", "▏b", "▏c", "▏d"]


@pytest.mark.parametrize("special", SPECIAL_UNITS)
def test_no_unit_spells_a_special_one(special: str) -> None:
    units, merges = learn_bpe({special: 9, special + "x": 9, SPACING + special: 9, "aa": 9}, min_count=1, max_size=None)
    assert special not in units
    assert "a ▏a" in merges


def test_digits_are_never_joined() -> None:
    # Pairs without a digit: "▁ a" 6 times, "▁a b" 4, "k m" 3. Those with one, such as "▁ 1" (9 times), are not counted.
    counts = {"▁12": 9, "▁ab": 4, "▁a1": 2, "1km": 3, "٣٤": 8, "x²": 7}
    units, merges = learn_bpe(counts, min_count=3, max_size=None)
    assert merges == ("▁ ▏a", "▁a ▏b", "▏k ▏m")
    assert [unit for unit in units if len(unit.strip(CONTINUING)) > 1] == ["▁a", "▁ab", "▏km"]
    ranks = ranks_of(merges)
    assert units_of("▁2021km", ranks) == [SPACING, "▏2", "▏0", "▏2", "▏1", "▏km"]
    assert units_of("▁ab3,50", ranks) == ["▁ab", "▏3", "▏,", "▏5", "▏0"]


def test_an_overlong_word_teaches_only_its_characters() -> None:
    units, merges = learn_bpe({"ab" * 1000: 5}, min_count=1, max_size=None)
    assert (sorted(units), merges) == (["a", "b", "▏a", "▏b"], ())


def test_nothing_is_learned_from_nothing() -> None:
    assert learn_bpe({}, min_count=1, max_size=10) == ([], ())
