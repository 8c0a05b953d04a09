"""Muon: gradient descent for matrices whose updates are orthogonal, so that no direction is left behind."""

from collections import defaultdict
from collections.abc import Iterable
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from seq2seq_cli.compute.device import has_full_products, product_dtype

_COEFFICIENTS = 3.4445, -4.7750, 2.0315
"""From Jordan et al. 2024: steep near 0, so that small singular values grow fast; near 1 all stay within 0.3."""
_STEPS = 5
_MOMENTUM = 0.95


class Muon(torch.optim.Optimizer):
    """Nesterov's momentum of the gradient, made orthogonal; Jordan et al. 2024, algorithm 2.

    M <- 0.95 M + 0.05 G;  W <- W - lr (λ W + 0.2 √max(m, n) orthogonal(0.05 G + 0.95 M))

    0.2 √max(m, n) makes an update as large as one of AdamW, whose learning rate and weight decay λ suit then: Liu et
    al. 2025, section 2.2, eq. 4. torch has a Muon as well, whose products are always in bf16: without units for it,
    an update takes as long as several whole steps. Here they have the precision of the context that `step` is called
    in, as the model's products.
    """

    def __init__(self, weights: Iterable[nn.Parameter], *, lr: float, weight_decay: float) -> None:
        """`weights` are matrices; `weight_decay` is λ."""
        super().__init__(weights, {"lr": lr, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        """Update all weights that have a gradient; unlike torch's own, it takes no closure."""
        for group in self.param_groups:
            # Matrices of one shape, or its transpose, in one product: small ones leave cores idle.
            alike: defaultdict[tuple[int, ...], list[nn.Parameter]] = defaultdict(list)
            for weight in group["params"]:
                if weight.grad is not None:
                    alike[tuple(sorted(weight.shape))].append(weight)
            for weights in alike.values():
                self._update(weights, lr=group["lr"], decay=group["weight_decay"])

    def _update(self, weights: list[nn.Parameter], *, lr: float, decay: float) -> None:
        directions = []
        for weight in weights:
            gradient, state = cast("Tensor", weight.grad), self.state[weight]
            if not state:
                state["momentum"] = torch.zeros_like(gradient)
            nesterov = gradient.lerp(state["momentum"].lerp_(gradient, 1 - _MOMENTUM), _MOMENTUM)
            directions.append(nesterov if nesterov.shape[0] <= nesterov.shape[1] else nesterov.t())
        for weight, direction in zip(weights, orthogonal(torch.stack(directions)), strict=True):
            update = direction if weight.shape == direction.shape else direction.t()
            weight.mul_(1 - lr * decay).add_(update, alpha=-lr * 0.2 * max(weight.shape) ** 0.5)


def orthogonal(matrices: Float[Tensor, "G m n"]) -> Float[Tensor, "G m n"]:
    """Each matrix, m <= n, with its singular vectors and all singular values near 1, by Newton and Schulz's iteration.

    X <- a X + (b A + c A²) X with A = X Xᵀ changes the singular values alone: s to a s + b s³ + c s⁵. Under autocast
    the products, and the result, are in its dtype. The zero matrix stays zero.
    """
    # No singular value is larger than the norm, and the iteration needs them to be 1 at most.
    X = matrices / matrices.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    X = X.to(product_dtype(X))
    # In bf16, the error of A would grow twelvefold per step if A were not computed from X each time.
    twice_as_wide = X.shape[2] >= 2 * X.shape[1]
    return _iterate_squares(X) if twice_as_wide and has_full_products(X) else _iterate(X)


def _iterate(x: Float[Tensor, "G m n"]) -> Float[Tensor, "G m n"]:
    a, b, c = _COEFFICIENTS
    for _ in range(_STEPS):
        square = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(square, square, square, beta=b, alpha=c), x, beta=a)
    return x


def _iterate_squares(x: Float[Tensor, "G m n"]) -> Float[Tensor, "G m n"]:
    """The same, with products of m x m matrices in place of m x n; faster from n = 2 m on.

    With P = a I + b A + c A², a step is X <- P X and A <- P A P, which is P² A: all are polynomials of the first A. So
    X itself is needed at the end alone, multiplied by the product of all P.
    """
    square = x @ x.mT
    factor = product = _polynomial(square)
    for _ in range(_STEPS - 1):
        square = factor @ factor @ square
        factor = _polynomial(square)
        product = product @ factor
    return product @ x


def _polynomial(square: Float[Tensor, "G m m"]) -> Float[Tensor, "G m m"]:
    """P of `_iterate_squares`."""
    a, b, c = _COEFFICIENTS
    result = torch.baddbmm(square, square, square, beta=b, alpha=c)
    result.diagonal(dim1=1, dim2=2).add_(a)
    return result
