"""Work in other processes: tasks in one process per core, and calls beside what this process does."""

import logging
import multiprocessing
import os
import signal
import sys
import threading
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from copy import deepcopy
from dataclasses import dataclass
from logging.handlers import QueueHandler
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from types import SimpleNamespace
from typing import Any, TypeVar

from seq2seq_cli.compute.threads import usable_cores
from seq2seq_cli.errors import Interrupted, S2SError

logger = logging.getLogger(__name__)

T = TypeVar("T")
R = TypeVar("R")

_SPAWN = multiprocessing.get_context("spawn")
"""New processes are spawned, not forked: the caller's threads (torch, a progress bar) make a fork unsafe."""
_SMALL = 2_000_000
"""Bytes; a smaller file is read before new processes would have started."""


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
                if len(waiting) >= 2 * self.count:  # enough to keep them busy, and few enough for the memory
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
        try:
            if sys.platform != "win32":  # new processes inherit what is blocked
                resource_tracker.ensure_running()  # its start, else in the first process's, would unblock interrupts
                mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
                put_back.callback(signal.pthread_sigmask, signal.SIG_SETMASK, mask)
            yield
        except OSError as error:
            why = f"no process can be started: {error.strerror or error}"
            raise S2SError(f"{why}: end other programs, and give the command again") from None


@contextmanager
def local_workers(total_bytes: int) -> Iterator[Workers]:
    """One worker per core, or this process alone for small files."""
    cores = min(usable_cores(), 61)  # as many as a process pool of Python may have on Windows
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

    Yields their results, which are there after the block. What they warn of is logged here, and their errors too, as
    soon as they come. When the block fails, or the wait, and when this process dies, each process gets one SIGTERM and
    is waited for; an interrupt of that wait kills them. Raises the first error of the calls, or S2SError for a process
    that died.
    """
    results, processes, answers, is_stopped = list[R](), list[BaseProcess](), list[Future[R]](), threading.Event()
    with ThreadPoolExecutor(len(calls) or 1) as threads, ExitStack() as kill, ExitStack() as join, ExitStack() as stop:
        join.callback(lambda: [*map(BaseProcess.join, processes)])
        with _starting_processes() if calls else nullcontext():
            for call in calls:
                connection, of_process = _SPAWN.Pipe()
                process = _SPAWN.Process(target=_answer, args=(call, of_process))
                process.start()
                of_process.close()
                stop.callback(_send, connection, None)
                stop.callback(is_stopped.set)  # runs before the message: who dies of a stop has not failed
                processes.append(process)
                kill.callback(process.kill)  # where an interrupt ends the wait
                answers.append(threads.submit(_answer_of, connection, is_stopped))
        yield results
        while wait(answers, timeout=1).not_done:  # on Windows, an interrupt counts only between two waits
            pass
    results += [answer.result() for answer in answers]


def _answer(call: Callable[[], object], connection: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_stop_when_told, args=(connection,), daemon=True).start()
    to_other = SimpleNamespace(put_nowait=lambda record: _send(connection, record))  # for a QueueHandler, a queue
    logging.getLogger().handlers = [QueueHandler(to_other)]  # alone: a script that is imported again may set others
    warnings.showwarning = lambda message, *_place, **_options: logger.warning("%s", message)
    try:
        answer = call()
    except Exception as error:
        answer, note = RuntimeError(repr(error)), traceback.format_exc()  # the traceback itself cannot be sent
        with suppress(Exception):  # nor can an error that cannot be copied
            answer = deepcopy(error)
        answer.add_note(note)
    _send(connection, answer)


def _send(connection: Connection, message: object) -> None:
    with suppress(OSError):  # nobody waits any more
        connection.send(message)


def _stop_when_told(connection: Connection) -> None:
    with suppress(EOFError, OSError):  # the other process died
        connection.recv()
    signal.raise_signal(signal.SIGTERM)


def _answer_of(connection: Connection, is_stopped: threading.Event) -> Any:
    try:
        while isinstance(answer := connection.recv(), logging.LogRecord):
            logging.getLogger(answer.name).log(answer.levelno, answer.getMessage())
    except (EOFError, OSError):
        advice = "free some memory, and give the command again, or resume; scripts: docs/python.md"
        answer = S2SError(f"a process died: {advice}")
    if not isinstance(answer, Exception):
        return answer
    if not is_stopped.is_set() and not isinstance(answer, Interrupted):
        told = answer if isinstance(answer, S2SError | OSError) else repr(answer)
        logger.warning("one of the processes has failed, and any others go on: %s", told)
    raise answer


def _start_worker() -> None:
    """Ignore interrupts, which the parent handles, and end when the parent ends or is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)
