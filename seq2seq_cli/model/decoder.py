"""The decoders: one step is the definition; a faster way over the whole sentence may stand beside it.

B batch, T target length, S source length, D embedding, H hidden, E encoder output, L layers, R readout.
"""

from abc import ABC, abstractmethod

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from seq2seq_cli.model.attention.attention import Attention
from seq2seq_cli.model.readout import Readout
from seq2seq_cli.model.state import DecoderState, Memory


class Decoder(nn.Module, ABC):
    """Target words in, features of the next word out, attending to the memory."""

    def __init__(
        self, *, embedding: nn.Embedding, rnn: nn.LSTM, attention: Attention, readout: Readout, dropout: float
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.rnn = rnn
        self.attention = attention
        self.readout = readout
        self.dropout = nn.Dropout(dropout)

    @abstractmethod
    def advance(
        self, embedded: Float[Tensor, "B D"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B R"], DecoderState, Float[Tensor, "B S"]]:
        """One step from the embedded previous word: features, next state, attention weights."""

    def step(
        self, tokens: Int[Tensor, " B"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B R"], DecoderState, Float[Tensor, "B S"]]:
        """One step from the previous word: features, next state, attention weights."""
        return self.advance(self.embed(tokens), state, memory)

    def forward(
        self, tgt_in: Int[Tensor, "B T"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B T R"], Float[Tensor, "B T S"]]:
        """All steps of known inputs: `step` by `step`, stacked."""
        features, weights = [], []
        for embedded in self.embed(tgt_in).unbind(1):
            feature, state, weight = self.advance(embedded, state, memory)
            features.append(feature)
            weights.append(weight)
        return torch.stack(features, dim=1), torch.stack(weights, dim=1)

    def embed(self, tokens: Int[Tensor, "*N"]) -> Float[Tensor, "*N D"]:
        """The words' vectors, with dropout while training."""
        vectors: Tensor = self.dropout(self.embedding(tokens))
        return vectors

    def attend(self, query: Float[Tensor, "B H"], memory: Memory) -> tuple[Float[Tensor, "B E"], Float[Tensor, "B S"]]:
        """The attention of a single step: context and weights."""
        context, weights = self.attention(query.unsqueeze(1), memory)
        return context.squeeze(1), weights.squeeze(1)

    def rnn_step(self, inputs: Float[Tensor, "B X"], state: DecoderState) -> DecoderState:
        """The LSTM alone, one step through all its layers.

        The same as `self.rnn` on a sequence of one, whose backward pass takes three times as long on a CPU.
        """
        hidden: list[Tensor] = []
        cell: list[Tensor] = []
        for layer, weights in enumerate(self.rnn.all_weights):
            if layer > 0:
                inputs = F.dropout(hidden[-1], self.rnn.dropout, self.training)
            h, c = torch.lstm_cell(inputs, (state.hidden[layer], state.cell[layer]), *weights)
            hidden.append(h)
            cell.append(c)
        return DecoderState(hidden=torch.stack(hidden), cell=torch.stack(cell))


class BahdanauDecoder(Decoder):
    """Attend with the previous state, then the RNN; Bahdanau et al. 2015, section 3.1.

    c_t = attention(s_{t-1}), s_t = LSTM([y_{t-1}; c_t], s_{t-1}), features = readout(s_t, c_t).
    """

    def advance(
        self, embedded: Float[Tensor, "B D"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B R"], DecoderState, Float[Tensor, "B S"]]:
        """One step from the embedded previous word: features, next state, attention weights."""
        context, weights = self.attend(state.top, memory)
        state = self.rnn_step(torch.cat((embedded, context), dim=-1), state)
        return self.readout(state.top, context), state, weights


class LuongDecoder(Decoder):
    """The RNN first, then attend with its output; Luong et al. 2015, section 3.

    h_t = LSTM(y_{t-1}, h_{t-1}), c_t = attention(h_t), features = readout(h_t, c_t).
    """

    def advance(
        self, embedded: Float[Tensor, "B D"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B R"], DecoderState, Float[Tensor, "B S"]]:
        """One step from the embedded previous word: features, next state, attention weights."""
        state = self.rnn_step(embedded, state)
        context, weights = self.attend(state.top, memory)
        return self.readout(state.top, context), state, weights

    def forward(
        self, tgt_in: Int[Tensor, "B T"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B T R"], Float[Tensor, "B T S"]]:
        """All steps at once: attention feeds nothing back into the RNN, so the RNN can run over the whole sentence."""
        outputs, _ = self.rnn(self.embed(tgt_in), (state.hidden, state.cell))
        context, weights = self.attention(outputs, memory)
        return self.readout(outputs, context), weights
