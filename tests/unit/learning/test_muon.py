from typing import cast

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from seq2seq_cli.compute.device import computing
from seq2seq_cli.config.choices import Precision
from seq2seq_cli.learning.muon import Muon, orthogonal
from tests.tiny import CPU

STEPS = (
    (8.28721202, -23.59588652, 17.30038731),
    (4.10705911, -2.94784992, 0.54484311),
    (3.94869085, -2.9089021, 0.55181914),
)
"""The polynomials of the Polar Express before they are made safe."""


def grown(values: torch.Tensor) -> torch.Tensor:
    """Singular values after the three steps, from their share of the norm."""
    values = values / values.norm()
    for a, b, c in STEPS:
        values = values / 1.01
        values = a * values + b * values**3 + c * values**5
    return values


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
    assert ((diagonal > 0.15) & (diagonal < 1.9)).all()
    torch.testing.assert_close(diagonal, grown(values), rtol=0, atol=1e-5)
    inner.diagonal().zero_()
    torch.testing.assert_close(inner, torch.zeros_like(inner), rtol=0, atol=1e-7)


@pytest.mark.parametrize("precision", ["fp32", "bf16-mixed"])
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
    assert torch.linalg.svdvals(result.double()).max() < 1.9


def test_matrices_of_like_shapes_and_gates_are_updated_as_each_by_itself() -> None:
    torch.manual_seed(4)
    shapes = [(3, 5), (5, 3), (3, 5), (4, 4)]
    apart = [nn.Parameter(torch.randn(shape, dtype=torch.float64)) for shape in shapes]
    first, *others, last = (nn.Parameter(weight.detach().clone()) for weight in apart)
    gates = nn.Parameter(torch.cat([first, others[1]]).detach())  # two gates of the same sizes
    for weight in apart:
        weight.grad = torch.randn_like(weight)
        Muon([weight], lr=0.1, weight_decay=0.1, gates={}).step()
    gates.grad = torch.cat([cast("torch.Tensor", weight.grad) for weight in (apart[0], apart[2])])
    others[0].grad, last.grad = apart[1].grad, apart[3].grad
    Muon([gates, others[0], last], lr=0.1, weight_decay=0.1, gates={gates: 2}).step()
    together = [*gates.chunk(2), others[0], last]
    expected = [apart[0], apart[2], apart[1], apart[3]]
    for part, alone in zip(together, expected, strict=True):
        torch.testing.assert_close(part, alone.detach(), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("precision", "rounding"), [("fp32", 1e-4), ("bf16-mixed", 0.012)])
@pytest.mark.parametrize("shape", [(48, 64), (96, 32)])
def test_in_any_precision_it_is_the_formula(precision: Precision, rounding: float, shape: tuple[int, int]) -> None:
    torch.manual_seed(2)
    weight = nn.Parameter(torch.ones(shape))
    muon = Muon([weight], lr=0.1, weight_decay=0.1, gates={})
    expected, momentum = torch.ones(shape, dtype=torch.float64), torch.zeros(shape, dtype=torch.float64)
    for _ in range(3):
        weight.grad = torch.randn(shape)
        momentum = 0.95 * momentum + 0.05 * weight.grad
        u, values, vt = torch.linalg.svd(0.05 * weight.grad + 0.95 * momentum, full_matrices=False)
        update = u * grown(values) @ vt
        expected = expected * (1 - 0.1 * 0.1) - 0.1 * 0.2 * max(shape) ** 0.5 * update
        with computing(precision, CPU):
            muon.step()
    assert weight.dtype == torch.float32
    torch.testing.assert_close(weight.double(), expected, rtol=0, atol=rounding)
    assert (1 - weight).abs().max() > 0.1


def test_a_gradient_of_zeros_and_none_leave_the_weights_finite() -> None:
    assert torch.equal(orthogonal(torch.zeros(1, 3, 4)), torch.zeros(1, 3, 4))
    weight = nn.Parameter(torch.ones(2, 2))
    Muon([weight], lr=0.1, weight_decay=0.1, gates={}).step()
    assert torch.equal(weight.detach(), torch.ones(2, 2))
