"""Memory that does not suffice is told from other errors."""

import pytest
import torch

from seq2seq_cli.errors import TrainingError
from seq2seq_cli.training.device import is_out_of_memory, memory_errors
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
