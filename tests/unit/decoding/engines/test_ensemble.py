"""An ensemble translates as one model with the mean of the probabilities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seq2seq_cli.decoding.engines.ensemble import Ensemble
from seq2seq_cli.decoding.search.search import search
from seq2seq_cli.text.vocabulary import BOS
from tests.unit.decoding.search.tables import A, B, TableEngine, options, random_engine, table

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 6))
def test_a_step_offers_the_best_tokens_by_the_mean_of_the_probabilities(seed: int, k: int) -> None:
    members = [random_engine(seed, words=4), random_engine(seed + 1, words=4, sharpness=5.0)]
    ensemble = Ensemble(members)
    asked = np.array([[A, BOS], [B, B]])
    state = ensemble.start([[0], [0, A]]).select(np.array([1, 0]))
    proposals, _ = ensemble.step(np.array([BOS, A]), state, k=k, asked=asked)
    mean = TableEngine(np.mean([np.exp(member.tables) for member in members], axis=0))
    expected, _ = mean.step(np.array([BOS, A]), mean.start([[0, A], [0]]), k=k, asked=asked)
    assert proposals.tokens.tolist() == expected.tokens.tolist()
    np.testing.assert_allclose(proposals.log_probabilities, expected.log_probabilities, atol=1e-12)
    np.testing.assert_allclose(proposals.asked, expected.asked, atol=1e-12)
    np.testing.assert_allclose(proposals.weights, expected.weights, atol=1e-12)
    for wanted in (asked, None):
        alone, _ = ensemble.step(np.array([BOS, A]), state, k=0, asked=wanted)
        of_mean, _ = mean.step(np.array([BOS, A]), mean.start([[0, A], [0]]), k=0, asked=wanted)
        assert alone.tokens.shape == (2, 0)
        np.testing.assert_allclose(alone.asked, of_mean.asked, atol=1e-12)


def test_log_probabilities_are_no_larger_than_0_and_of_the_members_precision() -> None:
    certain = TableEngine(table(bos={A: 1.0})[np.newaxis])
    certain.tables = certain.tables.astype(np.float32)
    for count in (3, 38):  # whose logarithms are rounded down and up
        ensemble = Ensemble([certain] * count)
        proposals, _ = ensemble.step(np.array([BOS]), ensemble.start([[0]]), k=1, asked=np.array([[A]]))
        assert proposals.asked.dtype == proposals.log_probabilities.dtype == np.float32
        assert -1e-6 < proposals.asked.max() <= 0
        assert -1e-6 < proposals.log_probabilities.max() <= 0


@settings(max_examples=20)
@given(seeds)
def test_a_search_with_an_ensemble_of_equals_is_that_of_one(seed: int) -> None:
    engine = random_engine(seed, tables=2, words=5)
    chosen = options(longest=6, n_best=3)
    found = search(Ensemble([engine, engine, engine]), [[0], [1, A]], chosen)
    expected = search(engine, [[0], [1, A]], chosen)
    for ours, theirs in zip(found, expected, strict=True):
        # Two hypotheses of the same steps in another order have equal scores, and either may come first.
        assert [h.score for h in ours] == pytest.approx([h.score for h in theirs])


def test_it_is_what_all_its_members_can_be() -> None:
    short, without, long = (random_engine(seed) for seed in (1, 2, 3))
    short.max_source_length, long.max_source_length, without.has_attention = 9, 12, False
    ensemble = Ensemble([long, without, short])
    assert (ensemble.max_source_length, ensemble.has_attention) == (9, True)
    assert ensemble.vocabulary_size == short.vocabulary_size
    state = ensemble.start([[0, A]])
    with_attention, _ = ensemble.step(np.array([BOS]), state, k=1, asked=np.zeros((1, 0), dtype=np.int64))
    assert with_attention.weights.sum() == pytest.approx(1.0)
