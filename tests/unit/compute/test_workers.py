"""Work in other processes: results do not depend on them, and a fault is reported in one line."""

import logging
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from seq2seq_cli.compute.workers import Workers, _starting_processes, beside, local_workers
from seq2seq_cli.errors import S2SError, UsageError
from tests.waiting import wait_until


def double(number: int) -> int:
    return 2 * number


def loaded_modules(_: int) -> bool:
    import seq2seq_cli.preparation.analysis  # noqa: F401  # what a worker loads

    return "torch" in sys.modules


def refuse(reason: str) -> None:
    raise UsageError(reason)


def divide(number: int) -> float:
    return 1 / number


class OfTwoError(Exception):
    """An error that cannot be made again from its arguments."""

    def __init__(self, a: int, b: int) -> None:
        super().__init__(f"{a} {b}: the true reason")


def fail_by_two() -> None:
    raise OfTwoError(1, 2)


def warn_of(what: str) -> None:
    warnings.warn(f"{what} is slow", RuntimeWarning, stacklevel=1)
    logging.getLogger("seq2seq_cli.x").warning("%s: 100%% full", what)


def save_when_stopped(begun: Path, saved: Path) -> None:
    signal.signal(signal.SIGTERM, lambda *_: saved.touch())
    begun.touch()
    while not saved.exists():
        time.sleep(0.01)


def stop_once_there_is(path: Path) -> None:
    wait_until(path.exists)
    raise KeyboardInterrupt


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
        with _starting_processes():
            signal.raise_signal(signal.SIGINT)
            ask = "import signal; print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))"
            told.append(subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True).stdout)

    with pytest.raises(KeyboardInterrupt):
        start()
    assert told == ["True\n"]
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_an_interrupt_waits_for_the_first_process_too() -> None:
    program = """
import signal
from seq2seq_cli.compute.workers import _SPAWN, _starting_processes
with _starting_processes():
    process = _SPAWN.Process(target=int)
    process.start()
    print(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []))
process.join()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_calls_beside_the_block_have_their_results_after_it() -> None:
    with beside([partial(double, 4), partial(double, 2)]) as results:
        assert results == []
    assert results == [8, 4]
    with beside([]) as results:
        pass
    assert results == []


@pytest.mark.parametrize(
    ("call", "kind", "told"),
    [
        (partial(refuse, "not so"), UsageError, "not so"),
        (partial(os._exit, 3), S2SError, "a process died"),
        (partial(divide, 0), ZeroDivisionError, "ZeroDivisionError"),
        (fail_by_two, RuntimeError, """RuntimeError("OfTwoError('1 2: the true reason')")"""),
    ],
)
def test_an_error_beside_the_block_is_told_while_the_block_goes_on_and_raised_after_it(
    call: Callable[[], object], kind: type[Exception], told: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(kind), beside([call]):
        wait_until(lambda: f"any others go on: {told}" in caplog.text)


def test_a_bug_beside_the_block_is_raised_with_its_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ZeroDivisionError) as raised, beside([partial(divide, 0)]):
        pass
    assert "in divide" in raised.value.__notes__[0]
    assert capfd.readouterr().err == ""


def test_what_a_call_warns_of_is_logged_here(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with beside([partial(warn_of, "it")]):
        pass
    assert caplog.messages == ["it is slow", "it: 100% full"]
    assert capfd.readouterr().err == ""


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_a_block_that_fails_stops_the_calls_which_have_time_to_save(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    begun, saved = tmp_path / "begun", tmp_path / "saved"
    calls: list[Callable[[], None]] = [partial(save_when_stopped, begun, saved), partial(time.sleep, 1000)]
    with pytest.raises(KeyboardInterrupt), beside(calls):
        stop_once_there_is(begun)
    assert saved.exists()
    assert caplog.messages == []  # the other call has died of the stop, which is no failure
