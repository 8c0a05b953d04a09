"""The batches of an epoch, one after the other, on the device that trains."""

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
"""Batches made before they are asked for."""


def feed(
    ids: ParallelIds,
    order: Sequence[NDArray[np.int64]],
    noise: Noise | None,
    *,
    epoch: int,
    start: int,
    device: torch.device,
) -> Generator[Batch, None, None]:
    """The batches of ``order[start:]``, with the noise that this epoch (counted from 0) has at each position.

    For CUDA they are made ahead by a thread, which ends when the generator is closed. A CPU that trains has no core to
    spare: there the thread would only wait for the interpreter's lock, and be waited for; and from memory that is not
    pinned, as on mps, a copy is waited for in any case.

    Raises PreparedFolderError when the pairs' files are damaged.
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
    """What `make` makes of each position, in order, `AHEAD` of them made in a thread before they are asked for.

    What `make` raises is raised where its batch is asked for. The thread ends when the generator is closed.
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
