"""Readouts: the input of the output layer.

H decoder hidden, E encoder output, D target embedding, R readout; the leading dimensions N are any (B, or B T).
"""

from abc import ABC, abstractmethod

import torch
from jaxtyping import Float
from torch import Tensor, nn
from typing_extensions import override

from seq2seq_cli.config.schema.model import DecoderConfig


class Readout(nn.Module, ABC):
    """The base of all readouts."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = size
        """R, the length of the features."""

    @abstractmethod
    def forward(
        self, hidden: Float[Tensor, "*N H"], context: Float[Tensor, "*N E"], embedded: Float[Tensor, "*N D"]
    ) -> Float[Tensor, "*N R"]:
        """The features of a step, from its decoder state s, its context c and the vector y of the previous word."""


class StateReadout(Readout):
    """s alone; the tutorials' Bahdanau decoder, whose RNN reads the context."""

    @override
    def forward(
        self, hidden: Float[Tensor, "*N H"], context: Float[Tensor, "*N E"], embedded: Float[Tensor, "*N D"]
    ) -> Float[Tensor, "*N H"]:
        return hidden


class ConcatReadout(Readout):
    """[s; c]; the tutorials' Luong decoder."""

    def __init__(self, *, hidden_size: int, context_size: int) -> None:
        super().__init__(hidden_size + context_size)

    @override
    def forward(
        self, hidden: Float[Tensor, "*N H"], context: Float[Tensor, "*N E"], embedded: Float[Tensor, "*N D"]
    ) -> Float[Tensor, "*N R"]:
        return torch.cat((hidden, context), dim=-1)


class AttentionalReadout(Readout):
    """s~ = tanh(W [c; s]), the attentional vector (h~ in the paper); Luong et al. 2015, eq. 5."""

    def __init__(self, *, hidden_size: int, context_size: int) -> None:
        super().__init__(hidden_size)
        self.W = nn.Linear(context_size + hidden_size, hidden_size, bias=False)

    @override
    def forward(
        self, hidden: Float[Tensor, "*N H"], context: Float[Tensor, "*N E"], embedded: Float[Tensor, "*N D"]
    ) -> Float[Tensor, "*N H"]:
        return torch.tanh(self.W(torch.cat((context, hidden), dim=-1)))


class MaxoutReadout(Readout):
    """The maximum of each pair of entries of U s + V y + C c; Bahdanau et al. 2015, A.2.2; Cho et al. 2014, A.1.2.

    s is the state of this step (s_i in the paper's eq. 4; its appendix writes s_{i-1}), y the previous word. There are
    half as many maxima as entries of s, as in the paper: 500 and 1000.
    """

    def __init__(self, *, hidden_size: int, context_size: int, embedding_size: int) -> None:
        super().__init__((hidden_size + 1) // 2)
        self.U = nn.Linear(hidden_size, 2 * self.size)
        self.V = nn.Linear(embedding_size, 2 * self.size, bias=False)
        self.C = nn.Linear(context_size, 2 * self.size, bias=False)

    @override
    def forward(
        self, hidden: Float[Tensor, "*N H"], context: Float[Tensor, "*N E"], embedded: Float[Tensor, "*N D"]
    ) -> Float[Tensor, "*N R"]:
        summed = self.U(hidden) + self.V(embedded) + self.C(context)
        return summed.unflatten(-1, (self.size, 2)).amax(dim=-1)


def make_readout(config: DecoderConfig, context_size: int) -> Readout:
    """The readout of a decoder with fresh weights."""
    size = config.hidden_size
    match config.readout:
        case "state":
            return StateReadout(size)
        case "concat":
            return ConcatReadout(hidden_size=size, context_size=context_size)
        case "attentional":
            return AttentionalReadout(hidden_size=size, context_size=context_size)
        case "maxout":
            return MaxoutReadout(hidden_size=size, context_size=context_size, embedding_size=config.embedding_size)
