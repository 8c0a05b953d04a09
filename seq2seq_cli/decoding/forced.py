"""Forced decoding: the log-probabilities of translations that are given."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from seq2seq_cli.decoding.engine import Engine, EngineState
from seq2seq_cli.shapes import Float
from seq2seq_cli.text.vocabulary import BOS, EOS

State = TypeVar("State", bound=EngineState)


def token_log_probabilities(
    engine: Engine[State], sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
) -> list[Float[np.ndarray, " T"]]:
    """log p of each token of each target, after those before it, and of EOS at its end; all ids come without EOS.

    Raises ValueError for lists of different lengths.
    """
    if len(sources) != len(targets):
        raise ValueError(f"{len(sources)} sources do not match {len(targets)} targets")
    if not sources:
        return []
    ids = [np.array([BOS, *target, EOS]) for target in targets]
    log_probabilities = [np.zeros(len(target) - 1) for target in ids]
    rows, state = np.arange(len(ids)), engine.start(sources)
    for t in range(max(map(len, log_probabilities))):
        is_open = np.array([t < len(log_probabilities[row]) for row in rows.tolist()])
        if not is_open.all():
            rows, state = rows[is_open], state.select(np.flatnonzero(is_open))
        of_rows = [ids[row] for row in rows.tolist()]
        tokens, asked = np.array([of_row[t] for of_row in of_rows]), np.array([[of_row[t + 1]] for of_row in of_rows])
        proposals, state = engine.step(tokens, state, k=1, asked=asked)
        for row, log_probability in zip(rows.tolist(), proposals.asked[:, 0].tolist(), strict=True):
            log_probabilities[row][t] = log_probability
    return log_probabilities
