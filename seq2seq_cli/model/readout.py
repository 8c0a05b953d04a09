"""Readouts: what the output layer sees of a step.

H decoder hidden, E encoder output, D target embedding, R readout; the leading dimensions are any (B, or B T).
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

    def __call__(
        self, hidden: Float[Tensor, "*N H"], context: Float[Tensor, "*N E"], embedded: Float[Tensor, "*N D"]
    ) -> Float[Tensor, "*N R"]:
        """The features of a step: of its state, its context and the previous word."""


class StateReadout(nn.Module):
    """h alone; the tutorials' Bahdanau decoder, where the context has gone through the RNN already."""

    def __init__(self, *, hidden_size: int) -> None:
        super().__init__()
        self.size = hidden_size

    def forward(
        self,
        hidden: Float[Tensor, "*N H"],
        context: Float[Tensor, "*N E"],  # noqa: ARG002
        embedded: Float[Tensor, "*N D"],  # noqa: ARG002
    ) -> Float[Tensor, "*N H"]:
        """The decoder's hidden state."""
        return hidden


class ConcatReadout(nn.Module):
    """[h; c]; the tutorials' Luong decoder."""

    def __init__(self, *, hidden_size: int, context_size: int) -> None:
        super().__init__()
        self.size = hidden_size + context_size

    def forward(
        self,
        hidden: Float[Tensor, "*N H"],
        context: Float[Tensor, "*N E"],
        embedded: Float[Tensor, "*N D"],  # noqa: ARG002
    ) -> Float[Tensor, "*N R"]:
        """The decoder's hidden state and the context, side by side."""
        return torch.cat((hidden, context), dim=-1)


class AttentionalReadout(nn.Module):
    """h~ = tanh(W [c; h]); Luong et al. 2015, eq. 5."""

    def __init__(self, *, hidden_size: int, context_size: int) -> None:
        super().__init__()
        self.size = hidden_size
        self.W = nn.Linear(context_size + hidden_size, hidden_size, bias=False)

    def forward(
        self,
        hidden: Float[Tensor, "*N H"],
        context: Float[Tensor, "*N E"],
        embedded: Float[Tensor, "*N D"],  # noqa: ARG002
    ) -> Float[Tensor, "*N H"]:
        """The attentional vector."""
        return torch.tanh(self.W(torch.cat((context, hidden), dim=-1)))


class MaxoutReadout(nn.Module):
    """t = max of each pair of U h + V y + C c; Bahdanau et al. 2015, appendix A.2.2 (Cho et al. 2014, A.1.2).

    h is the state of this step (s_i in the paper's eq. 4; its appendix writes s_{i-1}), y the previous word. Half as
    many maxima as h has entries: the paper has 500 and 1000.
    """

    def __init__(self, *, hidden_size: int, context_size: int, embedding_size: int) -> None:
        super().__init__()
        self.size = (hidden_size + 1) // 2
        self.U = nn.Linear(hidden_size, 2 * self.size)
        self.V = nn.Linear(embedding_size, 2 * self.size, bias=False)
        self.C = nn.Linear(context_size, 2 * self.size, bias=False)

    def forward(
        self, hidden: Float[Tensor, "*N H"], context: Float[Tensor, "*N E"], embedded: Float[Tensor, "*N D"]
    ) -> Float[Tensor, "*N R"]:
        """The larger of each two neighbours."""
        summed = self.U(hidden) + self.V(embedded) + self.C(context)
        larger: Tensor = summed.unflatten(-1, (self.size, 2)).amax(dim=-1)
        return larger
