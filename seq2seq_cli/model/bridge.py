"""Bridges: from the encoder's last state to the decoder's first.

B batch, E encoder output, H decoder hidden, M layers of the encoder, L layers of the decoder.
"""

from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from seq2seq_cli.model.state import RNNState


@runtime_checkable
class Bridge(Protocol):
    """What a bridge provides."""

    def __call__(self, last: RNNState) -> RNNState:
        """The decoder's first state."""


class CopyBridge(nn.Module):
    """s_0 = h_S, layer by layer; Sutskever et al. 2014, section 2. Both sides have the same RNN and sizes."""

    def forward(self, last: RNNState) -> RNNState:
        """The state as it is."""
        return last


class LinearBridge(nn.Module):
    """s_0 = tanh(W h + b), with a W and b for each layer; after Bahdanau et al. 2015, appendix A.2.2.

    h is the last state of the encoder's top layer: with two directions the last of each, where the paper has the
    backward one alone. An LSTM's c_0 is linear, V c + d: cells are not bounded. A GRU has no c, its h takes the place.
    """

    def __init__(self, *, encoder_size: int, decoder_size: int, layers: int, cell: bool) -> None:
        super().__init__()
        self.W = nn.ModuleList(nn.Linear(encoder_size, decoder_size) for _ in range(layers))
        self.V = nn.ModuleList(nn.Linear(encoder_size, decoder_size) for _ in range(layers if cell else 0))

    def forward(self, last: RNNState) -> RNNState:
        """A state for each layer of the decoder."""
        memory = last.top if last.cell is None else last.cell[-1]
        hidden = torch.stack([torch.tanh(W(last.top)) for W in self.W])
        return RNNState(hidden=hidden, cell=torch.stack([V(memory) for V in self.V]) if len(self.V) else None)


class ZeroBridge(nn.Module):
    """s_0 = 0: the decoder learns of the source through attention alone."""

    def __init__(self, *, decoder_size: int, layers: int, cell: bool) -> None:
        super().__init__()
        self.shape = (layers, decoder_size)
        self.cell = cell

    def forward(self, last: RNNState) -> RNNState:
        """Zeros."""
        layers, size = self.shape
        zeros: Tensor = last.hidden.new_zeros(layers, last.hidden.shape[1], size)
        return RNNState(hidden=zeros, cell=zeros if self.cell else None)
