"""The measurements of a round of training, with a clock that the test moves."""

from collections.abc import Iterator

import pytest

from benchmarks.speed.training_round import measure, peak_memory


class Clock:
    """A clock that stands until the test moves it."""

    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


def steps(clock: Clock, *, seconds: float, tokens: list[int]) -> Iterator[int]:
    for count in tokens:
        clock.now += seconds
        yield count


def test_the_rate_is_tokens_over_time_after_the_warm_up() -> None:
    clock = Clock()
    # Two steps of warm-up, then three of two seconds each, to reach 5 seconds.
    training = steps(clock, seconds=2.0, tokens=[1000, 1000, 10, 20, 30, 9999])
    measured = measure(training, seconds=5.0, precision="fp32", clock=clock)
    assert measured.rate == (10 + 20 + 30) / 6.0
    assert measured.precision == "fp32"
    assert 0 < measured.peak_halfway <= measured.peak


def test_a_step_longer_than_the_time_is_counted_whole() -> None:
    clock = Clock()
    measured = measure(steps(clock, seconds=8.0, tokens=[5, 24]), seconds=1.0, precision="fp32", clock=clock)
    assert measured.rate == 3.0


def test_a_training_that_ends_is_not_measured() -> None:
    clock = Clock()
    with pytest.raises(StopIteration):
        measure(steps(clock, seconds=1.0, tokens=[5, 5]), seconds=9.0, precision="fp32", clock=clock)


def test_the_peak_of_this_process_is_in_megabytes() -> None:
    held = bytes([1]) * 100_000_000
    assert len(held) / 1e6 < peak_memory() < 1e6
