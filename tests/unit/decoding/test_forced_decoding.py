"""Translations that are given: the log-probabilities and the attention."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seq2seq_cli.decoding.engine import forced_steps
from seq2seq_cli.decoding.search.search import search
from seq2seq_cli.text.vocabulary import EOS
from tests.unit.decoding.search.tables import A, B, C, TableEngine, options, random_engine, token_log_probabilities

pairs = st.lists(st.tuples(st.integers(0, 2), st.lists(st.sampled_from([A, B, C]), max_size=4)), min_size=1, max_size=5)


def forced(
    engine: TableEngine, sources: list[list[int]], targets: list[list[int]]
) -> list[tuple[list[float], list[np.ndarray]]]:
    """The log-probabilities and the attention of each pair, step by step."""
    found: list[tuple[list[float], list[np.ndarray]]] = [([], []) for _ in sources]
    for rows, proposals in forced_steps(engine, sources, targets):
        for row, [log_probability], weights in zip(rows, proposals.asked.tolist(), proposals.weights, strict=True):
            found[row][0].append(log_probability)
            found[row][1].append(weights[: len(sources[row]) + 1])
    return found


@given(st.integers(0, 2**32 - 1), pairs)
def test_each_token_has_the_log_probability_of_the_model(seed: int, given_pairs: list[tuple[int, list[int]]]) -> None:
    engine = random_engine(seed, tables=3)
    sources = [[number, *[A] * number] for number, _ in given_pairs]
    found = forced(engine, sources, [target for _, target in given_pairs])
    assert [log_probabilities for log_probabilities, _ in found] == [
        token_log_probabilities(engine, [number], [*target, EOS]) for number, target in given_pairs
    ]


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_what_the_search_found_has_the_log_probability_and_the_attention_of_the_search(seed: int) -> None:
    engine = random_engine(seed)
    [[best]] = search(engine, [[0, A]], options(longest=9))
    if best.ended:
        # Among others, with more source positions and more steps.
        log_probabilities, weights = forced(engine, [[0, A, A, A], [0, A]], [[A] * 12, best.ids[:-1]])[1]
        assert log_probabilities == pytest.approx(best.token_log_probabilities.tolist(), abs=1e-5)
        np.testing.assert_allclose(weights, best.weights, atol=1e-6)


def test_finished_targets_leave_the_batch() -> None:
    engine = random_engine(1)
    forced(engine, [[0], [0], [0]], [[A], [], [A, B, C]])
    assert engine.rows == [3, 2, 1, 1]
