"""Rules for translations: their length, their repetitions, their constraints.

N sources, R rows.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from seq2seq_cli.config.choices import LENGTH_FACTOR
from seq2seq_cli.decoding.search.bans import Bans, largest_repetition, repeated_ngrams
from seq2seq_cli.decoding.search.constraints import Constraints
from seq2seq_cli.decoding.search.guidance import guided
from seq2seq_cli.decoding.search.progress import Progress
from seq2seq_cli.decoding.search.rows import Rows
from seq2seq_cli.shapes import Int  # noqa: TC001  # the tests check it
from seq2seq_cli.text.vocabulary import EOS

if TYPE_CHECKING:
    from seq2seq_cli.config.schema.decoding import DecodingConfig

_NO_LIMIT = np.iinfo(np.int64).max


def length_factor(options: "DecodingConfig") -> float:
    """The most tokens of a translation per token of its source, before `max_length_extra`."""
    return LENGTH_FACTOR if options.max_length_factor is None else options.max_length_factor


class Rules:
    """The rules for the translations of a batch of sources (ids without EOS)."""

    def __init__(
        self, options: "DecodingConfig", sources: Sequence[Sequence[int]], constraints: Sequence[Constraints]
    ) -> None:
        lengths = np.array([len(source) for source in sources])
        scaled = (length_factor(options) * lengths).astype(np.int64)
        self.limits: Int[np.ndarray, " N"] = scaled + options.max_length_extra
        """The most tokens of the translations of each source, EOS counted; prefix and terms may need more."""
        self.longest = self.limits + np.array([of_source.longest for of_source in constraints])
        """An upper bound of these tokens, prefix and terms included."""
        self._min_length = options.min_length
        self._ngram_size = options.no_repeat_ngram_size
        self._repetitions = np.array([largest_repetition(source, self._ngram_size) for source in sources])
        self._constraints = constraints
        self._most_of = {
            token: np.array([of_source.limits.get(token, _NO_LIMIT) for of_source in constraints])
            for token in sorted({token for of_source in constraints for token in of_source.limits})
        }

    def progress(self) -> list[Progress | None]:
        """The progress of an empty translation of each source; None without prefix and terms."""
        return [
            Progress.start(of_source, int(limit)) if of_source.prefix or of_source.terms else None
            for of_source, limit in zip(self._constraints, self.limits, strict=True)
        ]

    def bans(self, rows: Rows) -> Bans:
        """The tokens that may not come next, unless they are asked for."""
        history = rows.history[:, 1:]
        bans = [Bans.of_token(EOS, np.arange(len(rows) if rows.length < self._min_length else 0))]
        for token, most in self._most_of.items():
            bans.append(Bans.of_token(token, np.flatnonzero((history == token).sum(axis=1) >= most[rows.sources])))
        if self._ngram_size:
            bans.append(repeated_ngrams(history, self._ngram_size, self._repetitions[rows.sources]))
        for row, progress in guided(rows.progress).items():
            bans.append(Bans.of_row(row, progress.banned()))
        return Bans.join(bans)
