"""Muon: gradient descent for matrices whose updates are orthogonal, so that no direction is left behind."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from seq2seq_cli.compute.device import product_dtype

_POLYNOMIALS = (
    (8.205160414, -22.901934988, 16.460724911),
    (4.066395174, -2.861154094, 0.518399524),
    (3.909594903, -2.823351735, 0.525037024),
)
"""a, b and c of the first three steps of the Polar Express, for singular values from 1e-3 on; Amsel et al. 2025, "The
Polar Express", algorithm 1. As there, of values divided by 1.01, so that rounding lets none grow beyond bounds."""
_MOMENTUM = 0.95


class Muon(torch.optim.Optimizer):
    """Nesterov's momentum of the gradient, made orthogonal; Jordan et al. 2024, algorithm 2.

    M <- 0.95 M + 0.05 G;  W <- W - lr (λ W + 0.2 √max(m, n) orthogonal(0.05 G + 0.95 M))

    0.2 √max(m, n) makes an update as large as one of AdamW, whose learning rate and weight decay λ suit then: Liu et
    al. 2025, section 2.2, eq. 4. torch has a Muon as well, whose products are always in bf16: without units for it,
    an update takes as long as several whole steps. Here they have the precision of the context that `step` is called
    in, as the model's products.
    """

    def __init__(
        self, weights: Iterable[nn.Parameter], *, lr: float, weight_decay: float, gates: Mapping[nn.Parameter, int]
    ) -> None:
        """`weights` are matrices; `weight_decay` is λ; of an RNN, `gates` says how many matrices stand in one."""
        super().__init__(weights, {"lr": lr, "weight_decay": weight_decay})
        self._gates = gates

    @torch.no_grad()
    def step(self) -> None:  # type: ignore[override]
        """Update all weights that have a gradient; unlike torch's own, it takes no closure."""
        for group in self.param_groups:
            # Matrices of one shape, or its transpose, in one product: small ones leave cores idle.
            alike: defaultdict[tuple[int, ...], list[tuple[Tensor, Tensor]]] = defaultdict(list)
            for weight in group["params"]:
                if weight.grad is not None:
                    parts = self._gates.get(weight, 1)
                    for part, direction in zip(weight.chunk(parts), self._nesterov(weight).chunk(parts), strict=True):
                        alike[tuple(sorted(part.shape))].append((part, direction))
            for pairs in alike.values():
                _update(pairs, lr=group["lr"], decay=group["weight_decay"])

    def _nesterov(self, weight: nn.Parameter) -> Tensor:
        """0.05 G + 0.95 M, with M updated."""
        gradient, state = cast("Tensor", weight.grad), self.state[weight]
        if not state:
            state["momentum"] = torch.zeros_like(gradient)
        return gradient.lerp(state["momentum"].lerp_(gradient, 1 - _MOMENTUM), _MOMENTUM)


def _update(pairs: Sequence[tuple[Tensor, Tensor]], *, lr: float, decay: float) -> None:
    """Update matrices of one shape or its transpose, each by the orthogonal matrix of its direction."""
    wide = [direction if direction.shape[0] <= direction.shape[1] else direction.t() for _, direction in pairs]
    for (matrix, _), update in zip(pairs, orthogonal(torch.stack(wide)), strict=True):
        turned = update if matrix.shape == update.shape else update.t()
        matrix.mul_(1 - lr * decay).add_(turned, alpha=-lr * 0.2 * max(matrix.shape) ** 0.5)


def orthogonal(matrices: Float[Tensor, "G m n"]) -> Float[Tensor, "G m n"]:
    """Each matrix, m <= n, with its singular vectors and all singular values nearer to 1.

    X <- a X + (b A + c A²) X with A = X Xᵀ changes the singular values alone: s to a s + b s³ + c s⁵. Three steps bring
    those between 0.02 and 1 to between 0.2 and 1.9; more take time, and models learn no better. Under autocast the
    products, and the result, are in its dtype. The zero matrix stays zero.
    """
    # No singular value is larger than the norm, and the iteration needs them to be 1 at most.
    X = matrices / matrices.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    X = X.to(product_dtype(X))
    for a, b, c in _POLYNOMIALS:
        A = X @ X.mT
        X = torch.baddbmm(X, torch.baddbmm(A, A, A, beta=b, alpha=c), X, beta=a)
    return X
