"""The workers of prepare: results do not depend on them, and a fault is reported in one line."""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from seq2seq_cli.compute.workers import Workers, _interrupts_held, local_workers


def double(number: int) -> int:
    return 2 * number


def loaded_modules(_: int) -> bool:
    import seq2seq_cli.preparation.analysis  # noqa: F401  # what a worker loads

    return "torch" in sys.modules


def test_results_come_in_order_and_tasks_are_taken_as_they_are_needed() -> None:
    taken = []

    def tasks() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    with ThreadPoolExecutor(3) as pool:
        for workers, most_ahead in ((Workers(executor=pool, count=3), 6), (Workers(), 1)):
            taken.clear()
            for number, (task, result) in enumerate(workers.map_in_order(double, tasks())):
                assert (task, result) == (number, 2 * number)
                assert len(taken) <= number + most_ahead


def test_an_error_of_a_task_reaches_the_caller() -> None:
    with ThreadPoolExecutor(1) as pool:
        for workers in (Workers(), Workers(executor=pool)):
            with pytest.raises(ZeroDivisionError):
                list(workers.map_in_order(lambda n: 1 // n, [1, 0, 2]))


def test_small_files_need_no_processes() -> None:
    with local_workers(1000) as workers:
        assert workers.executor is None


def test_worker_processes_do_not_load_torch() -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        [(_, has_torch)] = Workers(executor=pool, count=1).map_in_order(loaded_modules, [0])
    assert not has_torch


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_an_interrupt_waits_while_processes_start_and_does_not_reach_them() -> None:
    told = []

    def start() -> None:
        with _interrupts_held():
            signal.raise_signal(signal.SIGINT)
            ask = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
            told.append(subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True).stdout)

    with pytest.raises(KeyboardInterrupt):
        start()
    assert told == ["True\n"]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
