"""What is read of two trainings to compare them."""

import json

import pytest

from benchmarks.distributed import Trained, difference, read_metrics, threads_each


def test_the_last_epoch_counts_by_itself() -> None:
    records = [
        {"kind": "step", "step": 100, "tokens": 5},
        {"kind": "epoch", "tokens": 1000, "seconds": 10.0, "train_loss": 5.0},
        {"kind": "epoch", "tokens": 2000, "seconds": 14.0, "train_loss": 4.0},
        {"kind": "end", "step": 200},
    ]
    assert read_metrics(map(json.dumps, records)) == Trained(rate=250.0, loss=4.0)
    with pytest.raises(ValueError, match="not enough values"):
        read_metrics(map(json.dumps, records[:2]))
    with pytest.raises(RuntimeError, match="too short to be timed"):
        read_metrics(map(json.dumps, [records[1], records[1]]))


def test_a_difference_is_in_per_cent_of_the_first() -> None:
    assert difference(4.0, 4.02) == pytest.approx(0.5)
    assert difference(4.0, 3.98) == pytest.approx(0.5)


@pytest.mark.parametrize(("cores", "alone", "each"), [(1, 2, 1), (2, 2, 1), (8, 8, 4)])
def test_one_process_has_as_many_threads_as_two(cores: int, alone: int, each: int) -> None:
    assert threads_each(1, cores=cores) == alone
    assert threads_each(2, cores=cores) == each
