"""Bridges: from the encoder's last state to the decoder's first.

B batch, E encoder output, H decoder hidden, M layers of the encoder, L layers of the decoder.
"""

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn
from typing_extensions import override

from seq2seq_cli.config.schema.model import DecoderConfig
from seq2seq_cli.model.attention.attention import FixedContext
from seq2seq_cli.model.state import RNNState


class Bridge(nn.Module, ABC):
    """The base of all bridges."""

    @abstractmethod
    def forward(self, last: RNNState) -> RNNState:
        """The decoder's first state, (L, B, H), from the encoder's last, (M, B, E)."""


class CopyBridge(Bridge):
    """s_0 = h_S, layer by layer; Sutskever et al. 2014, section 2. Both sides have the same RNN and the same sizes."""

    @override
    def forward(self, last: RNNState) -> RNNState:
        return last


class LinearBridge(Bridge):
    """s_0 = tanh(W h + b), with its own W and b for each layer; after Bahdanau et al. 2015, appendix A.2.2.

    h is the last state of the encoder's top layer, in both directions where there are two; the paper takes the
    backward one alone, as `BackwardBridge` does. An LSTM's first cell is linear, c_0 = V c + d, because cells are not
    bounded; after a GRU, which has no c, V takes h.
    """

    def __init__(self, encoder_size: int, decoder: DecoderConfig) -> None:
        super().__init__()
        size, layers = decoder.hidden_size, decoder.layers
        self.W = nn.ModuleList(nn.Linear(encoder_size, size) for _ in range(layers))
        self.V = nn.ModuleList(nn.Linear(encoder_size, size) for _ in range(layers if decoder.cell == "lstm" else 0))

    @override
    def forward(self, last: RNNState) -> RNNState:
        cell = last.top if last.cell is None else last.cell[-1]
        hidden = torch.stack([torch.tanh(W(last.top)) for W in self.W])
        return RNNState(hidden=hidden, cell=torch.stack([V(cell) for V in self.V]) if len(self.V) else None)


class BackwardBridge(LinearBridge):
    """s_0 = tanh(W h + b), h the last state of the encoder's backward direction; Bahdanau et al. 2015, appendix A.2.2.

    That direction ends at the first word. The encoder's states are [forward; backward].
    """

    @override
    def forward(self, last: RNNState) -> RNNState:
        size = last.hidden.shape[2] // 2
        cell = None if last.cell is None else last.cell[..., size:]
        return super().forward(RNNState(hidden=last.hidden[..., size:], cell=cell))


class ContextBridge(LinearBridge):
    """s_0 = tanh(W c + b), c = tanh(V h) the fixed context, which has the same V; Cho et al. 2014, appendix A.1.2."""

    def __init__(self, encoder_size: int, decoder: DecoderConfig, context: FixedContext) -> None:
        super().__init__(encoder_size, decoder)
        self.context = context

    @override
    def forward(self, last: RNNState) -> RNNState:
        cell = None if last.cell is None else last.cell[-1:]
        return super().forward(RNNState(hidden=self.context.summary(last.top).unsqueeze(0), cell=cell))


class ZeroBridge(Bridge):
    """s_0 = 0: the source reaches the decoder through attention alone."""

    def __init__(self, decoder: DecoderConfig) -> None:
        super().__init__()
        self.decoder = decoder

    @override
    def forward(self, last: RNNState) -> RNNState:
        zeros: Tensor = last.hidden.new_zeros(self.decoder.layers, last.hidden.shape[1], self.decoder.hidden_size)
        return RNNState(hidden=zeros, cell=zeros if self.decoder.cell == "lstm" else None)
