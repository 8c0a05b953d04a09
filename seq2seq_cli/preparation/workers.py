"""Executors for the work of ``prepare``: this process, one process per core, or the workers of a Dask cluster.

Tasks and results are the same for all of them.
"""

import importlib.metadata
import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from seq2seq_cli.compute.threads import usable_cores
from seq2seq_cli.errors import S2SError, UsageError, how_to_install

if TYPE_CHECKING:
    from distributed import Client

T = TypeVar("T")
R = TypeVar("R")

DASK = "dask://"

_SMALL = 2_000_000
"""Bytes; a smaller file is read before new processes would have started."""
_TASKS_PER_WORKER = 2
"""Tasks submitted but not yet fetched: enough to keep a worker busy, and few enough for the memory."""
_MOST_CORES = 61
"""The largest process pool that Python supports on Windows."""
_CONNECT_SECONDS = 5


@dataclass(frozen=True, kw_only=True)
class Workers:
    """An executor and the number of tasks that it runs at a time."""

    executor: Executor | None = None
    """None: the tasks run in this process."""
    count: int = 1

    def map_in_order(self, function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[tuple[T, R]]:
        """Each task with its result, in order; tasks are taken from the iterable only as workers need them.

        Raises the function's errors, and S2SError when a worker dies or cannot be started.
        """
        if self.executor is None:
            yield from ((task, function(task)) for task in tasks)
            return
        waiting: deque[tuple[T, Future[R]]] = deque()
        try:
            for task in tasks:
                try:
                    with _interrupts_held():  # a pool starts its processes, each with a task
                        waiting.append((task, self.executor.submit(function, task)))
                except OSError as error:
                    why = f"no worker process can be started: {error.strerror or error}"
                    raise S2SError(f"{why}: end other programs, and prepare again") from None
                if len(waiting) >= _TASKS_PER_WORKER * self.count:
                    yield waiting[0][0], waiting.popleft()[1].result()
            yield from ((task, future.result()) for task, future in waiting)
        except BrokenExecutor:
            raise S2SError("a worker process died, probably for lack of memory: free some, and prepare again") from None


OpenWorkers = Callable[[int], AbstractContextManager[Workers]]
"""Opens workers for files of so many bytes, as a context manager; they end with the block."""


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Delay an interrupt to the end of the block, and block it in processes that are started in it.

    A terminal sends Ctrl-C to all processes, and Python prints a traceback when one is interrupted while it starts.
    """
    if sys.platform == "win32":
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # new processes inherit what is blocked
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def workers_at(place: str | None) -> OpenWorkers:
    """The workers that ``--executor`` names: a cluster's for ``dask://HOST:PORT``, this machine's for None.

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
    """One worker per core, or this process alone for small files."""
    cores = min(usable_cores(), _MOST_CORES)
    if total_bytes < _SMALL or cores == 1:
        yield Workers()
        return
    # Spawned, not forked: the caller's threads (torch, a progress bar) make a fork unsafe.
    pool = ProcessPoolExecutor(cores, multiprocessing.get_context("spawn"), initializer=_start_worker)
    try:
        yield Workers(executor=pool, count=cores)
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _dask_workers(place: str, _total_bytes: int) -> Iterator[Workers]:
    """The workers of a Dask cluster.

    Raises UsageError when there are none or their packages differ, S2SError when they or their scheduler die.
    """
    try:
        from distributed import Client, KilledWorker
    except ImportError:
        raise UsageError(f"--executor {place}: needs another package: {how_to_install('dask')}") from None
    try:
        client = Client(f"tcp://{place.removeprefix(DASK)}", timeout=_CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, TimeoutError, ValueError):
        raise UsageError(f"--executor {place}: no Dask scheduler answers there: start one, or leave this out") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # it logs tracebacks of lost connections
    died = S2SError(f"--executor {place}: the scheduler or a worker died: see why, and prepare again")
    with client:
        try:
            workers = Workers(executor=client.get_executor(), count=_count_threads(client, place))  # type: ignore[no-untyped-call]
        except OSError:
            raise died from None
        try:
            yield workers
        except (CancelledError, KilledWorker):
            raise died from None


def _count_threads(client: "Client", place: str) -> int:
    """The number of tasks that the cluster runs at a time; raises UsageError when its packages differ from ours."""
    count = sum(client.nthreads().values())  # type: ignore[no-untyped-call]
    if not count:
        raise UsageError(f"--executor {place}: the scheduler has no workers: start some with 'dask worker'")
    for package in ("seq2seq_cli", "spacy"):
        ours = importlib.metadata.version(package)
        with suppress(ImportError):  # it is missing there
            if set(client.run(importlib.metadata.version, package).values()) == {ours}:
                continue
        raise UsageError(f"--executor {place}: {package} {ours} is not on all of its workers: install it there")
    return count


def _start_worker() -> None:
    """Ignore interrupts, which the parent handles, and end when the parent ends or is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)
