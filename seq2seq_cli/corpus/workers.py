"""Where the work of ``prepare`` is done: in this process, or in one a core."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

SMALL = 20_000
"""Pairs; fewer are done before new processes would have loaded spaCy."""


class InProcessExecutor(Executor):
    """Runs each task at once, in the caller's process."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a task; the future holds its result or the exception that it raised."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextmanager
def local_executor(pairs: int) -> Iterator[Executor]:
    """An executor for a corpus of so many pairs; its processes end with the block, also when that fails."""
    cores = _cores()
    if pairs < SMALL or cores == 1:
        yield InProcessExecutor()
        return
    # Spawned, not forked: the caller's threads (torch, a progress bar) make a fork unsafe.
    pool = ProcessPoolExecutor(cores, multiprocessing.get_context("spawn"), initializer=_start_worker)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _start_worker() -> None:
    """Leave interrupts to the parent, and end with it even when it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


def _cores() -> int:
    """The cores that this process may use, which can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
