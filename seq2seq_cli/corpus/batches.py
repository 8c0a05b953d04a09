"""From memory-mapped ids to padded batches; an epoch's order follows from the seed alone.

B batch, S source length, T target length.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

from seq2seq_cli.config.choices import BatchUnit
from seq2seq_cli.corpus.prepared import ParallelIds
from seq2seq_cli.corpus.ragged import Ragged
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
    tgt_lengths: Int[Tensor, " B"]
    """Real tokens of each row of `tgt_out`, EOS counted; always on the CPU: asking a GPU would wait for it."""

    @property
    def tokens(self) -> int:
        """Target tokens, EOS counted, padding not."""
        return int(self.tgt_lengths.sum())

    def to(self, device: torch.device) -> "Batch":
        """The same batch on a device; a copy from pinned memory to a GPU is only begun."""
        later = device.type == "cuda"
        src, tgt_in, tgt_out = (ids.to(device, non_blocking=later) for ids in (self.src, self.tgt_in, self.tgt_out))
        return replace(self, src=src, tgt_in=tgt_in, tgt_out=tgt_out)

    def without_targets(self) -> "Batch":
        """The same batch with nothing to learn from it."""
        tgt_out, tgt_lengths = torch.full_like(self.tgt_out, PAD), torch.zeros_like(self.tgt_lengths)
        return replace(self, tgt_out=tgt_out, tgt_lengths=tgt_lengths)

    def pin(self) -> "Batch":
        """The same batch in memory that a GPU reads by itself."""
        src, tgt_in, tgt_out = (ids.pin_memory() for ids in (self.src, self.tgt_in, self.tgt_out))
        return replace(self, src=src, tgt_in=tgt_in, tgt_out=tgt_out)

    def __len__(self) -> int:
        return len(self.src)


def epoch_order(ids: ParallelIds, *, size: int, unit: BatchUnit, seed: int, epoch: int) -> list[NDArray[np.int64]]:
    """The batches of one epoch as indices of pairs: like lengths together, everything else shuffled.

    The order is a function of the arguments, so a stopped epoch is taken up again by its position. Every epoch has
    as many batches: shuffled are pairs that are equally long on both sides, and the batches among themselves.
    """
    random = np.random.default_rng([seed, epoch])
    batches = _cut(ids, random.permutation(len(ids)), size, unit)
    return [batches[i] for i in random.permutation(len(batches))]


def length_order(ids: ParallelIds, *, size: int, unit: BatchUnit) -> list[NDArray[np.int64]]:
    """Every pair once, like lengths together, always in the same order, the longest sources last: for validation."""
    return _cut(ids, np.arange(len(ids)), size, unit)


def _cut(ids: ParallelIds, pairs: NDArray[np.int64], size: int, unit: BatchUnit) -> list[NDArray[np.int64]]:
    """Batches of at most `size`, of like lengths; pairs of the same lengths stay in the order given.

    By sources first: in nearly every batch they are equally long, and the encoder has nothing to skip. The targets go
    up and down in turn, so that where the sources get longer, the targets do not jump.
    """
    src, tgt = ids.src_lengths[pairs], ids.tgt_lengths[pairs]
    order = np.lexsort((np.where(src % 2, tgt, -tgt), src))
    by_length = pairs[order]
    if unit == "sentence":
        starts = list(range(0, len(ids), size))
    else:
        starts = _starts((np.maximum(src, tgt)[order] + 1).tolist(), size)
    return [by_length[start:end] for start, end in pairwise([*starts, len(ids)])]


def _starts(widths: list[int], size: int) -> list[int]:
    """Where the batches begin when a batch has at most `size` positions: rows x the widest of them.

    A row that is wider than that is a batch of its own.
    """
    starts: list[int] = []
    start, widest = 0, size + 1  # too wide for any row to be added to: the first row begins a batch
    for i, width in enumerate(widths):
        widest = max(widest, width)
        if (i - start + 1) * widest > size:
            starts.append(i)
            start, widest = i, width
    return starts


def collate(ids: ParallelIds, rows: Sequence[int] | NDArray[np.integer[Any]]) -> Batch:
    """The pairs of the given indices as one batch; raises PreparedFolderError when their files are damaged."""
    src, tgt = ids.pick(np.asarray(rows, dtype=np.int64))
    return Batch(
        src=_frame(src, last=EOS),
        src_lengths=torch.from_numpy(src.lengths + 1),
        tgt_in=_frame(tgt, first=BOS),
        tgt_out=_frame(tgt, last=EOS),
        tgt_lengths=torch.from_numpy(tgt.lengths + 1),
    )


def halves(batch: Batch) -> tuple[Batch, Batch]:
    """The first and the second half of the pairs, each padded to its own longest; ValueError when there is one pair."""
    if len(batch) < 2:
        raise ValueError("a single pair has no halves")
    middle = len(batch) // 2
    return _some(batch, slice(None, middle)), _some(batch, slice(middle, None))


def _some(batch: Batch, rows: slice) -> Batch:
    src_lengths, tgt_lengths = batch.src_lengths[rows], batch.tgt_lengths[rows]
    src_length, tgt_length = int(src_lengths.max()), int(tgt_lengths.max())
    return Batch(
        src=batch.src[rows, :src_length],
        src_lengths=src_lengths,
        tgt_in=batch.tgt_in[rows, :tgt_length],
        tgt_out=batch.tgt_out[rows, :tgt_length],
        tgt_lengths=tgt_lengths,
    )


def pad(rows: Sequence[Sequence[int]]) -> Int[Tensor, "B N"]:
    """Rows of ids as one tensor, as long as the longest, PAD on the right."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows])


def _frame(rows: Ragged, *, first: int | None = None, last: int | None = None) -> Int[Tensor, "B N"]:
    """Rows of ids as one tensor, one id longer than the longest: ``first`` goes before each row, or ``last`` after."""
    lengths = rows.lengths
    places = np.arange(int(lengths.max()) + 1)
    framed = np.full((len(rows), len(places)), PAD, dtype=np.int64)
    if first is not None:
        framed[:, 0] = first
        framed[:, 1:][places[:-1] < lengths[:, None]] = rows.values
    if last is not None:
        framed[places < lengths[:, None]] = rows.values
        framed[np.arange(len(rows)), lengths] = last
    return torch.from_numpy(framed)
