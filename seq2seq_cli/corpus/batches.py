"""From memory-mapped ids to padded batches; an epoch's order follows from the seed alone.

B batch, S source length, T target length.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

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


def collate(ids: ParallelIds, rows: Sequence[int] | NDArray[np.integer[Any]]) -> Batch:
    """The pairs of the given indices as one batch; raises PreparedFolderError when their files are damaged."""
    src, tgt = ids.pick(np.asarray(rows, dtype=np.int64))
    return Batch(
        src=_frame(src, last=EOS),
        src_lengths=torch.from_numpy(src.lengths + 1),
        tgt_in=_frame(tgt, first=BOS),
        tgt_out=_frame(tgt, last=EOS),
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
