"""Rules for translations: their length, their repetitions, their unknown words.

N sources, R rows.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from seq2seq_cli.config.choices import LENGTH_FACTOR
from seq2seq_cli.decoding.search.bans import Bans, largest_repetition, repeated_ngrams
from seq2seq_cli.decoding.search.rows import Rows
from seq2seq_cli.shapes import Int  # noqa: TC001  # the tests check it
from seq2seq_cli.text.vocabulary import EOS, UNK

if TYPE_CHECKING:
    from seq2seq_cli.config.schema.decoding import DecodingConfig


def length_factor(options: "DecodingConfig") -> float:
    """The most tokens of a translation per token of its source, before `max_length_extra`."""
    return LENGTH_FACTOR if options.max_length_factor is None else options.max_length_factor


class Rules:
    """The rules for the translations of a batch of sources (ids without EOS)."""

    def __init__(
        self, options: "DecodingConfig", sources: Sequence[Sequence[int]], most_unknown: Sequence[int] | None = None
    ) -> None:
        """`most_unknown` is the most UNK of the translation of each source; None: no limit."""
        lengths = np.array([len(source) for source in sources])
        scaled = (length_factor(options) * lengths).astype(np.int64)
        self.limits: Int[np.ndarray, " N"] = scaled + options.max_length_extra
        """The most tokens of the translations of each source, EOS counted."""
        self._min_length = options.min_length
        self._ngram_size = options.no_repeat_ngram_size
        self._repetitions = np.array([largest_repetition(source, self._ngram_size) for source in sources])
        self._most_unknown = None if most_unknown is None else np.array(most_unknown)

    def bans(self, rows: Rows) -> list[Bans]:
        """The tokens that may not come next."""
        history = rows.history[:, 1:]
        bans = [Bans.of_token(EOS, np.arange(len(rows) if rows.length < self._min_length else 0))]
        if self._most_unknown is not None:
            is_full = (history == UNK).sum(axis=1) >= self._most_unknown[rows.sources]
            bans.append(Bans.of_token(UNK, np.flatnonzero(is_full)))
        if self._ngram_size:
            bans.append(repeated_ngrams(history, self._ngram_size, self._repetitions[rows.sources]))
        return bans
