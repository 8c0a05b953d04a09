"""Calls side by side, in threads of this process."""

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_threads(function: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """The results in the order of the items, of calls in so many threads; in this one where there is a single call.

    It pays where the calls leave Python's global lock to others, as numpy and ONNX Runtime do while they compute. Few
    more items than threads are taken ahead of the results. An error of the iterator is raised after the results of the
    items before it.
    """
    items = iter(items)
    first = list(itertools.islice(items, 2)) if threads > 1 else []
    if len(first) < 2:
        yield from map(function, itertools.chain(first, items))
        return
    from concurrent.futures import ThreadPoolExecutor  # not above: a single sentence does without

    failures: list[Exception] = []
    pending: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for item in _until_failure(itertools.chain(first, items), failures):
            pending.append(pool.submit(function, item))
            if len(pending) > threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
    if failures:
        raise failures[0]


def _until_failure(items: Iterable[Item], failures: list[Exception]) -> Iterator[Item]:
    """The items up to an error of their iterator, which is added to the failures."""
    try:
        yield from items
    except Exception as error:
        failures.append(error)
