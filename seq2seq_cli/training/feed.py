"""The batches of an epoch, in order, on the device that trains."""

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray

from seq2seq_cli.corpus.batches import Batch, collate
from seq2seq_cli.corpus.noise import Noise
from seq2seq_cli.corpus.prepared import ParallelIds

AHEAD = 3
"""Batches that are made ahead."""


def feed(
    ids: ParallelIds,
    order: Sequence[NDArray[np.int64]],
    noise: Noise | None,
    *,
    epoch: int,
    start: int,
    device: torch.device,
) -> Generator[Batch, None, None]:
    """The batches ``order[start:]``, with the noise of this epoch (counted from 0) at each position.

    For CUDA a thread makes them ahead; it ends when the generator is closed. On a CPU the thread would take a core away
    from training, and on mps memory cannot be pinned, so that each copy is waited for in any case.

    Raises PreparedFolderError when the files of the pairs are damaged.
    """

    def make(position: int) -> Batch:
        if noise is None:
            return collate(ids, order[position])
        noisy = noise.apply(ids, order[position], epoch=epoch, position=position)
        return collate(noisy, np.arange(len(noisy)))

    positions = iter(range(start, len(order)))
    if device.type == "cuda":
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
