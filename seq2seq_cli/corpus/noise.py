"""Noise in the training pairs, drawn again in each epoch.

Two kinds, drawn independently:

- BPE-dropout (Provilkov et al. 2020) divides words into other subwords. A model that has seen many divisions of words
  can read a word that it has never seen.
- Hidden words: a word that is the same on both sides, such as a name, becomes unknown on both. With subwords, the
  training pairs have no unknown words, but texts to translate have some. A model trained with hidden words outputs
  "unknown" where the source has an unknown word, and the word is then copied from the source.

The draws depend on the seed, the epoch, the batch and the number of the process alone, so that a resumed epoch has the
same noise.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.corpus.prepared import ParallelIds, PreparedCorpus
from seq2seq_cli.corpus.ragged import Ragged
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.vocabulary import UNK

HIDDEN_WORDS_OF_BPE = 0.05
"""The default probability per pair with subwords; with words as units, rare words have the same effect."""


@dataclass(frozen=True, kw_only=True)
class Noise:
    """The kinds of noise and their probabilities."""

    src_codec: Codec
    tgt_codec: Codec
    bpe_dropout: float
    """Probability per merge of two subwords that it is skipped."""
    hidden_words: float
    """Probability per pair that a word is hidden."""
    seed: int
    stream: int = 0
    """The index, from 0, among the processes that draw from one seed, each for other pairs."""

    @classmethod
    def of(cls, training: TrainingConfig, corpus: PreparedCorpus, *, stream: int = 0) -> "Noise | None":
        """The noise of a config; None when it has none, or only hidden words, which characters do not have."""
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
        """The pairs of the given rows with the noise of this epoch and batch, both counted from 0.

        Raises PreparedFolderError when the pairs' files are damaged.
        """
        # numpy's seeds [1, 2] and [1, 2, 0] are the same, and the order of the epoch is drawn from the first.
        random = np.random.default_rng([self.seed, epoch, position + 1, self.stream])
        src, tgt = ids.pick(rows)
        pairs = [(src.row(i).tolist(), tgt.row(i).tolist()) for i in range(len(rows))]
        for i in np.flatnonzero(random.random(len(pairs)) < self.hidden_words):
            pairs[i] = self._hide(*pairs[i], random)
        if self.bpe_dropout:
            p = self.bpe_dropout
            pairs = [
                (self.src_codec.resample(src, p, random), self.tgt_codec.resample(tgt, p, random)) for src, tgt in pairs
            ]
        return ParallelIds(src=Ragged.of([src for src, _ in pairs]), tgt=Ragged.of([tgt for _, tgt in pairs]))

    def _hide(self, src: list[int], tgt: list[int], random: np.random.Generator) -> tuple[list[int], list[int]]:
        """Replace one of the words that both sides share by UNK; a pair without such words is returned as it is."""
        src_words, tgt_words = _words(self.src_codec, src), _words(self.tgt_codec, tgt)
        tgt_counts = Counter(word for word, _ in tgt_words)
        # Where the target has a word more often than the source, one UNK would have nothing to copy.
        alike = [word for word, count in Counter(word for word, _ in src_words).items() if count == tgt_counts[word]]
        words = [word for word in alike if any(letter.isalnum() for letter in word)]
        if not words:
            return src, tgt
        hidden = words[random.integers(len(words))]
        return _without(hidden, src_words), _without(hidden, tgt_words)


def _hidden_words(training: TrainingConfig, unit: Unit) -> float:
    if unit == "character":
        return 0.0
    default = HIDDEN_WORDS_OF_BPE if unit == "bpe" else 0.0
    return default if training.hidden_words is None else training.hidden_words


def _words(codec: Codec, ids: list[int]) -> list[tuple[str, tuple[int, ...]]]:
    """The tokens of a sentence: the text of each, case-folded, and its ids."""
    return [(codec.write(token).text.casefold(), token) for token in codec.split(ids)]


def _without(hidden: str, words: Iterable[tuple[str, tuple[int, ...]]]) -> list[int]:
    return [id_ for word, ids in words for id_ in ((UNK,) if word == hidden else ids)]
