"""Which device it is; what it does with memory, and how it tells that there is too little; what repeats on it."""

import platform
import sys
from pathlib import Path

import pytest
import torch

from seq2seq_cli.errors import TrainingError, UsageError
from seq2seq_cli.training.device import (
    choose_device,
    deterministic_algorithms,
    give_back_memory,
    is_out_of_memory,
    memory_errors,
    peak_memory_mb,
)
from seq2seq_cli.training.world import World
from tests.unit.training.conftest import CPU


@pytest.mark.skipif(torch.cuda.is_available(), reason="its GPU goes first")
def test_several_processes_train_together_where_sums_can_be_carried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    two = World(rank=0, size=2)
    assert choose_device("auto").type == "mps"
    assert choose_device("auto", two).type == "cpu"
    with pytest.raises(UsageError, match="several processes have none here that torch can use; choose cpu or auto"):
        choose_device("mps", two)


def error_of_a_huge_tensor() -> RuntimeError:
    with pytest.raises(RuntimeError) as raised:
        torch.empty(2**50)
    return raised.value


def test_a_tensor_that_does_not_fit_is_recognised() -> None:
    assert is_out_of_memory(error_of_a_huge_tensor())
    assert is_out_of_memory(torch.OutOfMemoryError("CUDA out of memory"))


def test_other_errors_are_not() -> None:
    with pytest.raises(RuntimeError) as raised:
        torch.ones(2, 3) @ torch.ones(2, 3)
    assert not is_out_of_memory(raised.value)
    assert not is_out_of_memory(OSError("Cannot allocate memory"))


def test_it_is_told_in_one_line_that_says_what_helps() -> None:
    with pytest.raises(TrainingError, match=r"out of memory on cpu: lower training\.batch_size"), memory_errors(CPU):
        torch.empty(2**50)


def resident_bytes() -> int:
    import resource

    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another allocator")
def test_what_was_freed_between_what_is_in_use_is_given_back() -> None:
    blocks = [bytes([1]) * 100_000 for _ in range(2000)]
    in_use = resident_bytes()
    kept = blocks[::10]
    del blocks
    give_back_memory()
    assert len(kept) == 200
    # 180 MB were freed; of each block all but the pages at its ends can go.
    assert in_use - resident_bytes() > 120e6


@pytest.mark.parametrize("size", [2**62, 10**20])
def test_a_size_beyond_all_numbers_is_too_large_too(size: int) -> None:
    with pytest.raises(TrainingError, match="out of memory on cpu"), memory_errors(CPU):
        torch.nn.Linear(4, size)


def test_the_memory_of_the_process_is_counted_in_megabytes() -> None:
    held = torch.ones(50_000_000)  # 200 MB
    megabytes = peak_memory_mb(CPU)
    assert megabytes is not None
    assert 4 * len(held) // 10**6 < megabytes < 10**6


def test_where_python_does_not_know_the_memory_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)  # as on Windows
    assert peak_memory_mb(CPU) is None


def test_only_deterministic_algorithms_inside_and_all_as_before_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8")
    with deterministic_algorithms():
        assert torch.are_deterministic_algorithms_enabled()
    assert not torch.are_deterministic_algorithms_enabled()


def test_what_has_no_deterministic_algorithm_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8")
    told = (
        r"^training\.deterministic is true, and torch has no deterministic algorithm for put_ on this device; set .*$"
    )
    with pytest.raises(TrainingError, match=told), deterministic_algorithms():
        torch.zeros(4).put_(torch.tensor([1, 1]), torch.ones(2))
    assert not torch.are_deterministic_algorithms_enabled()


def test_other_errors_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8")
    with pytest.raises(RuntimeError, match="shapes"), deterministic_algorithms():
        torch.ones(2, 3) @ torch.ones(2, 3)
