"""Beam search as a textbook has it, in one function, and the search of the package beside it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.decoding.search.search import search
from seq2seq_cli.shapes import Float
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD
from tests.unit.decoding.search.tables import options, random_engine


def plain_beam_search(table: Float[np.ndarray, "V V"], *, beam: int, longest: int) -> tuple[list[int], float]:
    """The best translation of at most so many tokens and its log-probability; `table` has log p(next | previous).

    At each step, the best continuations of all open hypotheses go on; one that ends leaves the beam one place smaller.
    A hypothesis that is cut at the length limit is worse than any that ends.
    """
    open_: list[tuple[list[int], float]] = [([BOS], 0.0)]
    ended: list[tuple[list[int], float]] = []
    for _ in range(longest):
        continued = [
            ([*ids, token], total + table[ids[-1], token])
            for ids, total in open_
            for token in range(len(table))
            if token not in (PAD, BOS)
        ]
        continued.sort(key=lambda hypothesis: -hypothesis[1])
        best = continued[: beam - len(ended)]
        ended += [hypothesis for hypothesis in best if hypothesis[0][-1] == EOS]
        open_ = [hypothesis for hypothesis in best if hypothesis[0][-1] != EOS]
    ids, total = max(ended or open_, key=lambda hypothesis: hypothesis[1])
    return ids[1:], total


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 6), st.sampled_from([0.5, 1.0, 3.0]))
def test_the_search_equals_a_plain_beam_search(seed: int, beam: int, longest: int, sharpness: float) -> None:
    engine = random_engine(seed, sharpness=sharpness)
    ids, total = plain_beam_search(engine.tables[0], beam=beam, longest=longest)
    [[best]] = search(engine, [[0]], options(beam_size=beam, longest=longest))
    assert best.ids == ids
    assert best.log_probability == pytest.approx(total, abs=1e-5)
