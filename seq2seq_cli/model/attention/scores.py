"""Attention scores: how well each source position answers each query.

B batch, T target length (1 in a single step), S source length, H query (decoder hidden), E memory (encoder output),
A attention size, K keys (A, E or H, as the score has it).

Each score splits its formula in two: `keys` is what depends on the source alone, computed once a sentence;
`forward` is the rest. No mask and no softmax here: `Attention` has them.
"""

from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor, nn


@runtime_checkable
class Score(Protocol):
    """What a mechanism provides."""

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S K"]:
        """The part of the formula that depends on the source alone."""

    def __call__(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S K"]) -> Float[Tensor, "B T S"]:
        """One number for each query and source position, before mask and softmax."""


class AdditiveScore(nn.Module):
    """score(q, k) = v · tanh(W q + U k); Bahdanau et al. 2015, section 3.1 and appendix A.1.2."""

    def __init__(self, *, query_size: int, memory_size: int, attention_size: int) -> None:
        super().__init__()
        self.W = nn.Linear(query_size, attention_size, bias=False)
        self.U = nn.Linear(memory_size, attention_size, bias=False)
        self.v = nn.Linear(attention_size, 1, bias=False)

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S A"]:
        """U k."""
        projected: Tensor = self.U(memory)
        return projected

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S A"]) -> Float[Tensor, "B T S"]:
        """v · tanh(W q + U k) for every pair of a query and a key."""
        summed = self.W(query).unsqueeze(2) + keys.unsqueeze(1)
        scores: Tensor = self.v(torch.tanh(summed)).squeeze(-1)
        return scores


class DotScore(nn.Module):
    """score(q, k) = q · k; Luong et al. 2015, eq. 8 (dot). Query and memory have one size."""

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S E"]:
        """The memory as it is."""
        return memory

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S H"]) -> Float[Tensor, "B T S"]:
        """q · k for every pair of a query and a key."""
        return query @ keys.transpose(1, 2)


class GeneralScore(nn.Module):
    """score(q, k) = q · W k; Luong et al. 2015, eq. 8 (general)."""

    def __init__(self, *, query_size: int, memory_size: int) -> None:
        super().__init__()
        self.W = nn.Linear(memory_size, query_size, bias=False)

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S H"]:
        """W k."""
        projected: Tensor = self.W(memory)
        return projected

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S H"]) -> Float[Tensor, "B T S"]:
        """q · W k for every pair of a query and a key."""
        return query @ keys.transpose(1, 2)


class ConcatScore(nn.Module):
    """score(q, k) = v · tanh(W (q + k)), one W for both; the tutorials' reading of Luong's concat.

    The paper (Luong et al. 2015, eq. 8) joins the two, W [q; k], which gives each its own half of W.
    Since W (q + k) = W q + W k, the keys are still projected once a sentence.
    """

    def __init__(self, *, query_size: int, attention_size: int) -> None:
        super().__init__()
        self.W = nn.Linear(query_size, attention_size, bias=False)
        self.v = nn.Linear(attention_size, 1, bias=False)

    def keys(self, memory: Float[Tensor, "B S H"]) -> Float[Tensor, "B S A"]:
        """W k."""
        projected: Tensor = self.W(memory)
        return projected

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S A"]) -> Float[Tensor, "B T S"]:
        """v · tanh(W q + W k) for every pair of a query and a key."""
        summed = self.W(query).unsqueeze(2) + keys.unsqueeze(1)
        scores: Tensor = self.v(torch.tanh(summed)).squeeze(-1)
        return scores
