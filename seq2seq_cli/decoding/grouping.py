"""Texts and sentences that are translated together."""

import math
from collections.abc import Iterable, Iterator, Sequence

from seq2seq_cli.errors import InputError

_CHUNK_TEXTS = 512
_CHUNK_CHARACTERS = 2**18
_BATCH_POSITIONS = 2**14
"""Most source positions per batch, padding counted."""


def similar_lengths(lengths: Sequence[int], batch_size: int) -> Iterator[list[int]]:
    """Batches of indices, longest sentences first, so that there is little padding; those of length 0 are left out.

    A batch of very long sentences is smaller: it has at most `_BATCH_POSITIONS` positions, or one sentence.
    """
    order = sorted((i for i, length in enumerate(lengths) if length > 0), key=lambda i: (-lengths[i], i))
    start = 0
    while start < len(order):
        size = min(batch_size, max(1, _BATCH_POSITIONS // (lengths[order[start]] + 1)))
        yield order[start : start + size]
        start += size


def chunks(texts: Iterable[str], threads: int) -> Iterator[list[str]]:
    """Texts to translate together: as many as make good batches, few enough for the memory, the same for each thread.

    An InputError of the iterator is raised again once the texts before it have been handed on.
    """
    waiting: list[str] = []
    characters = 0
    try:
        for text in texts:
            waiting.append(text)
            characters += len(text)
            if len(waiting) >= _CHUNK_TEXTS * threads or characters >= _CHUNK_CHARACTERS * threads:
                yield from _equal_parts(waiting, threads)
                waiting, characters = [], 0
    except InputError:
        yield from _equal_parts(waiting, threads)
        raise
    yield from _equal_parts(waiting, threads)


def _equal_parts(texts: Sequence[str], parts: int) -> Iterator[list[str]]:
    size = max(1, math.ceil(len(texts) / parts))
    return (list(texts[start : start + size]) for start in range(0, len(texts), size))
