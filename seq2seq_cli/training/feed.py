"""What an epoch reads: its pairs, the own ones and drawn ones that help to learn them, and their batches in order.

A model of few pairs learns the language translated into from a related pair (Kocmi & Bojar 2018, "Trivial transfer
learning for low-resource neural machine translation") and from text that it copies (Currey et al. 2017, "Copied
monolingual data improves low-resource neural machine translation").
"""

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray

from seq2seq_cli.compute.device import is_gpu
from seq2seq_cli.compute.threads import map_in_threads
from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.corpus.augmentation import Augmentation
from seq2seq_cli.corpus.batches import Batch, collate, cut_into
from seq2seq_cli.corpus.prepared import ParallelIds, PreparedCorpus
from seq2seq_cli.training.learned_corrections import correction_pairs

WINDOW = 512
"""Batches whose pairs are changed together, and cut into as many new batches: changed pairs have other lengths."""
_CORRECTED, _MOST_TIMES = 0.05, 400
"""Tokens of repeated corrections per token of the own pairs, and the most times that an epoch has each of them."""


@dataclass(frozen=True, kw_only=True)
class Mixture:
    """The training pairs of a corpus, and what helps them."""

    own: ParallelIds
    pairs: ParallelIds
    """Pairs that help, related ones and entries of word lists."""
    texts: ParallelIds
    """Texts in the language translated into, which the model copies."""
    training: TrainingConfig

    @classmethod
    def of(cls, training: TrainingConfig, corpus: PreparedCorpus) -> "Mixture":
        """The mixture of a corpus, as the config has it."""
        found = {name: corpus.split(name) for name in corpus.manifest.trained(training.help.least_covered)}
        own = found["train"]
        if corpus.corrections:
            corrections = correction_pairs(corpus)
            times = int(_CORRECTED * own.tokens.sum() / corrections.tokens.sum())
            own = ParallelIds.joined([own, *[corrections] * min(max(1, times), _MOST_TIMES)])
        nothing = own.pick(np.arange(0))
        pairs = ParallelIds.joined([found.get("related", nothing), found.get("dictionary", nothing)])
        return cls(own=own, pairs=pairs, texts=found.get("tgt_only", nothing), training=training)

    def of_epoch(self, epoch: int) -> ParallelIds:
        """The pairs of an epoch, counted from 0: the own ones, and drawn ones that help, by seed and epoch."""
        if not len(self.pairs) + len(self.texts):
            return self.own
        random, share = np.random.default_rng([self.training.seed, epoch, 0, 1]), self.training.help.own_share
        tokens = np.concatenate([self.pairs.tokens, self.texts.tokens])
        order = random.permutation(len(tokens))
        drawn = np.sort(order[share * tokens[order].cumsum() <= (1 - share) * self.own.tokens.sum()])
        pairs = self.pairs.pick(drawn[drawn < len(self.pairs)])
        texts = self.texts.pick(drawn[drawn >= len(self.pairs)] - len(self.pairs))
        # The tokens of a copied text are moved by two places at most; Lample et al. 2018, section 2.3.
        row = np.repeat(np.arange(len(texts)), texts.src.lengths)
        moved = np.lexsort((np.arange(len(row)) + random.uniform(0, 3, len(row)), row))
        copied = replace(texts.src, values=texts.src.values[moved])
        return ParallelIds.joined([self.own, pairs, replace(texts, src=copied)])


def feed(
    ids: ParallelIds,
    order: Sequence[NDArray[np.int64]],
    augmentation: Augmentation | None,
    *,
    epoch: int,
    start: int,
    device: torch.device,
) -> Generator[Batch, None, None]:
    """The batches ``order[start:]``, in each window from its augmented pairs in this epoch (counted from 0).

    For CUDA a thread makes them ahead; it ends when the generator is closed. On a CPU the thread would take a core away
    from training, and on mps memory cannot be pinned, so that each copy is waited for in any case.
    """

    @lru_cache(maxsize=1)
    def window(number: int) -> tuple[ParallelIds, Sequence[NDArray[np.int64]]]:
        batches = order[number * WINDOW : (number + 1) * WINDOW]
        if augmentation is None:
            return ids, batches
        pairs = augmentation.apply(ids, np.concatenate(batches), epoch=epoch, window=number)
        unit, seed = augmentation.training.batch_unit, augmentation.training.seed
        return pairs, cut_into(pairs, len(batches), unit=unit, seed=seed, epoch=epoch, window=number)

    def make(position: int) -> Batch:
        pairs, batches = window(position // WINDOW)
        batch = collate(pairs, batches[position % WINDOW])
        return batch.pin() if is_gpu(device) else batch

    made = map_in_threads(make, range(start, len(order)), 1, ahead=3 if is_gpu(device) else 0)
    with closing(made):
        for batch in made:
            yield batch.to(device)
