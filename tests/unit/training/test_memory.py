"""What is known and kept of memory, and how it is told that there is too little."""

import platform
import sys
from pathlib import Path

import pytest
import torch

from seq2seq_cli.errors import TrainingError
from seq2seq_cli.training.memory import (
    FreedMemory,
    give_back_memory,
    is_out_of_memory,
    memory_errors,
    peak_memory_mb,
)
from tests.unit.training.conftest import CPU


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


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another allocator")
def test_a_training_gives_back_what_it_keeps_when_it_is_too_much() -> None:
    blocks: list[bytes | None] = [None] * 5000

    def free(count: int) -> None:
        """Nine of ten blocks of 0.1 MB: what is free at the end of the heap is returned in any case."""
        for place in range(count):
            blocks[place] = bytes([1]) * 100_000
        for place in range(count):
            if place % 10:
                blocks[place] = None

    freed = FreedMemory()
    before = resident_bytes()
    free(1000)
    freed.limit()
    kept = resident_bytes() - before
    free(5000)
    freed.limit()
    assert kept > 80e6
    assert resident_bytes() - before < 120e6  # what is in use, a tenth of 500 MB, and the pages at its ends


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
