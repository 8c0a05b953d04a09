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


@given(seeds)
def test_the_probabilities_are_the_means_of_the_members(seed: int) -> None:
    members = [random_engine(seed, words=4), random_engine(seed + 1, words=4, sharpness=5.0)]
    ensemble = Ensemble(members)
    state = ensemble.start([[0], [0, A]]).select(np.array([1, 0]))
    mean = TableEngine(np.mean([np.exp(member.tables) for member in members], axis=0))
    for with_probabilities in (True, False):
        found, _ = ensemble.step(np.array([BOS, A]), state, with_probabilities=with_probabilities)
        of_mean = mean.step(np.array([BOS, A]), mean.start([[0, A], [0]]), with_probabilities=with_probabilities)[0]
        np.testing.assert_allclose(found.log_probabilities, of_mean.log_probabilities, atol=1e-12)
        np.testing.assert_allclose(found.weights, of_mean.weights, atol=1e-12)


def test_log_probabilities_are_no_larger_than_0_and_of_the_members_precision() -> None:
    certain = TableEngine(table(bos={A: 1.0})[np.newaxis])
    certain.tables = certain.tables.astype(np.float32).clip(-500)
    for count in (3, 38):
        ensemble = Ensemble([certain] * count)
        [found] = ensemble.step(np.array([BOS]), ensemble.start([[0]]))[0].log_probabilities
        assert found.dtype == np.float32
        assert -1e-6 < found.max() <= 0
        assert found[B] == pytest.approx(-500)


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
    with_attention, _ = ensemble.step(np.array([BOS]), state)
    assert with_attention.weights.sum() == pytest.approx(1.0)
