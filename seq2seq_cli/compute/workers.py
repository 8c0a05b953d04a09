"""Work in other processes: tasks in one process per core, and calls beside what this process does."""

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from seq2seq_cli.compute.threads import usable_cores
from seq2seq_cli.errors import S2SError

T = TypeVar("T")
R = TypeVar("R")

_SPAWN = multiprocessing.get_context("spawn")
"""New processes are spawned, not forked: the caller's threads (torch, a progress bar) make a fork unsafe."""
_SMALL = 2_000_000
"""Bytes; a smaller file is read before new processes would have started."""
_TASKS_PER_WORKER = 2
"""Tasks submitted but not yet fetched: enough to keep a worker busy, and few enough for the memory."""
_MOST_CORES = 61
"""The largest process pool that Python supports on Windows."""


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
                with _starting_processes():  # a pool starts its processes, each with a task
                    waiting.append((task, self.executor.submit(function, task)))
                if len(waiting) >= _TASKS_PER_WORKER * self.count:
                    yield waiting[0][0], waiting.popleft()[1].result()
            yield from ((task, future.result()) for task, future in waiting)
        except BrokenExecutor:
            raise S2SError("a worker process died, probably for lack of memory: free some, and prepare again") from None


OpenWorkers = Callable[[int], AbstractContextManager[Workers]]
"""Opens workers for files of so many bytes, as a context manager; they end with the block."""


@contextmanager
def _starting_processes() -> Iterator[None]:
    """Start processes in the block: an interrupt is delayed to its end, and blocked in these.

    A terminal sends Ctrl-C to all processes, and Python prints a traceback when one is interrupted while it starts.
    Raises S2SError when one cannot be started.
    """
    with ExitStack() as put_back:
        if sys.platform != "win32":  # new processes inherit what is blocked
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            put_back.callback(signal.pthread_sigmask, signal.SIG_SETMASK, mask)
        try:
            yield
        except OSError as error:
            why = f"no process can be started: {error.strerror or error}"
            raise S2SError(f"{why}: end other programs, and give the command again") from None


@contextmanager
def local_workers(total_bytes: int) -> Iterator[Workers]:
    """One worker per core, or this process alone for small files."""
    cores = min(usable_cores(), _MOST_CORES)
    if total_bytes < _SMALL or cores == 1:
        yield Workers()
        return
    pool = ProcessPoolExecutor(cores, _SPAWN, initializer=_start_worker)
    try:
        yield Workers(executor=pool, count=cores)
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def beside(calls: Sequence[Callable[[], R]]) -> Iterator[list[R]]:
    """Make each call in a process of its own beside the block, which ends when all have ended.

    Yields their results, which are there after the block. When the block fails, or the wait, and when this process
    dies, each of the others gets one SIGTERM; it is waited for, but not after an interrupt. Raises the first S2SError
    of the calls, or S2SError for a process that died.
    """
    results, processes, connections = list[R](), list[BaseProcess](), list[Connection]()
    with ExitStack() as kill, ExitStack() as wait, ExitStack() as stop:
        wait.callback(lambda: [*map(BaseProcess.join, processes)])
        with _starting_processes():
            for call in calls:
                connection, of_process = _SPAWN.Pipe()
                process = _SPAWN.Process(target=_answer, args=(call, of_process))
                process.start()
                of_process.close()
                connections.append(stop.enter_context(connection))
                processes.append(process)
                kill.callback(process.kill)  # where an interrupt ends the wait
        yield results
        answers = [_answer_of(connection) for connection in connections]
    for answer in answers:
        if isinstance(answer, S2SError):
            raise answer
        results.append(answer)


def _answer(call: Callable[[], object], connection: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_stop_at_end_of, args=(connection,), daemon=True).start()
    try:
        answer = call()
    except S2SError as error:
        answer = error
    with suppress(OSError):  # nobody waits any more
        connection.send(answer)


def _stop_at_end_of(connection: Connection) -> None:
    with suppress(EOFError, OSError):
        connection.recv()  # nothing comes: it ends when the other process closes it, or dies
    signal.raise_signal(signal.SIGTERM)


def _answer_of(connection: Connection) -> Any:
    with suppress(EOFError):
        return connection.recv()
    return S2SError("a process died: free some memory, and give the command again, or resume; scripts: docs/python.md")


def _start_worker() -> None:
    """Ignore interrupts, which the parent handles, and end when the parent ends or is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)
