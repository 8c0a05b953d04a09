"""Calls side by side, in threads of this process."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_threads(function: Callable[[Item], Result], items: Sequence[Item], threads: int) -> Iterator[Result]:
    """The results in the order of the items, of calls in so many threads; in this one where there is a single call.

    It pays where the calls leave Python's global lock to others, as numpy and ONNX Runtime do while they compute.
    """
    if threads == 1 or len(items) < 2:
        yield from map(function, items)
        return
    from concurrent.futures import ThreadPoolExecutor  # not above: a single sentence does without

    with ThreadPoolExecutor(threads) as pool:
        yield from pool.map(function, items)
