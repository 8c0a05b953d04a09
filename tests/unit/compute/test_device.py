"""Which device it is, and what repeats on it."""

import pytest
import torch

from seq2seq_cli.compute.device import choose_device, describe_device, deterministic_algorithms
from seq2seq_cli.compute.process_group import ProcessGroup
from seq2seq_cli.errors import UsageError


@pytest.mark.skipif(torch.cuda.is_available(), reason="its GPU goes first")
def test_several_processes_train_together_where_sums_can_be_carried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    two = ProcessGroup(rank=0, size=2)
    assert choose_device("auto").type == "mps"
    assert choose_device("auto", two).type == "cpu"
    with pytest.raises(UsageError, match="not in several processes; choose cpu or auto"):
        choose_device("mps", two)


@pytest.mark.parametrize(("threads", "shown"), [(1, "cpu (1 thread)"), (2, "cpu (2 threads)")])
def test_a_cpu_is_described_with_its_threads(threads: int, shown: str) -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        assert describe_device(torch.device("cpu")) == shown
    finally:
        torch.set_num_threads(before)


def test_deterministic_algorithms_inside_and_all_as_before_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8")
    with deterministic_algorithms():
        assert torch.are_deterministic_algorithms_enabled()
    assert not torch.are_deterministic_algorithms_enabled()
