"""The learning rate against its formulas."""

import math
from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.learning.optimiser import learning_rate

SCHEDULES = get_args(TrainingConfig.model_fields["schedule"].annotation)


def rates(schedule: str, warmup: int, updates: int, *, lr: float = 1.0) -> list[float]:
    """The rate of each update of a training with `updates`, and of the one that would come after the last."""
    training = TrainingConfig.model_validate({"schedule": schedule, "warmup_steps": warmup, "lr": lr})
    return [learning_rate(training, step=step, fraction_done=step / updates, epochs=0.0) for step in range(updates + 1)]


@pytest.mark.parametrize(
    ("schedule", "after"),
    [
        ("constant", [1.0, 1.0, 1.0, 1.0, 1.0]),
        ("cosine", [1.0, (1 + math.sqrt(0.5)) / 2, 0.5, (1 - math.sqrt(0.5)) / 2, 0.0]),
        ("halving", [1.0, 1.0, 1.0, 1.0, 1.0]),  # in the first epoch
    ],
)
def test_four_updates_of_warm_up_and_four_after_it(schedule: str, after: list[float]) -> None:
    expected: list[Any] = [0.25, 0.5, 0.75, 1.0, *after]
    assert rates(schedule, 4, 8) == pytest.approx(expected)


def test_without_a_warm_up_the_first_update_has_the_highest_rate() -> None:
    assert [rates(schedule, 0, 4)[0] for schedule in SCHEDULES] == [1.0] * 3
    assert rates("cosine", 5, 5)[-1] == 0  # a warm-up to the end


@given(schedule=st.sampled_from(SCHEDULES), warmup=st.integers(0, 30), after=st.integers(1, 50), lr=st.floats(1e-6, 10))
def test_it_climbs_to_lr_without_a_jump_and_only_falls_from_there(
    schedule: str, warmup: int, after: int, lr: float
) -> None:
    found = rates(schedule, warmup, warmup + after, lr=lr)
    assert max(found) == pytest.approx(lr)
    assert max(found) <= lr
    assert found[max(0, warmup - 1)] == pytest.approx(lr)
    assert found[:warmup] == sorted(found[:warmup])
    rest = found[warmup:]
    assert all(later <= earlier * (1 + 1e-12) for earlier, later in pairwise(rest))
    assert min(found) >= 0
    if schedule == "cosine":
        assert rest[0] == pytest.approx(lr)
        assert rest[-1] == pytest.approx(0, abs=1e-9 * lr)


@given(st.integers(0, 100), st.integers(0, 100), st.floats(0, 1))
def test_it_stays_between_0_and_lr_whatever_fraction_is_done(warmup: int, step: int, fraction_done: float) -> None:
    for schedule in SCHEDULES:
        training = TrainingConfig.model_validate({"schedule": schedule, "warmup_steps": warmup, "lr": 0.5})
        assert 0 <= learning_rate(training, step=step, fraction_done=fraction_done, epochs=0.0) <= 0.5


@pytest.mark.parametrize(
    ("after", "every", "halvings"),
    [
        # Sutskever et al. 2014: 0.7 for 5 epochs, then halved every half epoch, 7.5 epochs in all.
        (5.0, 0.5, {0.0: 0, 4.99: 0, 5.0: 1, 5.49: 1, 5.5: 2, 7.0: 5, 7.49: 5}),
        # Luong et al. 2015, with dropout: 8 epochs, then halved every epoch, 12 in all.
        (8.0, 1.0, {7.99: 0, 8.0: 1, 8.99: 1, 9.0: 2, 11.5: 4}),
        (0.0, 1.0, {0.0: 1, 1.0: 2, 5000.0: 5001}),
    ],
)
def test_the_rate_is_halved_as_the_papers_say(after: float, every: float, halvings: dict[float, int]) -> None:
    training = TrainingConfig(schedule="halving", halving_after=after, halving_every=every, lr=0.7)
    for epochs, count in halvings.items():
        rate = learning_rate(training, step=9, fraction_done=0.3, epochs=epochs)
        assert rate == pytest.approx(0.7 * 0.5**count)
