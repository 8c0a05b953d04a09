"""Noise in the training pairs: what a model is shown anew in each epoch, so that it learns what the pairs do not show.

Two kinds, each drawn for itself:

- other parts of words: BPE-dropout, Provilkov et al. 2020. A model that has seen a word in many parts can read one
  that it has never seen.
- hidden words: a name that stands on both sides alike becomes unknown on both. With subwords, training has no unknown
  words; in use there are some, and a model that has seen them writes "unknown" where the source has it. Which word it
  is, is copied from the source afterwards.

What is drawn follows from the seed, the epoch and the batch alone, so that a stopped epoch goes on as it began.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.config.schema import TrainingConfig
from seq2seq_cli.corpus.prepared import ParallelIds, PreparedCorpus
from seq2seq_cli.corpus.ragged import Ragged, offsets_of
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.vocabulary import UNK

HIDDEN_WORDS_OF_BPE = 0.05
"""Probability, a pair, where the config leaves it open; rare words teach the same where words are the units."""


@dataclass(frozen=True, kw_only=True)
class Noise:
    """What is done to training pairs, and how often."""

    src_codec: Codec
    tgt_codec: Codec
    bpe_dropout: float
    """Probability that a merge of two parts is left out."""
    hidden_words: float
    """Probability, a pair, that a word is hidden."""
    seed: int
    stream: int = 0
    """Of those who draw from one seed, each for other pairs, which one; counted from 0."""

    @classmethod
    def of(cls, training: TrainingConfig, corpus: PreparedCorpus, *, stream: int = 0) -> "Noise | None":
        """The noise that a config asks for; None when it asks for none, or for words to hide among characters."""
        hidden_words = _hidden_words(training, corpus.config.text.unit)
        if not (training.bpe_dropout or hidden_words):
            return None
        return cls(
            src_codec=corpus.src_codec,
            tgt_codec=corpus.tgt_codec,
            bpe_dropout=training.bpe_dropout,
            hidden_words=hidden_words,
            seed=training.seed,
            stream=stream,
        )

    def apply(self, ids: ParallelIds, rows: NDArray[np.int64], *, epoch: int, position: int) -> ParallelIds:
        """The pairs of the given rows, as noisy as this batch of this epoch has them; both counted from 0.

        Raises PreparedFolderError when the pairs' files are damaged.
        """
        # numpy's seeds [1, 2] and [1, 2, 0] are the same, and the order of the epoch is drawn from the first.
        random = np.random.default_rng([self.seed, epoch, position + 1, self.stream])
        src, tgt = ids.pick(rows)
        pairs = [(src.row(i).tolist(), tgt.row(i).tolist()) for i in range(len(rows))]
        for i in np.flatnonzero(random.random(len(pairs)) < self.hidden_words):
            pairs[i] = self._hide(*pairs[i], random)
        if self.bpe_dropout:
            pairs = [self._resample(src, tgt, random) for src, tgt in pairs]
        return ParallelIds(src=_ragged([src for src, _ in pairs]), tgt=_ragged([tgt for _, tgt in pairs]))

    def _hide(self, src: list[int], tgt: list[int], random: np.random.Generator) -> tuple[list[int], list[int]]:
        """One of the words that stand on both sides alike is UNK; the pair as it is when there is none."""
        src_words, tgt_words = _words(self.src_codec, src), _words(self.tgt_codec, tgt)
        tgt_counts = Counter(word for word, _ in tgt_words)
        # A word that is written once more than it is read would be unknown without anything to copy.
        alike = [word for word, count in Counter(word for word, _ in src_words).items() if count == tgt_counts[word]]
        words = [word for word in alike if any(letter.isalnum() for letter in word)]
        if not words:
            return src, tgt
        hidden = words[random.integers(len(words))]
        return _without(hidden, src_words), _without(hidden, tgt_words)

    def _resample(self, src: list[int], tgt: list[int], random: np.random.Generator) -> tuple[list[int], list[int]]:
        src = self.src_codec.resample(src, self.bpe_dropout, random)
        return src, self.tgt_codec.resample(tgt, self.bpe_dropout, random)


def _hidden_words(training: TrainingConfig, unit: Unit) -> float:
    """The probability that a word is hidden in a pair."""
    if unit == "character":
        return 0.0
    if training.hidden_words is None:
        return HIDDEN_WORDS_OF_BPE if unit == "bpe" else 0.0
    return training.hidden_words


def _words(codec: Codec, ids: list[int]) -> list[tuple[str, tuple[int, ...]]]:
    """The tokens of a sentence: the text of each, case-folded, and its ids."""
    return [(codec.write(token).text.casefold(), token) for token in codec.split(ids)]


def _without(hidden: str, words: Iterable[tuple[str, tuple[int, ...]]]) -> list[int]:
    return [id_ for word, ids in words for id_ in ((UNK,) if word == hidden else ids)]


def _ragged(rows: Sequence[list[int]]) -> Ragged:
    return Ragged(
        values=np.fromiter(chain.from_iterable(rows), dtype=np.uint32),
        offsets=offsets_of(np.array([len(row) for row in rows])),
    )
