"""Calls in threads: their results come in the order of the items."""

import itertools
import threading
from collections.abc import Iterator

import pytest

from seq2seq_cli.compute.threads import check_wanted, map_in_threads


@pytest.mark.parametrize(("threads", "ahead"), [(1, 0), (2, 0), (5, 0), (1, 3)])
def test_results_come_in_the_order_of_the_items(threads: int, ahead: int) -> None:
    found = list(map_in_threads(lambda item: item**2, range(20), threads, ahead=ahead))
    assert found == [item**2 for item in range(20)]


def test_calls_run_side_by_side() -> None:
    both = threading.Barrier(2, timeout=20)
    assert len(list(map_in_threads(lambda _: both.wait(), range(2), 2))) == 2


def test_a_single_call_needs_no_thread() -> None:
    assert list(map_in_threads(lambda _: threading.current_thread(), [0], 8)) == [threading.main_thread()]


@pytest.mark.parametrize(("threads", "ahead"), [(1, 0), (2, 0), (1, 3)])
def test_an_error_reaches_the_caller_after_the_results_before_it(threads: int, ahead: int) -> None:
    results = map_in_threads(lambda item: 6 // (2 - item), range(9), threads, ahead=ahead)
    assert [next(results), next(results)] == [3, 6]
    with pytest.raises(ZeroDivisionError):
        next(results)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_an_error_of_the_iterator_follows_the_results_of_the_items_before_it(threads: int, count: int) -> None:
    def items() -> Iterator[int]:
        yield from range(count)
        raise KeyError("the next")

    results = map_in_threads(lambda item: item, items(), threads)
    assert [next(results) for _ in range(count)] == list(range(count))
    with pytest.raises(KeyError, match="the next"):
        next(results)


def test_an_endless_iterator_is_taken_little_by_little() -> None:
    taken: list[int] = []

    def items() -> Iterator[int]:
        while True:
            taken.append(0)
            yield 0

    assert list(itertools.islice(map_in_threads(lambda item: item, items(), 2), 10)) == [0] * 10
    assert len(taken) < 10 + 2 * 2
    taken.clear()
    assert list(itertools.islice(map_in_threads(lambda item: item, items(), 1, ahead=3), 10)) == [0] * 10
    assert len(taken) == 10 + 3


def test_a_thread_that_works_ahead_is_another_one_and_ends_with_its_consumer() -> None:
    before = threading.active_count()
    found = map_in_threads(lambda _: threading.current_thread(), itertools.count(), 1, ahead=3)
    assert next(found) is not threading.main_thread()
    assert next(found).is_alive()
    del found
    assert threading.active_count() == before


def test_calls_end_at_their_next_step_when_nobody_wants_their_results() -> None:
    def call(item: int) -> int:
        while item:
            check_wanted()
        return item

    results = map_in_threads(call, range(3), 2)
    assert next(results) == 0
    results.close()
