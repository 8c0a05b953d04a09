"""The measurements of a round of training, with a clock that the test moves."""

from collections.abc import Iterator

from benchmarks.speed.training_round import measure


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
