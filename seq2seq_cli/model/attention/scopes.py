"""Attention scopes: where a query may look.

B batch, T target length (1 in a single step), S source length, H query (decoder hidden). Positions are counted from 1,
as in the papers.
"""

from typing import NamedTuple, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn


class View(NamedTuple):
    """What a scope lets a query see."""

    allowed: Bool[Tensor, "B #T S"]
    """True where it may look; never at padding. The softmax is over these positions."""
    factor: Float[Tensor, "B T S"] | None = None
    """What the weights are multiplied with after the softmax; None for nothing."""


@runtime_checkable
class Scope(Protocol):
    """What a scope provides."""

    def __call__(self, query: Float[Tensor, "B T H"], mask: Bool[Tensor, "B S"], positions: Int[Tensor, "B T"]) -> View:
        """Where each query, made for the target word at its position, may look."""


class GlobalScope(nn.Module):
    """Every source word, at every step; Bahdanau et al. 2015, and Luong et al. 2015, section 3.1."""

    def forward(
        self,
        query: Float[Tensor, "B T H"],  # noqa: ARG002
        mask: Bool[Tensor, "B S"],
        positions: Int[Tensor, "B T"],  # noqa: ARG002
    ) -> View:
        """The real tokens, whatever the query."""
        return View(mask.unsqueeze(1))


class MonotonicScope(nn.Module):
    """[p_t - D, p_t + D] with p_t = t; Luong et al. 2015, section 3.2, local-m.

    A sentence that is translated by one much longer than itself has an empty window in the end.
    """

    def __init__(self, *, window: int) -> None:
        super().__init__()
        self.window = window

    def forward(
        self,
        query: Float[Tensor, "B T H"],  # noqa: ARG002
        mask: Bool[Tensor, "B S"],
        positions: Int[Tensor, "B T"],
    ) -> View:
        """The real tokens at most D places from the word's own position."""
        distance = source_positions(mask) - positions.unsqueeze(2)
        return View(mask.unsqueeze(1) & (distance.abs() <= self.window))


class PredictiveScope(nn.Module):
    """[p_t - D, p_t + D] with p_t = S sigmoid(v · tanh(W q)); Luong et al. 2015, section 3.2, local-p, eq. 9 and 10.

    The weights are multiplied with exp(-(s - p_t)² / 2σ²), σ = D/2, and so sum to less than 1, as in the paper.
    """

    def __init__(self, *, query_size: int, window: int) -> None:
        super().__init__()
        self.window = window
        self.W = nn.Linear(query_size, query_size, bias=False)
        self.v = nn.Linear(query_size, 1, bias=False)

    def forward(
        self,
        query: Float[Tensor, "B T H"],
        mask: Bool[Tensor, "B S"],
        positions: Int[Tensor, "B T"],  # noqa: ARG002
    ) -> View:
        """The real tokens at most D places from the predicted position, and the Gaussian around it."""
        # Not in bf16, which cannot tell the positions of a long sentence apart.
        length = mask.sum(dim=1, dtype=self.v.weight.dtype).view(-1, 1, 1)
        predicted = length * torch.sigmoid(self.v(torch.tanh(self.W(query))).to(length.dtype))
        distance = source_positions(mask) - predicted
        sigma = self.window / 2
        return View(mask.unsqueeze(1) & (distance.abs() <= self.window), torch.exp(-(distance**2) / (2 * sigma**2)))


def source_positions(mask: Bool[Tensor, "B S"]) -> Int[Tensor, " S"]:
    """1, 2, ... S."""
    return torch.arange(1, mask.shape[1] + 1, device=mask.device)
