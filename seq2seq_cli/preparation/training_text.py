"""The training split as what conventions are learned from: a sample of its pairs, and counts of its source tokens."""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.corpus.ragged import offsets_of
from seq2seq_cli.corpus.splits import TRAIN
from seq2seq_cli.preparation.pair_store import PairStore
from seq2seq_cli.text.sides import SIDES

_SAMPLE = 10_000
"""Most pairs that are looked at; they are spread evenly over the training split."""
_MANY = 200_000
"""Most sources that are looked at for what few of them show."""


@dataclass(frozen=True, kw_only=True)
class TrainingText:
    """The training split of the pairs in a store; each thing is read when it is first asked for."""

    store: PairStore
    split_of_pair: NDArray[np.int8]
    token_counts: NDArray[np.int64]
    """The number of times that the training split has each distinct source token."""

    @cached_property
    def sample(self) -> list[tuple[str, str]]:
        """Sentences with their translations."""
        return self._pairs(np.flatnonzero(self.split_of_pair == TRAIN))

    @property
    def many_sources(self) -> list[str]:
        """More sentences than those of the sample."""
        return self.store.texts("src", _spread(np.flatnonzero(self.split_of_pair == TRAIN), _MANY))

    def sample_with(self, pattern: re.Pattern[bytes]) -> list[tuple[str, str]]:
        """Sentences that have the pattern, in UTF-8, with their translations."""
        pairs = self.store.pairs_with("src", pattern)
        return self._pairs(pairs[self.split_of_pair[pairs] == TRAIN])

    @cached_property
    def tokens(self) -> Counter[str]:
        """The number of times that each source token occurs."""
        return self.store.counter("src", self.token_counts)

    @cached_property
    def inner_tokens(self) -> Counter[str]:
        """The number of times that each source token stands inside sentences."""
        return self.store.counter("src", self.token_counts - self._first_tokens())

    @cached_property
    def lengths(self) -> NDArray[np.uint32]:
        """Tokens per source sentence."""
        lengths: NDArray[np.uint32] = self.store.column("src.lengths")[self.split_of_pair == TRAIN]
        return lengths

    def _pairs(self, places: NDArray[np.int64]) -> list[tuple[str, str]]:
        chosen = _spread(places, _SAMPLE)
        return list(zip(*(self.store.texts(side, chosen) for side in SIDES), strict=True))

    def _first_tokens(self) -> NDArray[np.int64]:
        """The number of times that each distinct token begins a source sentence."""
        counts = np.zeros(len(self.store.tokens["src"]), dtype=np.int64)
        for pairs, block in self.store.side_blocks("src"):
            starts = offsets_of(block.lengths)[:-1][self.split_of_pair[pairs] == TRAIN]
            found = np.bincount(block.numbers[starts])
            counts[: len(found)] += found
        return counts


def _spread(places: NDArray[np.int64], most: int) -> list[int]:
    """So many of the places, or all, evenly spread."""
    chosen = np.linspace(0, len(places), min(len(places), most), endpoint=False, dtype=np.int64)
    spread: list[int] = places[chosen].tolist()
    return spread
