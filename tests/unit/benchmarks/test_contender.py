"""What is counted of a round of training, with a clock that the test moves."""

from collections.abc import Iterator

import pytest

from benchmarks.contender import peak_memory, watch


class Clock:
    """Goes on only when told."""

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
    # Two steps of the warm-up, then as many as reach 5 seconds: three of two seconds each.
    training = steps(clock, seconds=2.0, tokens=[1000, 1000, 10, 20, 30, 9999])
    seen = watch(training, seconds=5.0, precision="fp32", clock=clock)
    assert seen.rate == (10 + 20 + 30) / 6.0
    assert seen.precision == "fp32"
    assert 0 < seen.peak_halfway <= seen.peak


def test_a_step_longer_than_the_time_is_counted_whole() -> None:
    clock = Clock()
    seen = watch(steps(clock, seconds=8.0, tokens=[5, 24]), seconds=1.0, precision="fp32", clock=clock)
    assert seen.rate == 3.0


def test_a_training_that_ends_is_not_measured() -> None:
    clock = Clock()
    with pytest.raises(StopIteration):
        watch(steps(clock, seconds=1.0, tokens=[5, 5]), seconds=9.0, precision="fp32", clock=clock)


def test_the_peak_of_this_process_is_told_in_megabytes() -> None:
    held = bytes([1]) * 100_000_000
    assert len(held) / 1e6 < peak_memory() < 1e6
