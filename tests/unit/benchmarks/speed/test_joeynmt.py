"""The figures in the log of JoeyNMT."""

import pytest

from benchmarks.speed.joeynmt import enough, speeds

LINE = "12:00:00,1 - INFO - joeynmt.training - Epoch   1, Step:   5, Batch Acc: 0.1, Tokens per Sec: {:8d}, Lr: 1\n"


def test_speeds_are_read_from_its_log() -> None:
    log = ["EPOCH 1\n", LINE.format(720), "UserWarning: something\n", LINE.format(1650), "RuntimeError: no\n"]
    read = speeds(log)
    assert [next(read), next(read)] == [720, 1650]
    with pytest.raises(RuntimeError, match=r"ended by itself: (.*\n)+RuntimeError: no"):
        next(read)


def test_the_first_figure_is_left_out_and_at_least_one_is_taken() -> None:
    times = iter([100.0, 105.0, 111.0])
    assert enough(iter([1, 20, 30, 40]), 10.0, clock=lambda: next(times)) == [20, 30]
    times = iter([100.0, 150.0])
    assert enough(iter([1, 20, 30]), 10.0, clock=lambda: next(times)) == [20]
