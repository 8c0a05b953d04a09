"""Forced decoding: what a model says to translations that are given."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from seq2seq_cli.decoding.engine import Engine, EngineState
from seq2seq_cli.shapes import Float
from seq2seq_cli.text.vocabulary import BOS, EOS

State = TypeVar("State", bound=EngineState)


class Forced(NamedTuple):
    """The outputs of a model at the T tokens of a translation, EOS counted, for S source tokens, EOS counted."""

    log_probabilities: Float[np.ndarray, " T"]
    """log p of each token, after those before it."""
    weights: Float[np.ndarray, "T S"]
    """The attention weights of each step; 0 in a model without attention. No columns where they were not asked for."""


def force_decode(
    engine: Engine[State],
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    *,
    with_weights: bool = True,
) -> list[Forced]:
    """The outputs for each source and target, both ids without EOS.

    Raises ValueError for lists of different lengths.
    """
    if len(sources) != len(targets):
        raise ValueError(f"{len(sources)} sources do not match {len(targets)} targets")
    if not sources:
        return []
    ids = [np.array([BOS, *target, EOS]) for target in targets]
    sizes = [(len(of_row) - 1, len(source) + 1) for of_row, source in zip(ids, sources, strict=True)]
    outputs = [
        Forced(np.zeros(steps), np.zeros((steps, columns if with_weights else 0), dtype=np.float32))
        for steps, columns in sizes
    ]
    rows, state = np.arange(len(ids)), engine.start(sources)
    for t in range(max(map(len, ids)) - 1):
        is_open = np.array([t + 1 < len(ids[row]) for row in rows.tolist()])
        if not is_open.all():
            rows, state = rows[is_open], state.select(np.flatnonzero(is_open))
        of_rows = [ids[row] for row in rows.tolist()]
        tokens, asked = np.array([of_row[t] for of_row in of_rows]), np.array([[of_row[t + 1]] for of_row in of_rows])
        proposals, state = engine.step(tokens, state, k=1, asked=asked)
        for row, log_probability, weights in zip(rows.tolist(), proposals.asked[:, 0], proposals.weights, strict=True):
            output = outputs[row]
            output.log_probabilities[t] = log_probability
            output.weights[t] = weights[: output.weights.shape[1]]
    return outputs
