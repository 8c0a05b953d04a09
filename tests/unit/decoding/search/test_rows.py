"""The best tokens of each row are found as by sorting all of them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.decoding.search.rows import Candidates


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 500), st.integers(1, 12), st.integers(1, 1000))
def test_the_best_are_those_of_a_stable_sort(seed: int, rows: int, size: int, most: int, values: int) -> None:
    random = np.random.default_rng(seed)
    # With few values, many are equal.
    log_probabilities = -random.integers(values, size=(rows, size)).astype(np.float32)
    log_probabilities[random.random((rows, size)) < random.random()] = -np.inf
    found = Candidates.best(log_probabilities, most)
    order = np.argsort(-log_probabilities, axis=1, kind="stable")[:, :most]
    expected = [(row, token) for row in range(rows) for token in order[row] if log_probabilities[row, token] > -np.inf]
    assert list(zip(found.rows, found.tokens, strict=True)) == expected
    np.testing.assert_array_equal(found.log_probabilities, log_probabilities[found.rows, found.tokens])
