"""Rules for translations: their length, their repetitions, their unknown words, as tokens that may not come next.

N sources, R rows, k proposals per row, P pairs of a row and a token that is banned there, t tokens so far.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from seq2seq_cli.config.choices import LENGTH_FACTOR, DecodingOptions
from seq2seq_cli.decoding.search.rows import Rows
from seq2seq_cli.shapes import Bool, Int
from seq2seq_cli.text.vocabulary import EOS, UNK

Bans: TypeAlias = Int[np.ndarray, " P"]
"""Pairs of a row and a token that may not continue it, as ``row << 32 | token``."""


def are_allowed(tokens: Int[np.ndarray, "R k"], bans: Bans) -> Bool[np.ndarray, "R k"]:
    """Whether each token may come next in its row."""
    # A row can have thousands of bans, and as many proposals: a table takes less time than comparing all of them.
    rows, forbidden = bans >> 32, bans & 0xFFFFFFFF
    banned = np.zeros((len(tokens), 1 + max(tokens.max(initial=0), forbidden.max(initial=0))), dtype=np.bool_)
    banned[rows, forbidden] = True
    return ~np.take_along_axis(banned, tokens, axis=1)


def repeated_ngrams(history: Int[np.ndarray, "R t"], size: int, limits: Int[np.ndarray, " R"]) -> Bans:
    """The tokens that would complete an n-gram of the given size which has occurred as often as the row's limit.

    N-grams that contain UNK are not counted: each UNK is another word.
    """
    windows = history.shape[1] - size + 1
    if windows < 1:
        return np.zeros(0, dtype=np.int64)
    begins_alike = history[:, size - 1 :] != UNK
    for i in range(size - 1):
        last = history[:, windows + i, np.newaxis]
        begins_alike &= (history[:, i : i + windows] == last) & (last != UNK)
    rows, begins = np.nonzero(begins_alike)
    pairs, counts = np.unique(rows << 32 | history[rows, begins + size - 1], return_counts=True)
    return pairs[counts >= limits[pairs >> 32]]


def largest_repetition(ids: Sequence[int], size: int) -> int:
    """The number of times that the most frequent n-gram of the given size, without UNK, occurs; at least 1."""
    ngrams = zip(*(ids[i:] for i in range(size)), strict=False)
    return max(Counter(ngram for ngram in ngrams if UNK not in ngram).values(), default=1)


def length_factor(options: DecodingOptions) -> float:
    """The most tokens of a translation per token of its source, before `max_length_extra`."""
    return LENGTH_FACTOR if options.max_length_factor is None else options.max_length_factor


class Rules:
    """The rules for the translations of a batch of sources (ids without EOS)."""

    def __init__(
        self, options: DecodingOptions, sources: Sequence[Sequence[int]], most_unknown: Sequence[int] | None = None
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
        bans = [np.arange(len(rows) if rows.length < self._min_length else 0, dtype=np.int64) << 32 | EOS]
        if self._most_unknown is not None:
            is_full = (history == UNK).sum(axis=1) >= self._most_unknown[rows.sources]
            bans.append(np.flatnonzero(is_full) << 32 | UNK)
        if self._ngram_size:
            bans.append(repeated_ngrams(history, self._ngram_size, self._repetitions[rows.sources]))
        return bans
