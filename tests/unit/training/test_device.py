"""Memory: what is freed is given back, and too little of it is told from other errors."""

import platform
import resource
from pathlib import Path

import pytest
import torch

from seq2seq_cli.errors import TrainingError
from seq2seq_cli.training.device import give_back_memory, is_out_of_memory, memory_errors
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
