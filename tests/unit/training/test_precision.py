import pytest
import torch

from seq2seq_cli.training.precision import Precision, choose_precision, computing
from tests.unit.training.conftest import CPU

# What bf16, with its eight bits, cannot hold: 257 is 256 there.
LEFT, RIGHT = torch.full((64, 64), 257.0), torch.eye(64)


@pytest.mark.parametrize("name", ["fp32", "bf16", "bf16-mixed"])
def test_a_name_is_taken_at_its_word(name: Precision) -> None:
    assert choose_precision(name, CPU) == name


def test_auto_takes_one_of_them_and_leaves_the_threads_as_they_were() -> None:
    threads = torch.get_num_threads()
    assert choose_precision("auto", CPU) in ("fp32", "bf16", "bf16-mixed")
    assert torch.get_num_threads() == threads


def test_a_device_without_a_measurement_takes_fp32() -> None:
    assert choose_precision("auto", torch.device("mps")) == "fp32"


def test_fp32_is_exact_and_mixed_gives_bf16() -> None:
    with computing("fp32", CPU):
        exact = LEFT @ RIGHT
    with computing("bf16-mixed", CPU):
        mixed = LEFT @ RIGHT
    assert (exact.dtype, mixed.dtype) == (torch.float32, torch.bfloat16)
    assert exact[0, 0] == 257
    assert mixed[0, 0] == 256


def test_bf16_keeps_fp32_numbers_and_ends_with_the_step() -> None:
    before = torch.get_float32_matmul_precision()
    with computing("bf16", CPU):
        assert torch.get_float32_matmul_precision() == "medium"
        product = LEFT @ RIGHT
    assert product.dtype == torch.float32
    assert torch.get_float32_matmul_precision() == before
    assert (LEFT @ RIGHT)[0, 0] == 257


def fail_inside(precision: Precision) -> None:
    with computing(precision, CPU):
        raise KeyError


def test_a_step_that_fails_leaves_no_trace() -> None:
    before = torch.get_float32_matmul_precision()
    with pytest.raises(KeyError):
        fail_inside("bf16")
    assert torch.get_float32_matmul_precision() == before
