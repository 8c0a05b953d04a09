"""The pairs with the most similar sources are found, and a damaged folder of pairs is refused."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.decoding.similar.pairs import NEARNESS, SimilarPairs
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.runs.layout import PAIR_FILES, PAIRS

Sentences = list[list[int]]

sentences = st.lists(st.integers(4, 9), min_size=1, max_size=6)
corpora = st.lists(sentences, min_size=1, max_size=12)


def pairs_of(sources: Sentences) -> SimilarPairs:
    return SimilarPairs.of(Ragged.of(sources), Ragged.of(sources))


def ngrams(sentence: Sequence[int]) -> set[tuple[int, ...]]:
    return {(token,) for token in sentence} | set(pairwise(sentence))


def cosines(sources: Sentences, query: Sequence[int]) -> list[float]:
    """The cosines of the vectors of n-grams, each with its inverse document frequency."""
    counts = Counter(gram for source in sources for gram in ngrams(source))
    weights = {gram: math.log((len(sources) + 1) / (count + 1)) for gram, count in counts.items()}

    def dot(a: set[tuple[int, ...]], b: set[tuple[int, ...]]) -> float:
        return sum(weights.get(gram, 0.0) ** 2 for gram in a & b)

    found = [(ngrams(source), ngrams(query)) for source in sources]
    return [dot(a, b) / math.sqrt(dot(a, a) * dot(b, b)) if dot(a, b) else 0.0 for a, b in found]


@given(corpora, sentences, st.integers(1, 14))
def test_the_pairs_with_the_largest_cosines_are_found_best_first(
    sources: Sentences, query: list[int], most: int
) -> None:
    found = pairs_of(sources).find(query, most).tolist()
    expected = cosines(sources, query)
    best = sorted((cosine for cosine in expected if cosine > 1e-9), reverse=True)[:most]
    assert [expected[number] for number in found] == pytest.approx(best[: len(found)], abs=1e-5)
    assert len(set(found)) == len(found)
    # None is left out that is near, but where it depends on rounding.
    assert all(cosine < NEARNESS * best[0] + 1e-5 for cosine in best[len(found) :])
    assert all(expected[number] > NEARNESS * best[0] - 1e-5 for number in found)


def test_of_pairs_that_are_equally_similar_the_first_are_found() -> None:
    pairs = pairs_of([[5, 6], [7], *[[5]] * 40, [8]])
    assert pairs.find([5], 6).tolist() == [2, 3, 4, 5, 6, 7]


def test_nothing_is_similar_by_words_that_no_source_has_or_all_have() -> None:
    assert pairs_of([[4, 5], [6]]).find([7, 8], 5).tolist() == []
    assert pairs_of([[4, 5], [4, 6]]).find([4, 7], 5).tolist() == []


def save(pairs: SimilarPairs, run: Path) -> None:
    (run / PAIRS).mkdir(exist_ok=True)
    for name, array in pairs.arrays().items():
        np.save(run / PAIR_FILES[name], array)


@given(corpora, sentences)
def test_pairs_read_from_a_folder_are_those_that_were_saved(
    tmp_path_factory: pytest.TempPathFactory, sources: Sentences, query: list[int]
) -> None:
    run = tmp_path_factory.mktemp("run")
    pairs = pairs_of(sources)
    save(pairs, run)
    read = SimilarPairs.open(run, src_size=10, tgt_size=10)
    assert read.find(query, 3).tolist() == pairs.find(query, 3).tolist()
    assert [read.pair(number) for number in range(len(sources))] == [(source, source) for source in sources]


@pytest.mark.parametrize(
    ("name", "damaged"),
    [
        ("src", np.array([4, 5, 10], dtype=np.uint16)),
        ("src", np.array([4, 5, 6], dtype=np.int64)),
        ("src", np.array([[4, 5, 6]], dtype=np.uint16)),
        ("tgt.offsets", np.array([0, 2, 1, 3])),
        ("index", np.full(5, 2, dtype=np.uint32)),
        ("index.offsets", np.array([0, 5])),
        ("norms", np.ones(2)),
        ("norms", np.array([1, np.nan], dtype=np.float32)),
        *(("index", content) for content in (b"", b"no array", b"PK\x03\x04 no", b"\x93NUMPY\x01\x00\x03\x00{{{")),
    ],
)
def test_arrays_that_do_not_fit_and_files_that_are_none_are_refused(
    tmp_path: Path, name: str, damaged: np.ndarray | bytes
) -> None:
    save(pairs_of([[4, 5], [6]]), tmp_path)
    file = tmp_path / PAIR_FILES[name]
    file.write_bytes(damaged) if isinstance(damaged, bytes) else np.save(file, damaged)
    with pytest.raises(ModelFileError, match="pairs: missing or damaged"):
        SimilarPairs.open(tmp_path, src_size=10, tgt_size=10)


def test_with_others_the_words_of_a_single_pair_count_and_a_source_that_is_not_like_it_finds_nothing() -> None:
    """2 of 2 words and 1 of 1 pair of words; 1 of 3 and 0 of 2, whose similarity is about 1 / sqrt(3 x 5)."""
    sources = Ragged.of([[5, 6]])
    assert SimilarPairs.of(sources, sources).find([5, 6], 1).tolist() == []
    for least, expected in ((0.2, [0]), (0.3, [])):
        pairs = SimilarPairs.of(sources, sources, others=1_000_000, least=least)
        assert pairs.find([5, 6], 1).tolist() == [0]
        assert pairs.find([5, 8, 9], 1).tolist() == expected
