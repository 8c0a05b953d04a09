"""Choice of the precision, and what it does to products."""

import pytest
import torch

from seq2seq_cli.compute.precision import _fastest, _has_bf16_units, choose_precision, computing
from seq2seq_cli.config.choices import Precision
from tests.tiny import CPU

# bf16, with its eight significant bits, rounds 257 to 256.
LEFT, RIGHT = torch.full((64, 64), 257.0), torch.eye(64)


@pytest.mark.parametrize("name", ["fp32", "bf16", "bf16-mixed"])
def test_a_named_precision_is_chosen(name: Precision) -> None:
    assert choose_precision(name, CPU) == name


def test_auto_chooses_a_precision_and_restores_the_number_of_threads() -> None:
    threads = torch.get_num_threads()
    assert choose_precision("auto", CPU) in ("fp32", "bf16", "bf16-mixed")
    assert torch.get_num_threads() == threads


@pytest.mark.parametrize(
    ("fp32", "mixed", "bf16", "fastest"),
    [
        (100.0, 50.0, 60.0, "bf16-mixed"),
        (100.0, 60.0, 50.0, "bf16"),
        (100.0, 86.0, 76.0, "bf16-mixed"),
        (100.0, 90.0, 95.0, "fp32"),  # faster by too little
        (100.0, 50.0, 49.0, "bf16-mixed"),
        (0.0, 0.0, 0.0, "fp32"),  # too fast for the clock
    ],
)
def test_a_precision_is_chosen_over_fp32_only_if_it_is_clearly_faster(
    fp32: float, mixed: float, bf16: float, fastest: Precision
) -> None:
    assert _fastest({"fp32": fp32, "bf16-mixed": mixed, "bf16": bf16}) == fastest


@pytest.mark.parametrize("unit", ["avx512_bf16", "amx_bf16", "bf16"])
def test_bf16_units_are_recognised_by_each_of_their_names(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cpu.get_capabilities", lambda: {"avx2": True, unit: True}, raising=False)
    assert _has_bf16_units()


def test_auto_is_fp32_on_a_device_without_a_measurement() -> None:
    assert choose_precision("auto", torch.device("mps")) == "fp32"


def test_fp32_is_exact_and_bf16_mixed_gives_bf16_tensors() -> None:
    with computing("fp32", CPU):
        exact = LEFT @ RIGHT
    with computing("bf16-mixed", CPU):
        mixed = LEFT @ RIGHT
    assert (exact.dtype, mixed.dtype) == (torch.float32, torch.bfloat16)
    assert exact[0, 0] == 257
    assert mixed[0, 0] == 256


def test_bf16_keeps_fp32_tensors_and_ends_with_the_step() -> None:
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


def test_a_step_that_fails_restores_the_precision() -> None:
    before = torch.get_float32_matmul_precision()
    with pytest.raises(KeyError):
        fail_inside("bf16")
    assert torch.get_float32_matmul_precision() == before
