"""Speed and loss of an epoch, compared between one process and two."""

import pytest

from benchmarks.speed.distributed import Trained, last_epoch, threads_each
from seq2seq_cli.runs.records import History
from tests.records import end, epoch, step


def test_the_last_epoch_counts_by_itself() -> None:
    first, last = epoch(100, 1, seconds=10.0), epoch(200, 2, seconds=14.0)  # 1,000 and 2,000 tokens
    assert last_epoch(History([step(100, 1), first, last, end(200, 2, "done")])) == Trained(rate=250.0, loss=3.5)
    with pytest.raises(ValueError, match="not enough values"):
        last_epoch(History([step(100, 1), first]))
    with pytest.raises(RuntimeError, match="too short to be timed"):
        last_epoch(History([first, first]))


@pytest.mark.parametrize(("cores", "alone", "each"), [(1, 2, 1), (2, 2, 1), (8, 8, 4)])
def test_one_process_has_as_many_threads_as_two(cores: int, alone: int, each: int) -> None:
    assert threads_each(1, cores=cores) == alone
    assert threads_each(2, cores=cores) == each
