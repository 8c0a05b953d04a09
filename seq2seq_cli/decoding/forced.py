"""Forced decoding: the steps of a model that write given translations."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from seq2seq_cli.decoding.engine import Engine, EngineState, Proposals
from seq2seq_cli.shapes import Int
from seq2seq_cli.text.vocabulary import BOS, EOS

State = TypeVar("State", bound=EngineState)


def forced_steps(
    engine: Engine[State],
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    *,
    with_probabilities: bool = True,
) -> Iterator[tuple[Int[np.ndarray, " R"], Proposals]]:
    """Step by step, the numbers of the targets that go on, and the proposals for them; both sides are ids without EOS.

    ``proposals.asked`` has one column, log p of the token that the target has there, EOS last; without probabilities,
    it has none, and only features and attention are computed.
    """
    if not sources:
        return
    ids = [[BOS, *target, EOS] for target in targets]
    rows, state = np.arange(len(ids)), engine.start(sources)
    for t in range(max(map(len, ids)) - 1):
        is_open = np.array([t + 1 < len(ids[row]) for row in rows.tolist()])
        if not is_open.all():
            rows, state = rows[is_open], state.select(np.flatnonzero(is_open))
        tokens, written = np.array([ids[row][t : t + 2] for row in rows.tolist()]).T
        asked = written[:, np.newaxis] if with_probabilities else np.zeros((len(rows), 0), dtype=np.int64)
        proposals, state = engine.step(tokens, state, k=int(with_probabilities), asked=asked)
        yield rows, proposals
