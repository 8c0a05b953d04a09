"""Choice of the precision, and what it does to products."""

import pytest
import torch

from seq2seq_cli.compute.precision import choose_precision, computing
from seq2seq_cli.config.choices import Precision
from tests.tiny import CPU

# bf16, with its eight significant bits, rounds 257 to 256.
LEFT, RIGHT = torch.full((64, 64), 257.0), torch.eye(64)


@pytest.mark.parametrize("name", ["fp32", "bf16", "bf16-mixed"])
def test_a_named_precision_is_chosen(name: Precision) -> None:
    assert choose_precision(name, CPU) == name


@pytest.mark.parametrize(
    ("units", "chosen"),
    [(("avx512_bf16",), "bf16-mixed"), (("amx_bf16", "avx2"), "bf16-mixed"), (("avx2", "bf16"), "fp32"), ((), "fp32")],
)
def test_auto_chooses_bf16_where_a_cpu_has_units_for_it(
    units: tuple[str, ...], chosen: Precision, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cpu.get_capabilities", lambda: dict.fromkeys(units, True), raising=False)
    assert choose_precision("auto", CPU) == chosen
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
