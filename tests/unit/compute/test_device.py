"""Which device it is, its precision, and what repeats on it."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from seq2seq_cli.compute.device import (
    choose_device,
    choose_precision,
    computing,
    denormals_as_zero,
    describe_device,
    deterministic_algorithms,
)
from seq2seq_cli.compute.process_group import ProcessGroup
from seq2seq_cli.config.choices import Precision
from seq2seq_cli.errors import UsageError
from tests.tiny import CPU


@pytest.mark.skipif(torch.cuda.is_available(), reason="its GPU goes first")
def test_several_processes_train_together_where_sums_can_be_carried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    two = ProcessGroup(rank=0, size=2)
    assert choose_device("auto").type == "mps"
    assert choose_device("auto", two).type == "cpu"
    with pytest.raises(UsageError, match="not in several processes; choose cpu or auto"):
        choose_device("mps", two)


@pytest.mark.parametrize(("threads", "shown"), [(1, "cpu (1 thread)"), (2, "cpu (2 threads)")])
def test_a_cpu_is_described_with_its_threads(threads: int, shown: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.get_num_threads", lambda: threads)
    assert describe_device(CPU) == shown


def test_deterministic_algorithms_inside_and_all_as_before_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8")
    with deterministic_algorithms():
        assert torch.are_deterministic_algorithms_enabled()
    assert not torch.are_deterministic_algorithms_enabled()


def test_denormal_numbers_are_zero_inside_and_numbers_again_afterwards() -> None:
    denormal = torch.tensor([1e-40])
    with denormals_as_zero():
        assert (denormal * 1.0).item() == 0.0
    assert (denormal * 1.0).item() > 0.0


# bf16, with its eight significant bits, rounds 257 to 256.
LEFT, RIGHT = torch.full((64, 64), 257.0), torch.eye(64)


@pytest.mark.parametrize("name", ["fp32", "bf16-mixed"])
def test_a_named_precision_is_chosen(name: Precision) -> None:
    assert choose_precision(name, CPU) == name


@pytest.mark.parametrize(
    ("units", "bf16_seconds", "chosen"),
    [
        (("avx512_bf16",), 0.5, "bf16-mixed"),
        (("avx512_bf16",), 2.0, "fp32"),
        (("amx_bf16", "avx2"), 0.1, "bf16-mixed"),
        (("avx2", "bf16"), 0.5, "fp32"),
        ((), 0.5, "fp32"),
    ],
)
def test_auto_chooses_bf16_where_a_cpu_has_units_for_it_and_is_faster(
    units: tuple[str, ...], bf16_seconds: float, chosen: Precision, monkeypatch: pytest.MonkeyPatch
) -> None:
    def repeat(product: Callable[[], Tensor], **_: int) -> list[float]:
        return [9.0, bf16_seconds if product().dtype == torch.bfloat16 else 1.0]

    monkeypatch.setattr("torch.cpu.get_capabilities", lambda: dict.fromkeys(units, True), raising=False)
    monkeypatch.setattr("timeit.repeat", repeat)
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


def test_a_step_that_fails_restores_the_precision() -> None:
    with pytest.raises(KeyError), computing("bf16-mixed", CPU):
        raise KeyError
    assert (LEFT @ RIGHT)[0, 0] == 257
