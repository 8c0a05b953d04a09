"""Calls side by side, in threads of this process, and the cores that it has for them."""

import itertools
import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")

_thread = threading.local()


def usable_cores() -> int:
    """The number of cores that this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Unwanted(BaseException):
    """Nobody waits for the result of this call any more."""


def check_wanted() -> None:
    """Raise Unwanted in a call of `map_in_threads` that was stopped; to be called at the steps of a long call."""
    stopped: threading.Event | None = getattr(_thread, "stopped", None)
    if stopped is not None and stopped.is_set():
        raise Unwanted


def map_in_threads(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int, *, ahead: int = 0
) -> Generator[Result, None, None]:
    """The results in the order of the items, of calls in so many threads; in this one where there is a single call.

    It pays where the calls leave Python's global lock to others, as numpy and ONNX Runtime do while they compute. Few
    more items than threads, or `ahead` items, are taken ahead of the results; one thread that takes none is this one.
    An error of the iterator is raised after the results of the items before it. When the caller stops early, at Ctrl-C
    above all, the calls end where they `check_wanted` next.
    """
    failures: list[Exception] = []
    items = _until_failure(items, failures)
    ahead = ahead or (threads if threads > 1 else 0)
    first = list(itertools.islice(items, 2)) if ahead else []
    if len(first) < 2:
        yield from map(function, itertools.chain(first, items))
    else:
        from concurrent.futures import ThreadPoolExecutor  # not above: a single sentence does without

        pending: deque[Future[Result]] = deque()
        stopped = threading.Event()
        pool = ThreadPoolExecutor(threads, initializer=setattr, initargs=(_thread, "stopped", stopped))
        try:
            for item in itertools.chain(first, items):
                pending.append(pool.submit(function, item))
                if len(pending) > ahead:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            stopped.set()
            pool.shutdown(cancel_futures=True)
    if failures:
        raise failures[0]


def _until_failure(items: Iterable[Item], failures: list[Exception]) -> Iterator[Item]:
    """The items up to an error of their iterator, which is added to the failures."""
    try:
        yield from items
    except Exception as error:
        failures.append(error)
