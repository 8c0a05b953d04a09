"""The probabilities of a consulting engine are the formula's, and its searches are those of one model."""

import math
import tracemalloc
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import Float

from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.decoding.search.search import search
from seq2seq_cli.decoding.similar.engine import REACH, TEMPERATURE, ConsultingEngine
from seq2seq_cli.decoding.similar.features import MOST_STEPS
from seq2seq_cli.decoding.similar.pairs import SimilarPairs
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD
from tests.unit.decoding.search.tables import A, B, C, TableEngine, options, random_engine

seeds = st.integers(0, 2**32 - 1)
Pair = tuple[list[int], list[int]]

OTHERS: list[Pair] = [([99], [])] * 4
"""Without them, a word of all sources would say nothing."""


def similar_pairs(*pairs: Pair) -> SimilarPairs:
    src, tgt = zip(*pairs, *OTHERS, strict=True)
    return SimilarPairs.of(Ragged.of(src), Ragged.of(tgt))


def consulting(
    engine: TableEngine, *pairs: Pair, weight: float = 0.6, same: Mapping[int, int] = {}
) -> ConsultingEngine:
    return ConsultingEngine(engine, similar_pairs(*pairs), most=9, weight=weight, same=same)


def everything(engine: TableEngine, rows: int) -> np.ndarray:
    return np.tile(np.arange(engine.vocabulary_size), (rows, 1))


def by_the_formula(
    engine: TableEngine, source: list[int], token: int, pairs: list[Pair], weight: float
) -> Float[np.ndarray, " V"]:
    """p(y) of all tokens after a token, with one loop per sum."""
    steps = [
        (features, written)
        for src, tgt in pairs
        for features, written in zip(engine.tables[src[0], [BOS, *tgt]].astype(np.float32), [*tgt, EOS], strict=True)
    ]
    query = engine.tables[source[0], token].astype(np.float32)
    mean = sum(features for features, _ in steps) / len(steps)
    variance = sum(((features - mean) ** 2).sum() for features, _ in steps) / len(steps)
    distances = [((features - query) ** 2).sum() / variance for features, _ in steps]
    kernel = np.zeros(engine.vocabulary_size)
    for distance, (_, written) in zip(distances, steps, strict=True):
        kernel[written] += math.exp((min(distances) - distance) / TEMPERATURE)  # proportional, and never all 0
    of_model = np.exp(engine.tables[source[0], token])
    best = np.delete(of_model, [PAD, BOS]).max()
    share = weight * math.sqrt(1 - best) * math.exp(-min(distances) / REACH)
    mixed: Float[np.ndarray, " V"] = share * kernel / kernel.sum() + (1 - share) * of_model
    return mixed


PAIRS: list[Pair] = [([0], [B, A]), ([0], [A, C, C]), ([1], [C])]


@given(seeds, st.floats(0.0, 0.99), st.sampled_from([BOS, A, B, C]))
def test_the_probabilities_are_those_of_the_formula(seed: int, weight: float, token: int) -> None:
    model = random_engine(seed, tables=3, sharpness=0.3)
    engine = consulting(model, *PAIRS, weight=weight)
    sources = [[0, B], [1], [2, A]]
    proposals, _ = engine.step(np.full(3, token), engine.start(sources), k=2, asked=everything(model, 3))
    found = np.exp(proposals.asked)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-6)
    np.testing.assert_allclose(found[0], by_the_formula(model, [0], token, PAIRS[:2], weight), atol=1e-5)
    np.testing.assert_allclose(found[1], by_the_formula(model, [1], token, PAIRS[2:], weight), atol=1e-5)
    np.testing.assert_allclose(found[2], np.exp(model.tables[2, token]), atol=1e-6)  # nothing is similar


@given(seeds, st.integers(1, 5))
def test_the_best_tokens_are_proposed_best_first(seed: int, k: int) -> None:
    model = random_engine(seed, tables=3, sharpness=2.0)
    engine = consulting(model, *PAIRS)
    state = engine.start([[0, B], [1], [2, A]]).select(np.array([2, 0, 0, 1]))
    tokens = np.array([BOS, A, B, C])
    proposals, _ = engine.step(tokens, state, k=k, asked=everything(model, 4))
    allowed = proposals.asked.copy()
    allowed[:, [PAD, BOS]] = -np.inf
    np.testing.assert_array_equal(proposals.log_probabilities, -np.sort(-allowed, axis=1)[:, :k])
    np.testing.assert_array_equal(np.take_along_axis(allowed, proposals.tokens, axis=1), proposals.log_probabilities)
    assert all(len(set(row)) == k for row in proposals.tokens.tolist())


@given(seeds)
def test_without_weight_or_without_pairs_the_model_decides_alone(seed: int) -> None:
    model = random_engine(seed, tables=2)
    expected, _ = model.step(np.array([BOS, A]), model.start([[0], [1]]), k=3, asked=everything(model, 2))
    for engine in (consulting(model, *PAIRS, weight=0.0), consulting(model)):
        found, _ = engine.step(np.array([BOS, A]), engine.start([[0], [1]]), k=3, asked=everything(model, 2))
        assert found.tokens.tolist() == expected.tokens.tolist()
        np.testing.assert_allclose(found.asked, expected.asked, atol=1e-6)


@given(seeds)
def test_what_is_copied_is_left_to_the_model(seed: int) -> None:
    model = random_engine(seed, tables=2)
    engine = consulting(model, *PAIRS, same={B: A, C: C})
    best, _ = model.step(np.array([C]), model.start([[0]]), k=1, asked=everything(model, 1))
    found, _ = engine.step(np.full(2, C), engine.start([[0, B], [0]]), k=1, asked=everything(model, 2))
    alone = model.tables[0, C]
    with_pairs = np.log(by_the_formula(model, [0], C, PAIRS[:2], 0.6))
    np.testing.assert_allclose(found.asked[0], alone if best.tokens[0, 0] == A else with_pairs, atol=1e-4)
    np.testing.assert_allclose(found.asked[1], with_pairs, atol=1e-4)


@given(seeds, st.floats(0.1, 0.9))
def test_corrections_count_however_sure_the_model_is(seed: int, weight: float) -> None:
    model = random_engine(seed, tables=2, sharpness=3.0)
    engine = ConsultingEngine(model, similar_pairs(([0], [A])), most=9, weight=weight, same=None)
    proposals, _ = engine.step(np.array([BOS]), engine.start([[0]]), k=1, asked=everything(model, 1))
    alone = np.exp(model.tables[0, BOS])
    assert np.exp(proposals.asked[0, A]) == pytest.approx(weight + (1 - weight) * alone[A], abs=1e-4)  # the same state


def test_marks_do_not_count_in_what_is_similar() -> None:
    model = random_engine(7, tables=3)
    pairs = similar_pairs(([0, B], [A]), ([1, C], [B]))
    engine = ConsultingEngine(model, pairs, most=9, weight=0.6, same={}, marks=frozenset([C]))
    with_mark, without, mark = engine.start([[0, B, C], [0, B], [C]]).neighbours
    assert with_mark is not None
    assert without is not None
    np.testing.assert_array_equal(with_mark.features, without.features)
    assert mark is None


def test_log_probabilities_are_no_larger_than_0_and_of_the_models_precision() -> None:
    certain = TableEngine(np.full((1, 7, 7), 1e-30))
    certain.tables[:, :, A] = 0
    certain.tables[:, BOS, C] = -9  # so that the neighbours are as certain after BOS
    certain.tables = certain.tables.astype(np.float32)
    for weight in np.linspace(0.05, 0.95, 30):
        engine = consulting(certain, ([0], [A]), weight=float(weight))
        proposals, _ = engine.step(np.array([BOS]), engine.start([[0]]), k=1, asked=np.array([[A]]))
        assert proposals.asked.dtype == proposals.log_probabilities.dtype == np.float32
        assert proposals.asked.max() <= 0
        assert proposals.log_probabilities.max() <= 0


@settings(max_examples=30)
@given(seeds)
def test_the_translation_of_a_source_does_not_depend_on_the_others(seed: int) -> None:
    engine = consulting(random_engine(seed, tables=3, sharpness=2.0), *PAIRS)
    sources = [[0, B], [1], [2, A], [0]]
    together = search(engine, sources, options(beam_size=3, longest=5))
    for source, [ours, *_] in zip(sources, together, strict=True):
        [[alone, *_]] = search(engine, [source], options(beam_size=3, longest=5))
        assert ours.ids == alone.ids
        assert ours.log_probability == pytest.approx(alone.log_probability, abs=1e-5)


def test_pairs_with_too_many_steps_are_not_consulted() -> None:
    model = random_engine(3)
    short, long = ([0], [A, B]), ([0], [C] * MOST_STEPS)
    [with_long], [without] = (
        [engine.step(np.array([BOS]), engine.start([[0]]), k=2, asked=everything(model, 1))[0].asked]
        for engine in (consulting(model, long, short, long), consulting(model, short))
    )
    np.testing.assert_array_equal(with_long, without)


def test_a_pair_of_one_step_has_no_variance() -> None:
    model = random_engine(4)
    engine = consulting(model, ([0], []))
    proposals, _ = engine.step(np.array([BOS]), engine.start([[0]]), k=1, asked=everything(model, 1))
    assert np.exp(proposals.asked).sum() == pytest.approx(1.0)
    assert proposals.asked[0, EOS] > model.tables[0, BOS, EOS]


def test_the_features_of_pairs_are_not_in_memory_twice() -> None:
    model = random_engine(5, words=500)
    sources = [[0, 100 + number] for number in range(32)]
    pairs = similar_pairs(*((source, [B] * 9) for source in sources for _ in range(8)))
    pairs.find(sources[0], 1)  # it keeps the most common words
    engine = ConsultingEngine(model, pairs, most=8, weight=0.6, same={})
    tracemalloc.start()
    try:
        state = engine.start(sources)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1.7 * sum(each.features.nbytes for each in state.neighbours if each)
