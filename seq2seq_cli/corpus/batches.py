"""From ids to padded batches; the order of an epoch depends on the seed, the epoch and the size of the batches.

B batch, S source length, T target length, N target tokens with EOS and without padding.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor

from seq2seq_cli.compute.device import is_gpu
from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.config.choices import BatchUnit
from seq2seq_cli.corpus.prepared import ParallelIds
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD

ROWS = 8
"""Rows per batch come in multiples of this: oneDNN's LSTM in bf16 divides the rows of a step evenly, and takes three
times as long where their number is prime. GPUs like eights as well."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Sentence pairs, padded on the right."""

    src: Int[Tensor, "B S"]
    """Source ids; each row ends with EOS."""
    src_lengths: Int[Tensor, " B"]
    """Tokens per source row without padding, EOS included; always on the CPU."""
    tgt_in: Int[Tensor, "B T"]
    """Decoder inputs: BOS, then the words."""
    tgt_out: Int[Tensor, "B T"]
    """Expected outputs: the words, then EOS."""
    places: Int[Tensor, " N"]
    """The places of the target tokens in `tgt_out`, whose rows follow one another."""
    tgt_tokens: Int[Tensor, " N"]
    """The target tokens; always on the CPU, which would have to wait for a GPU to find them."""

    @property
    def tokens(self) -> int:
        """The number of target tokens."""
        return len(self.tgt_tokens)

    def to(self, device: torch.device) -> "Batch":
        """The same batch on a device; a copy from pinned memory to a GPU is asynchronous."""
        return self._with(lambda ids: ids.to(device, non_blocking=is_gpu(device)))

    def pin(self) -> "Batch":
        """The same batch in pinned memory, which a GPU reads directly."""
        return self._with(Tensor.pin_memory)

    def _with(self, moved: Callable[[Tensor], Tensor]) -> "Batch":
        """The batch with all but what is always on the CPU moved."""
        return replace(self, **{name: moved(getattr(self, name)) for name in ("src", "tgt_in", "tgt_out", "places")})

    def __len__(self) -> int:
        return len(self.src)


def epoch_order(ids: ParallelIds, *, size: int, unit: BatchUnit, seed: int, epoch: int) -> list[NDArray[np.int64]]:
    """The batches of an epoch as indices of pairs: similar lengths together, everything else shuffled.

    The order is a function of the arguments, so that an epoch can be resumed at any batch. Every epoch has the same
    number of batches: pairs are shuffled among pairs of the same lengths on both sides, batches among batches.
    """
    random = np.random.default_rng([seed, epoch])
    batches = _cut(ids, random.permutation(len(ids)), size, unit)
    return [batches[i] for i in random.permutation(len(batches))]


def length_order(ids: ParallelIds, *, size: int, unit: BatchUnit) -> list[NDArray[np.int64]]:
    """Batches for validation: similar lengths together, the longest sources last, always in the same order."""
    return _cut(ids, np.arange(len(ids)), size, unit)


def cut_into(
    ids: ParallelIds, count: int, *, unit: BatchUnit, seed: int, epoch: int, window: int
) -> list[NDArray[np.int64]]:
    """All pairs in `count` batches of similar lengths and, as far as these allow, of one size; some may be empty.

    Processes with shares of the same pairs have their batches in the same order, so that all need the same time.
    """
    by_length = _by_length(ids, np.arange(len(ids)))
    if unit == "sentence":
        batches = np.array_split(by_length, count)
    else:  # at most `count` of the least size in positions, and empty ones for the rest
        widths = _widths(ids, by_length)
        sizes = range(1, len(widths) * max(widths, default=0) + 1)
        least = bisect_left(sizes, True, key=lambda size: len(_starts(widths, size)) <= count)
        starts = [*_starts(widths, least + 1), len(ids)]
        batches = [by_length[start:end] for start, end in pairwise(starts)]
        batches += [by_length[:0]] * (count - len(batches))
    return [batches[i] for i in np.random.default_rng([seed, epoch, window + 1]).permutation(count)]


def _cut(ids: ParallelIds, pairs: NDArray[np.int64], size: int, unit: BatchUnit) -> list[NDArray[np.int64]]:
    """Batches of at most `size` and of similar lengths; pairs of the same lengths stay in the order given.

    Sorted by source length first: in nearly every batch the sources are equally long, and the encoder has no padding.
    Target lengths ascend and descend in turn, so that they do not jump where the sources get longer.
    """
    by_length = _by_length(ids, pairs)
    starts = list(range(0, len(ids), size)) if unit == "sentence" else _starts(_widths(ids, by_length), size)
    return [by_length[start:end] for start, end in pairwise([*starts, len(ids)])]


def _by_length(ids: ParallelIds, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    src, tgt = ids.src.lengths[pairs], ids.tgt.lengths[pairs]
    return pairs[np.lexsort((np.where(src % 2, tgt, -tgt), src))]


def _widths(ids: ParallelIds, pairs: NDArray[np.int64]) -> list[int]:
    """The tokens of the longer side of each pair, with EOS."""
    return (np.maximum(ids.src.lengths[pairs], ids.tgt.lengths[pairs]) + 1).tolist()


def _starts(widths: list[int], size: int) -> list[int]:
    """The first row of each batch when a batch has at most `size` positions (rows x widest row).

    Batches of more than `ROWS` rows have a multiple of them. A row that is wider than `size` is a batch of its own.
    """
    starts = [0] if widths else []
    widest = 0
    for i, width in enumerate(widths):
        widest = max(widest, width)
        while (rows := i - starts[-1]) and (rows + 1) * widest > size:
            starts.append(i - (rows % ROWS if rows > ROWS else 0))
            widest = max(widths[starts[-1] : i + 1])
    return starts


def collate(ids: ParallelIds, rows: Sequence[int] | NDArray[np.integer[Any]]) -> Batch:
    """The batch of the given pairs."""
    pairs = ids.pick(np.asarray(rows, dtype=np.int64))
    tgt_out = _ended(pairs.tgt)
    places = tgt_out.flatten().nonzero().squeeze(1)  # PAD is 0
    return Batch(
        src=_ended(pairs.src),
        src_lengths=torch.from_numpy(pairs.src.lengths + 1),
        tgt_in=F.pad(tgt_out.masked_fill(tgt_out == EOS, PAD)[:, :-1], (1, 0), value=BOS),
        tgt_out=tgt_out,
        places=places,
        tgt_tokens=tgt_out.flatten()[places],
    )


def _ended(rows: Ragged) -> Int[Tensor, "B N"]:
    """Rows of ids as one padded tensor, with EOS after each row."""
    lengths = rows.lengths
    places = np.arange(int(lengths.max(initial=0)) + 1)
    ended = np.full((len(rows), len(places)), PAD, dtype=np.int64)
    ended[places < lengths[:, None]] = rows.values
    ended[np.arange(len(rows)), lengths] = EOS
    return torch.from_numpy(ended)
