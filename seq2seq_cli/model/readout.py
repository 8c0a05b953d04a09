"""Readouts: what the output layer sees of a step.

H decoder hidden, E encoder output; the leading dimensions are any (B, or B T).
"""

from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor, nn


@runtime_checkable
class Readout(Protocol):
    """What a readout provides."""

    size: int
    """Length of the vector it gives."""

    def __call__(self, hidden: Float[Tensor, "*N H"], context: Float[Tensor, "*N E"]) -> Float[Tensor, "*N R"]:
        """The features of a step."""


class StateReadout(nn.Module):
    """h alone; the tutorials' Bahdanau decoder, where the context has gone through the RNN already."""

    def __init__(self, *, hidden_size: int) -> None:
        super().__init__()
        self.size = hidden_size

    def forward(self, hidden: Float[Tensor, "*N H"], context: Float[Tensor, "*N E"]) -> Float[Tensor, "*N H"]:  # noqa: ARG002
        """The decoder's hidden state."""
        return hidden


class ConcatReadout(nn.Module):
    """[h; c]; the tutorials' Luong decoder."""

    def __init__(self, *, hidden_size: int, memory_size: int) -> None:
        super().__init__()
        self.size = hidden_size + memory_size

    def forward(self, hidden: Float[Tensor, "*N H"], context: Float[Tensor, "*N E"]) -> Float[Tensor, "*N R"]:
        """The decoder's hidden state and the context, side by side."""
        return torch.cat((hidden, context), dim=-1)


class AttentionalReadout(nn.Module):
    """h~ = tanh(W [c; h]); Luong et al. 2015, eq. 5."""

    def __init__(self, *, hidden_size: int, memory_size: int) -> None:
        super().__init__()
        self.size = hidden_size
        self.W = nn.Linear(memory_size + hidden_size, hidden_size, bias=False)

    def forward(self, hidden: Float[Tensor, "*N H"], context: Float[Tensor, "*N E"]) -> Float[Tensor, "*N H"]:
        """The attentional vector."""
        return torch.tanh(self.W(torch.cat((context, hidden), dim=-1)))
