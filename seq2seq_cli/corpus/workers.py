"""Where the work of ``prepare`` is done: in this process, in one a core, or by the workers of a Dask cluster.

All that differs is the executor; what it is given to do, and what is made of it, is the same.
"""

import importlib.metadata
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import ParamSpec, TypeVar

from seq2seq_cli.errors import S2SError, UsageError

P = ParamSpec("P")
T = TypeVar("T")
R = TypeVar("R")

DASK = "dask://"

_SMALL = 2_000_000
"""Bytes; a smaller file is done before new processes would have loaded spaCy."""
_WAITING = 2
"""Tasks a worker that are under way or done and not yet fetched: enough to keep it busy, no matter how many come."""
_CONNECT_SECONDS = 5
_PACKAGE = "seq2seq_cli"


@dataclass(frozen=True, kw_only=True)
class Workers:
    """An executor and how many tasks it does at a time."""

    executor: Executor
    count: int

    def map_in_order(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[tuple[T, R]]:
        """Each task and its result; no more tasks are taken from the iterable than the workers need.

        Raises what the function raises, and S2SError when a worker dies.
        """
        waiting: deque[tuple[T, Future[R]]] = deque()
        try:
            for task in tasks:
                waiting.append((task, self.executor.submit(function, task)))
                if len(waiting) >= _WAITING * self.count:
                    yield _first(waiting)
            while waiting:
                yield _first(waiting)
        except BrokenExecutor:
            raise S2SError("a worker process died, probably for want of memory: free some and prepare again") from None


OpenWorkers = Callable[[int], AbstractContextManager[Workers]]
"""Makes workers for files of so many bytes; they end with the block, also when that fails."""


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


def workers_at(place: str | None) -> OpenWorkers:
    """The workers that ``--executor`` names: those of a cluster for ``dask://HOST:PORT``, of this machine for None.

    Raises UsageError for anything else.
    """
    if place is None:
        return local_workers
    host, colon, port = place.removeprefix(DASK).rpartition(":")
    if not place.startswith(DASK) or not colon or not host or not port.isdecimal():
        raise UsageError(f"--executor {place}: must be {DASK}HOST:PORT, the address of a Dask scheduler")
    return partial(_dask_workers, place)


@contextmanager
def local_workers(total_bytes: int) -> Iterator[Workers]:
    """One worker a core, or this process alone where the files are small."""
    cores = _cores()
    if total_bytes < _SMALL or cores == 1:
        yield Workers(executor=InProcessExecutor(), count=1)
        return
    # Spawned, not forked: the caller's threads (torch, a progress bar) make a fork unsafe.
    pool = ProcessPoolExecutor(cores, multiprocessing.get_context("spawn"), initializer=_start_worker)
    try:
        yield Workers(executor=pool, count=cores)
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _dask_workers(place: str, _total_bytes: int) -> Iterator[Workers]:
    """The workers of a Dask cluster; raises UsageError when there are none that can do the work."""
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(f"--executor {place}: needs another package: pip install '{_PACKAGE}[dask]'") from None
    try:
        client = Client(f"tcp://{place.removeprefix(DASK)}", timeout=_CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError):
        raise UsageError(f"--executor {place}: no Dask scheduler answers there: start one, or leave this out") from None
    with client:
        count = sum(client.nthreads().values())  # type: ignore[no-untyped-call]
        if not count:
            raise UsageError(f"--executor {place}: the scheduler has no workers: start some with 'dask worker'")
        try:
            versions = set(client.run(importlib.metadata.version, _PACKAGE).values())
        except ImportError:
            raise UsageError(f"--executor {place}: its workers lack s2s: install {_PACKAGE} there, too") from None
        ours = importlib.metadata.version(_PACKAGE)
        if versions != {ours}:
            told = ", ".join(sorted(versions))
            raise UsageError(f"--executor {place}: its workers have s2s {told}, and this is {ours}: install the same")
        executor: Executor = client.get_executor()  # type: ignore[no-untyped-call]
        yield Workers(executor=executor, count=count)


def _first(waiting: deque[tuple[T, Future[R]]]) -> tuple[T, R]:
    task, future = waiting.popleft()
    return task, future.result()


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
