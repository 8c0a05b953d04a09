"""Readouts: the input of the output layer.

H decoder hidden, E encoder output, D target embedding, R readout; the leading dimensions N are any (B, or B T).
"""

from abc import ABC, abstractmethod
from typing import TypeAlias

import torch
from jaxtyping import Float
from torch import Tensor, nn
from typing_extensions import override

from seq2seq_cli.config.choices import ReadoutName
from seq2seq_cli.config.schema.model import DecoderConfig

Hidden: TypeAlias = Float[Tensor, "*N H"]
Context: TypeAlias = Float[Tensor, "*N E"]
Embedded: TypeAlias = Float[Tensor, "*N D"]


class Readout(nn.Module, ABC):
    """The base of all readouts."""

    def __init__(self, config: DecoderConfig, context_size: int) -> None:
        super().__init__()
        self.size = config.readout_size or config.hidden_size + context_size
        """R, the length of the features."""

    @abstractmethod
    def forward(self, hidden: Hidden, context: Context, embedded: Embedded) -> Float[Tensor, "*N R"]:
        """The features of a step, from its decoder state s, its context c and the vector y of the previous word."""


class StateReadout(Readout):
    """s alone; the tutorials' Bahdanau decoder, whose RNN reads the context."""

    @override
    def forward(self, hidden: Hidden, context: Context, embedded: Embedded) -> Float[Tensor, "*N H"]:
        return hidden


class ConcatReadout(Readout):
    """[s; c]; the tutorials' Luong decoder."""

    @override
    def forward(self, hidden: Hidden, context: Context, embedded: Embedded) -> Float[Tensor, "*N R"]:
        return torch.cat((hidden, context), dim=-1)


class AttentionalReadout(Readout):
    """s~ = tanh(W [c; s]), the attentional vector (h~ in the paper); Luong et al. 2015, eq. 5."""

    def __init__(self, config: DecoderConfig, context_size: int) -> None:
        super().__init__(config, context_size)
        self.W = nn.Linear(context_size + config.hidden_size, self.size, bias=False)

    @override
    def forward(self, hidden: Hidden, context: Context, embedded: Embedded) -> Float[Tensor, "*N R"]:
        return torch.tanh(self.W(torch.cat((context, hidden), dim=-1)))


class LexicalReadout(AttentionalReadout):
    """s~ + l with l = tanh(L f) + f, f = tanh(x), where the context ends with x, the mean of the source words' vectors.

    What is attended to speaks for its own translation, or for itself: Nguyen & Chiang 2018, section 4, with one output
    layer for s~ and l, which are as long as a word's vector.
    """

    def __init__(self, config: DecoderConfig, context_size: int) -> None:
        super().__init__(config, context_size - config.embedding_size)
        self.L = nn.Linear(self.size, self.size, bias=False)

    @override
    def forward(self, hidden: Hidden, context: Context, embedded: Embedded) -> Float[Tensor, "*N R"]:
        states, words = context[..., : -self.size], context[..., -self.size :]
        f = torch.tanh(words)
        return super().forward(hidden, states, embedded) + torch.tanh(self.L(f)) + f


class MaxoutReadout(Readout):
    """The maximum of each pair of entries of U s + V y + C c; Bahdanau et al. 2015, A.2.2; Cho et al. 2014, A.1.2.

    s is the state of this step (s_i in the paper's eq. 4; its appendix writes s_{i-1}), y the previous word. There are
    half as many maxima as entries of s, as in the paper: 500 and 1000.
    """

    def __init__(self, config: DecoderConfig, context_size: int) -> None:
        super().__init__(config, context_size)
        self.U = nn.Linear(config.hidden_size, 2 * self.size)
        self.V = nn.Linear(config.embedding_size, 2 * self.size, bias=False)
        self.C = nn.Linear(context_size, 2 * self.size, bias=False)

    @override
    def forward(self, hidden: Hidden, context: Context, embedded: Embedded) -> Float[Tensor, "*N R"]:
        summed = self.U(hidden) + self.V(embedded) + self.C(context)
        return summed.unflatten(-1, (self.size, 2)).amax(dim=-1)


READOUTS: dict[ReadoutName, type[Readout]] = {
    "state": StateReadout,
    "concat": ConcatReadout,
    "attentional": AttentionalReadout,
    "lexical": LexicalReadout,
    "maxout": MaxoutReadout,
}
"""Every readout by its name in the config, `model.decoder.readout`."""
