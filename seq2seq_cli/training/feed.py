"""The batches of an epoch, in order, on the device that trains."""

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import lru_cache
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray

from seq2seq_cli.compute.device import is_gpu
from seq2seq_cli.config.choices import BatchUnit
from seq2seq_cli.corpus.augmentation import Augmentation
from seq2seq_cli.corpus.batches import Batch, collate, cut_into
from seq2seq_cli.corpus.prepared import ParallelIds

AHEAD = 3
"""Batches that are made ahead."""
WINDOW = 512
"""Batches whose pairs are changed together, and cut into as many new batches: changed pairs have other lengths."""


def feed(
    ids: ParallelIds,
    order: Sequence[NDArray[np.int64]],
    augmentation: Augmentation | None,
    *,
    unit: BatchUnit,
    epoch: int,
    start: int,
    device: torch.device,
) -> Generator[Batch, None, None]:
    """The batches ``order[start:]``, in each window from its augmented pairs in this epoch (counted from 0).

    A batch without a pair, as a process has it where there are fewer pairs than processes, has one without its target.

    For CUDA a thread makes them ahead; it ends when the generator is closed. On a CPU the thread would take a core away
    from training, and on mps memory cannot be pinned, so that each copy is waited for in any case.

    Raises PreparedFolderError when the files of the pairs are damaged.
    """

    @lru_cache(maxsize=1)
    def window(number: int) -> tuple[ParallelIds, Sequence[NDArray[np.int64]]]:
        batches = order[number * WINDOW : (number + 1) * WINDOW]
        if augmentation is None:
            return ids, batches
        pairs = augmentation.apply(ids, np.concatenate(batches), epoch=epoch, window=number)
        seed = augmentation.seed
        return pairs, cut_into(pairs, len(batches), unit=unit, seed=seed, epoch=epoch, window=number)

    def make(position: int) -> Batch:
        pairs, batches = window(position // WINDOW)
        rows = batches[position % WINDOW]
        return collate(pairs, rows) if len(rows) else collate(ids, [0]).without_targets()

    positions = iter(range(start, len(order)))
    if is_gpu(device):
        with closing(ahead(lambda position: make(position).pin(), positions)) as batches:
            for batch in batches:
                yield batch.to(device)
    else:
        for position in positions:
            yield make(position).to(device)


def ahead(make: Callable[[int], Batch], positions: Iterator[int]) -> Generator[Batch, None, None]:
    """The batch that `make` returns for each position, in order; a thread makes `AHEAD` of them ahead.

    An error of `make` is raised in the place of its batch. The thread ends when the generator is closed.
    """
    maker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="feed")
    try:
        waiting = deque(maker.submit(make, position) for position in islice(positions, AHEAD))
        while waiting:
            batch = waiting.popleft().result()
            waiting.extend(maker.submit(make, position) for position in islice(positions, 1))
            yield batch
    finally:
        maker.shutdown(cancel_futures=True)
