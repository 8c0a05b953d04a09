"""Held-out splits whose sides are the other way round than those of the training pairs, as their words tell."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.corpus.splits import SPLITS, TEST, TRAIN, VALID, SplitName
from seq2seq_cli.preparation.pair_store import PairStore
from seq2seq_cli.text.sides import SIDES, SideName


def crossed_splits(store: PairStore, counts: Mapping[SideName, NDArray[np.int64]]) -> Iterator[SplitName]:
    """The splits of which each side has fewer than half as many words that the other side's training sentences lack.

    `counts` are those of ``count_tokens``: per side, a row per split.
    """
    known = {
        side: {token for token, count in zip(store.tokens[side], counts[side][TRAIN].tolist(), strict=True) if count}
        for side in SIDES
    }

    def unknown(side: SideName, split: int, known_side: SideName) -> int:
        """The number of tokens of one side of a split that one side of the training pairs lacks."""
        by_token = zip(store.tokens[side], counts[side][split].tolist(), strict=True)
        return sum(count for token, count in by_token if count and token not in known[known_side])

    for split in (VALID, TEST):
        if all(
            2 * unknown(side, split, other) < unknown(side, split, side)
            for side, other in zip(SIDES, reversed(SIDES), strict=True)
        ):
            yield SPLITS[split]
