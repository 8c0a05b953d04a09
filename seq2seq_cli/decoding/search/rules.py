"""What a translation must keep to: its length, and the repetition of n-grams.

N sources, R rows.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from seq2seq_cli.decoding.search.bans import Bans, ban, largest_repetition, repeated_ngrams
from seq2seq_cli.decoding.search.rows import Rows
from seq2seq_cli.shapes import Int  # noqa: TC001  # the tests check it
from seq2seq_cli.text.vocabulary import EOS

if TYPE_CHECKING:
    from seq2seq_cli.config.schema import DecodingConfig


class Rules:
    """The rules for the translations of a batch of sources (ids without EOS)."""

    def __init__(self, options: "DecodingConfig", sources: Sequence[Sequence[int]]) -> None:
        lengths = np.array([len(source) for source in sources], dtype=np.int64)
        self.longest: Int[np.ndarray, " N"] = (options.max_length_factor * lengths).astype(
            np.int64
        ) + options.max_length_extra
        """The most tokens of the translations of each source, EOS counted."""
        self._min_length = options.min_length
        self._ngram_size = options.no_repeat_ngram_size
        self._repetitions = np.array([largest_repetition(source, self._ngram_size) for source in sources])

    def bans(self, rows: Rows) -> Bans:
        """The tokens that may not come next."""
        bans = [ban(EOS, np.arange(len(rows) if rows.length < self._min_length else 0))]
        if self._ngram_size:
            limits = self._repetitions[rows.sources]
            bans.append(repeated_ngrams(rows.history[:, 1:], self._ngram_size, limits))
        return Bans.join(bans)
