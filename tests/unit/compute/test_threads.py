"""Calls in threads: their results come in the order of the items."""

import threading

import pytest

from seq2seq_cli.compute.threads import map_in_threads


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_items(threads: int) -> None:
    assert list(map_in_threads(lambda item: item**2, range(20), threads)) == [item**2 for item in range(20)]


def test_calls_run_side_by_side() -> None:
    both = threading.Barrier(2, timeout=20)
    assert len(list(map_in_threads(lambda _: both.wait(), range(2), 2))) == 2


def test_a_single_call_needs_no_thread() -> None:
    assert list(map_in_threads(lambda _: threading.current_thread(), [0], 8)) == [threading.main_thread()]


def test_an_error_reaches_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        list(map_in_threads(lambda item: 1 // item, range(3), 2))
