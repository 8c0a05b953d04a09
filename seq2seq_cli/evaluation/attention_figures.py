"""Figures of attention weights: how spread they are, and how many words attend to punctuation marks or ``<eos>``.

B sentences, T target tokens, S source tokens with ``<eos>``, V units of a vocabulary.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from seq2seq_cli.shapes import Float, Int
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.normalise import CONTINUING, is_punctuation
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD, SPECIAL_UNITS


class TokenKind(IntEnum):
    """The kinds of tokens that the figures tell apart."""

    PADDING = 0
    EOS = 1
    PUNCTUATION = 2
    WORD = 3
    """Any other, such as a word or a part of one."""


def token_kinds(codec: Codec) -> Int[np.ndarray, " V"]:
    """The kind of each id."""
    kinds = np.full(len(codec.vocabulary), TokenKind.WORD, dtype=np.int8)
    for id_, unit in enumerate(codec.vocabulary.words, start=len(SPECIAL_UNITS)):
        if is_punctuation(unit.removeprefix(CONTINUING)):
            kinds[id_] = TokenKind.PUNCTUATION
    kinds[[PAD, BOS, EOS]] = TokenKind.PADDING, TokenKind.PADDING, TokenKind.EOS
    return kinds


@dataclass(frozen=True, kw_only=True)
class AttentionFigures:
    """Means over the target tokens of sentences, ``<eos>`` left out."""

    entropy: float
    """Of the weights of a token, in nats: 0 where it attends to one source token, log S where the weights are even."""
    words_on_marks: float
    """The share of the words whose heaviest source token is a punctuation mark or ``<eos>``."""


class AttentionSums(NamedTuple):
    """Sums over target tokens, of which the figures are the means."""

    tokens: float = 0.0
    entropy: float = 0.0
    words: float = 0.0
    words_on_marks: float = 0.0

    @classmethod
    def of(
        cls, weights: Float[np.ndarray, "B T S"], src: Int[np.ndarray, "B S"], tgt: Int[np.ndarray, "B T"]
    ) -> "AttentionSums":
        """The sums for weights and the kinds of the tokens.

        Weights that do not sum to 1, as with local attention, are divided by their sum; a token without any weight
        counts as 0.
        """
        totals = weights.sum(axis=2, dtype=np.float64)
        shares = weights / np.where(totals, totals, 1.0)[:, :, np.newaxis]
        logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
        counted, words = tgt >= TokenKind.PUNCTUATION, tgt == TokenKind.WORD
        of_words, kinds = shares[words], np.broadcast_to(src[:, np.newaxis], weights.shape)[words]
        heaviest = np.take_along_axis(kinds, of_words.argmax(axis=1)[:, np.newaxis], axis=1)[:, 0]
        attends = of_words.any(axis=1)  # without any weight, no token is the heaviest
        return cls(
            tokens=float(counted.sum()),
            entropy=float(-(shares * logs).sum(axis=2)[counted].sum()),
            words=float(words.sum()),
            words_on_marks=float((attends & (heaviest != TokenKind.WORD)).sum()),
        )

    @classmethod
    def total(cls, sums: Iterable["AttentionSums"]) -> "AttentionSums":
        """The sums over all."""
        return cls(*map(sum, zip(cls(), *sums, strict=True)))

    def figures(self) -> AttentionFigures | None:
        """The means; None without any token."""
        if not self.tokens:
            return None
        return AttentionFigures(
            entropy=self.entropy / self.tokens, words_on_marks=self.words_on_marks / max(1.0, self.words)
        )
