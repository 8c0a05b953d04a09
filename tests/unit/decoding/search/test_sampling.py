"""Samples: drawn as often as they are probable, the same for the same seed and sentence."""

from collections import Counter
from math import exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seq2seq_cli.decoding.search.constrained import Constraints, Term
from seq2seq_cli.decoding.search.search import search
from seq2seq_cli.text.vocabulary import EOS
from tests.unit.decoding.search.tables import (
    A,
    B,
    C,
    TableEngine,
    options,
    random_engine,
    table,
    token_log_probabilities,
)

DRAWS = 2000
FIRST = table(bos={A: 0.5, B: 0.3, C: 0.15, EOS: 0.05}, a={EOS: 1.0}, b={EOS: 1.0}, c={EOS: 1.0})


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, {(A, EOS): 0.5, (B, EOS): 0.3, (C, EOS): 0.15, (EOS,): 0.05}),
        ({"temperature": 0.5}, {(A, EOS): 100 / 146, (B, EOS): 36 / 146, (C, EOS): 9 / 146, (EOS,): 1 / 146}),
        ({"temperature": 5e-324}, {(A, EOS): 1.0}),
        ({"min_length": 1}, {(A, EOS): 50 / 95, (B, EOS): 30 / 95, (C, EOS): 15 / 95}),
    ],
)
def test_sequences_are_drawn_as_often_as_they_are_probable(
    values: dict[str, object], expected: dict[tuple[int, ...], float]
) -> None:
    sources = [[0, number] for number in range(DRAWS)]  # they differ in what does not matter to the model
    drawn = search(TableEngine(FIRST[np.newaxis]), sources, options(sampling=True, **values))
    found = Counter(tuple(best.ids) for [best] in drawn)
    assert found.keys() == expected.keys()
    for ids, p in expected.items():
        # Five standard deviations: one seed in a million is that far off.
        assert found[ids] / DRAWS == pytest.approx(p, abs=5 * (p * (1 - p) / DRAWS) ** 0.5 + 1e-9)


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_a_sample_depends_on_seed_and_sentence_alone(seed: int, samples: int) -> None:
    engine = random_engine(seed, tables=3, words=5)
    chosen = options(longest=6, sampling=True, n_best=samples, seed=seed)
    together = search(engine, [[0, A], [1], [2, B, A], [1]], chosen)
    for source, hypotheses in zip([[0, A], [1], [2, B, A]], together, strict=False):
        [alone] = search(engine, [source], chosen)
        assert [h.ids for h in hypotheses] == [h.ids for h in alone]
        assert 1 <= len({tuple(h.ids) for h in hypotheses}) == len(hypotheses) <= samples
        for h in hypotheses:
            # Of the model, whatever the temperature.
            assert h.token_log_probabilities.tolist() == token_log_probabilities(engine, source, h.ids)
    assert [h.ids for h in together[1]] == [h.ids for h in together[3]]


def test_another_seed_draws_another_sample() -> None:
    engine = random_engine(1, words=9)
    found = {
        tuple(search(engine, [[0]], options(longest=9, sampling=True, temperature=2.0, seed=seed))[0][0].ids)
        for seed in range(5)
    }
    assert len(found) == 5


def test_a_sample_goes_on_from_a_prefix_but_cannot_have_terms() -> None:
    engine = TableEngine(FIRST[np.newaxis])
    chosen = options(sampling=True)
    [[best]] = search(engine, [[0]], chosen, constraints=[Constraints(prefix=(C,))])
    assert best.ids == [C, EOS]
    assert exp(best.log_probability) == pytest.approx(0.15)
    with pytest.raises(ValueError, match="term"):
        search(engine, [[0]], chosen, constraints=[Constraints(terms=(Term(((C,),)),))])
