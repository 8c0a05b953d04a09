"""Attention scopes: the source positions that a query may attend to.

B batch, T target length (1 in a single step), S source length, H query (decoder hidden). Positions are counted from 1,
as in the papers.
"""

from abc import ABC, abstractmethod
from typing import TypeAlias

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from typing_extensions import override

View: TypeAlias = tuple[Bool[Tensor, "B #T S"], Float[Tensor, "B T S"] | None]
"""Where a query may attend: the softmax is over the True positions, none of them padding, times the factor, if any."""


class Scope(nn.Module, ABC):
    """The base of all scopes."""

    @abstractmethod
    def forward(self, query: Float[Tensor, "B T H"], mask: Bool[Tensor, "B S"], positions: Int[Tensor, "B T"]) -> View:
        """The view of each query; `positions`: where each target word to be written stands."""


class GlobalScope(Scope):
    """All source words at every step; Bahdanau et al. 2015, and Luong et al. 2015, section 3.1."""

    @override
    def forward(self, query: Float[Tensor, "B T H"], mask: Bool[Tensor, "B S"], positions: Int[Tensor, "B T"]) -> View:
        return mask.unsqueeze(1), None


class MonotonicScope(Scope):
    """[p_t - D, p_t + D] with p_t = t; Luong et al. 2015, section 3.2, local-m.

    The windows of target words after the (S + D)th are empty.
    """

    def __init__(self, *, window: int) -> None:
        super().__init__()
        self.window = window

    @override
    def forward(self, query: Float[Tensor, "B T H"], mask: Bool[Tensor, "B S"], positions: Int[Tensor, "B T"]) -> View:
        distance = torch.arange(mask.shape[1], device=mask.device) + 1 - positions.unsqueeze(2)
        return mask.unsqueeze(1) & (distance.abs() <= self.window), None


class PredictiveScope(Scope):
    """[p_t - D, p_t + D] with p_t = S sigmoid(v · tanh(W q)); Luong et al. 2015, section 3.2, local-p, eq. 9 and 10.

    The weights are multiplied by the Gaussian exp(-(s - p_t)² / 2σ²), σ = D/2; their sum is below 1, as in the paper.
    """

    def __init__(self, *, query_size: int, window: int) -> None:
        super().__init__()
        self.window = window
        self.W = nn.Linear(query_size, query_size, bias=False)
        self.v = nn.Linear(query_size, 1, bias=False)

    @override
    def forward(self, query: Float[Tensor, "B T H"], mask: Bool[Tensor, "B S"], positions: Int[Tensor, "B T"]) -> View:
        # Not in bf16, which is too coarse for the positions of a long sentence.
        length = mask.sum(dim=1, dtype=self.v.weight.dtype).view(-1, 1, 1)
        predicted = length * torch.sigmoid(self.v(torch.tanh(self.W(query))).to(length.dtype))
        distance = torch.arange(mask.shape[1], device=mask.device) + 1 - predicted
        sigma = self.window / 2
        return mask.unsqueeze(1) & (distance.abs() <= self.window), torch.exp(-(distance**2) / (2 * sigma**2))
