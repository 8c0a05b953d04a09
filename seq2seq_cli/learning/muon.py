"""Muon: gradient descent for matrices whose updates are orthogonal, so that no direction is left behind."""

from collections.abc import Iterable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from seq2seq_cli.compute.precision import has_full_products, product_dtype

_COEFFICIENTS = 3.4445, -4.7750, 2.0315
"""Those of Jordan et al. 2024: steep near 0, so that small singular values grow fast; near 1 all stay within 0.3."""
_STEPS = 5
_MOMENTUM = 0.95


class Muon(torch.optim.Optimizer):
    """Nesterov's momentum of the gradient, made orthogonal; Jordan et al. 2024, algorithm 2.

    M <- 0.95 M + 0.05 G;  W <- W - lr (λ W + 0.2 √max(m, n) orthogonal(0.05 G + 0.95 M))

    0.2 √max(m, n) makes an update as large as one of AdamW, whose learning rate and weight decay λ suit then: Liu et
    al. 2025, section 2.2, eq. 4. torch has a Muon as well, whose products are always in bf16: without units for it,
    an update takes as long as several whole steps. Here they have the precision of the context that `step` is called
    in, as those of the model.
    """

    def __init__(self, weights: Iterable[nn.Parameter], *, lr: float, weight_decay: float) -> None:
        """`weights` are matrices; `weight_decay` is λ."""
        super().__init__(weights, {"lr": lr, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        """Update all weights that have a gradient; unlike torch's own, it takes no closure."""
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is not None:
                    self._update(weight, weight.grad, lr=group["lr"], decay=group["weight_decay"])

    def _update(self, weight: nn.Parameter, gradient: Tensor, *, lr: float, decay: float) -> None:
        state = self.state[weight]
        if not state:
            state["momentum"] = torch.zeros_like(gradient)
        momentum = state["momentum"].lerp_(gradient, 1 - _MOMENTUM)
        direction = orthogonal(gradient.lerp(momentum, _MOMENTUM))
        weight.mul_(1 - lr * decay).add_(direction, alpha=-lr * 0.2 * max(weight.shape) ** 0.5)


def orthogonal(matrix: Float[Tensor, "m n"]) -> Float[Tensor, "m n"]:
    """The matrix with its singular vectors and all singular values near 1, by the iteration of Newton and Schulz.

    X <- a X + (b A + c A²) X with A = X Xᵀ changes the singular values alone: s to a s + b s³ + c s⁵. Under autocast
    the products, and the result, are in its dtype. The zero matrix stays zero.
    """
    m, n = matrix.shape
    # Of X Xᵀ and Xᵀ X, the smaller one.
    X = matrix if m <= n else matrix.t()
    # No singular value is larger than the norm, and the iteration needs them to be 1 at most.
    X = (X / X.norm().clamp(min=1e-7)).to(product_dtype(X))
    # In bf16, the error of A would grow twelvefold per step if A were not computed from X each time.
    twice_as_wide = X.shape[1] >= 2 * X.shape[0]
    X = _iterate_squares(X) if twice_as_wide and has_full_products(X) else _iterate(X)
    return X if m <= n else X.t()


def _iterate(x: Float[Tensor, "m n"]) -> Float[Tensor, "m n"]:
    a, b, c = _COEFFICIENTS
    for _ in range(_STEPS):
        square = x @ x.t()
        x = torch.addmm(x, torch.addmm(square, square, square, beta=b, alpha=c), x, beta=a)
    return x


def _iterate_squares(x: Float[Tensor, "m n"]) -> Float[Tensor, "m n"]:
    """The same, with products of m x m matrices in place of m x n; faster from n = 2 m on.

    With P = a I + b A + c A², a step is X <- P X and A <- P A P, which is P² A: all are polynomials of the first A. So
    X itself is needed at the end alone, multiplied by the product of all P.
    """
    square = x @ x.t()
    factor = product = _polynomial(square)
    for _ in range(_STEPS - 1):
        square = factor @ factor @ square
        factor = _polynomial(square)
        product = product @ factor
    return product @ x


def _polynomial(square: Float[Tensor, "m m"]) -> Float[Tensor, "m m"]:
    """P of `_iterate_squares`."""
    a, b, c = _COEFFICIENTS
    result = torch.addmm(square, square, square, beta=b, alpha=c)
    result.diagonal().add_(a)
    return result
