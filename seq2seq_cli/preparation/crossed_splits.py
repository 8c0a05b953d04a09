"""Held-out splits whose sides are the other way round than those of the training pairs, as their words tell."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.corpus.splits import SPLITS, TRAIN, SplitName
from seq2seq_cli.preparation.pair_store import PairStore
from seq2seq_cli.text.sides import SIDES, SideName


def crossed_splits(
    store: PairStore, counts: Mapping[SideName, NDArray[np.int64]], splits: Sequence[int]
) -> Iterator[SplitName]:
    """Those of some held-out splits whose sides look exchanged.

    On both sides, fewer than half as many tokens are unknown to the other side's training sentences as to its own.
    `counts` are those of ``count_tokens``: per side, a row per split.
    """
    if not splits:
        return
    known = {
        side: {token for token, count in zip(store.tokens[side], counts[side][TRAIN].tolist(), strict=True) if count}
        for side in SIDES
    }

    def unknown(side: SideName, split: int, known_side: SideName) -> int:
        """The number of tokens of one side of a split that one side of the training pairs lacks."""
        by_token = zip(store.tokens[side], counts[side][split].tolist(), strict=True)
        return sum(count for token, count in by_token if count and token not in known[known_side])

    for split in splits:
        if all(
            2 * unknown(side, split, other) < unknown(side, split, side)
            for side, other in zip(SIDES, reversed(SIDES), strict=True)
        ):
            yield SPLITS[split]
