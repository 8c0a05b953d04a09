import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from seq2seq_cli.compute.device import computing
from seq2seq_cli.config.choices import Precision
from seq2seq_cli.learning.muon import Muon, orthogonal

CPU = torch.device("cpu")


@given(m=st.integers(2, 9), n=st.integers(2, 9), scale=st.sampled_from([1e-3, 1.0, 1e3]), seed=st.integers(0, 99))
def test_an_orthogonal_matrix_has_the_same_singular_vectors_and_values_near_one(
    m: int, n: int, scale: float, seed: int
) -> None:
    torch.manual_seed(seed)
    u, _ = torch.linalg.qr(torch.randn(m, m, dtype=torch.float64))
    v, _ = torch.linalg.qr(torch.randn(n, n, dtype=torch.float64))
    values = torch.linspace(1, 0.1, min(m, n), dtype=torch.float64)
    of = u[:, : len(values)] * values * scale @ v[:, : len(values)].t()
    (of_wide,) = orthogonal((of if m <= n else of.t()).unsqueeze(0))
    inner = u.t() @ (of_wide if m <= n else of_wide.t()) @ v
    diagonal = inner.diagonal().clone()
    assert ((diagonal > 0.6) & (diagonal < 1.3)).all()
    expected = values / values.norm()
    for _ in range(5):
        expected = 3.4445 * expected - 4.7750 * expected**3 + 2.0315 * expected**5
    torch.testing.assert_close(diagonal, expected, rtol=0, atol=1e-9)
    inner.diagonal().zero_()
    torch.testing.assert_close(inner, torch.zeros_like(inner), rtol=0, atol=1e-9)


@pytest.mark.parametrize("precision", ["fp32", "bf16", "bf16-mixed"])
@pytest.mark.parametrize("shape", [(16, 16), (16, 64)])
def test_in_any_precision_small_singular_values_grow_no_larger_than_the_others(
    precision: Precision, shape: tuple[int, int]
) -> None:
    torch.manual_seed(3)
    m, n = shape
    u, _ = torch.linalg.qr(torch.randn(m, 16))
    v, _ = torch.linalg.qr(torch.randn(n, 16))
    with computing(precision, CPU):
        result = orthogonal((u * torch.logspace(0, -6, 16) @ v.t()).unsqueeze(0))
    assert torch.linalg.svdvals(result.double()).max() < 1.3


def test_matrices_of_like_shapes_are_updated_as_each_by_itself() -> None:
    torch.manual_seed(4)
    shapes = [(3, 5), (5, 3), (3, 5), (4, 4)]
    together = [nn.Parameter(torch.randn(shape, dtype=torch.float64)) for shape in shapes]
    apart = [nn.Parameter(weight.detach().clone()) for weight in together]
    for weight, other in zip(together, apart, strict=True):
        weight.grad = torch.randn_like(weight)
        other.grad = weight.grad.clone()
        Muon([other], lr=0.1, weight_decay=0.1).step()
    Muon(together, lr=0.1, weight_decay=0.1).step()
    torch.testing.assert_close(together, apart, rtol=0, atol=1e-12)


@pytest.mark.skipif(not hasattr(torch.optim, "Muon"), reason="torch has it from 2.9 on")
# On a CPU with AMX, bf16 is 0.0045 from fp64, and torch's own, in another bf16, 0.0025.
@pytest.mark.parametrize(("precision", "rounding"), [("fp32", 0.004), ("bf16", 0.007), ("bf16-mixed", 0.004)])
@pytest.mark.parametrize("shape", [(48, 64), (96, 32)])
def test_in_any_precision_it_is_torch_s_own(precision: Precision, rounding: float, shape: tuple[int, int]) -> None:
    torch.manual_seed(2)
    ours, theirs = (nn.Parameter(torch.ones(shape)) for _ in range(2))
    muon = Muon([ours], lr=0.1, weight_decay=0.1)
    of_torch = torch.optim.Muon([theirs], lr=0.1, weight_decay=0.1, adjust_lr_fn="match_rms_adamw")
    for _ in range(3):
        ours.grad = torch.randn(shape)
        theirs.grad = ours.grad.clone()
        with computing(precision, CPU):
            muon.step()
        of_torch.step()  # type: ignore[no-untyped-call]
    assert ours.dtype == torch.float32
    torch.testing.assert_close(ours, theirs, rtol=0, atol=rounding)
    assert (1 - ours).abs().max() > 0.1


def test_a_gradient_of_zeros_and_none_leave_the_weights_finite() -> None:
    assert torch.equal(orthogonal(torch.zeros(1, 3, 4)), torch.zeros(1, 3, 4))
    weight = nn.Parameter(torch.ones(2, 2))
    Muon([weight], lr=0.1, weight_decay=0.1).step()
    assert torch.equal(weight.detach(), torch.ones(2, 2))
