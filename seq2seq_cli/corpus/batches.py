"""From memory-mapped ids to padded batches; an epoch's order follows from the seed alone.

B batch, S source length, T target length.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

from seq2seq_cli.corpus.prepared import ParallelIds
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Sentence pairs side by side, padded on the right."""

    src: Int[Tensor, "B S"]
    """Source ids, each row closed by EOS."""
    src_lengths: Int[Tensor, " B"]
    """Real tokens of each source row, EOS counted; always on the CPU."""
    tgt_in: Int[Tensor, "B T"]
    """What the decoder is given: BOS, then the words."""
    tgt_out: Int[Tensor, "B T"]
    """What it is to answer: the words, then EOS."""

    def to(self, device: torch.device) -> "Batch":
        """The same batch on a device."""
        return Batch(
            src=self.src.to(device),
            src_lengths=self.src_lengths,
            tgt_in=self.tgt_in.to(device),
            tgt_out=self.tgt_out.to(device),
        )


def epoch_order(ids: ParallelIds, *, batch_size: int, seed: int, epoch: int) -> list[NDArray[np.int64]]:
    """The batches of one epoch as indices of pairs: like lengths together, everything else shuffled.

    Source lengths first: in nearly every batch they are equal, and the encoder has nothing to skip.

    The order is a function of the arguments, so a stopped epoch is taken up again by its position.
    """
    random = np.random.default_rng([seed, epoch])
    ties = random.permutation(len(ids))
    by_length = np.lexsort((ties, ids.tgt_lengths, ids.src_lengths))
    batches = [by_length[start : start + batch_size] for start in range(0, len(ids), batch_size)]
    return [batches[i] for i in random.permutation(len(batches))]


def length_order(ids: ParallelIds, *, batch_size: int) -> list[NDArray[np.int64]]:
    """Every pair once, like lengths together, always in the same order: for validation."""
    by_length = np.lexsort((ids.tgt_lengths, ids.src_lengths))
    return [by_length[start : start + batch_size] for start in range(0, len(ids), batch_size)]


def collate(ids: ParallelIds, rows: Iterable[int]) -> Batch:
    """The pairs of the given indices as one batch."""
    src, tgt = zip(*((ids.src(row).tolist(), ids.tgt(row).tolist()) for row in rows), strict=True)
    return Batch(
        src=pad([[*row, EOS] for row in src]),
        src_lengths=torch.tensor([len(row) + 1 for row in src]),
        tgt_in=pad([[BOS, *row] for row in tgt]),
        tgt_out=pad([[*row, EOS] for row in tgt]),
    )


def pad(rows: Sequence[Sequence[int]]) -> Int[Tensor, "B N"]:
    """Rows of ids as one tensor, as long as the longest, PAD on the right."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows])
