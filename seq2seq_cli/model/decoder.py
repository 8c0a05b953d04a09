"""The decoders: one step is the definition; beside it stands a faster way through a whole sentence.

In the formulas y is the vector of a target word, s the decoder's state, c the context, s~ the attentional vector (h~ in
Luong et al. 2015).

B batch, T target length, S source length, D embedding, H hidden, Q query, C context, L layers,
R readout.
"""

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from typing_extensions import override

from seq2seq_cli.model.attention.attention import Attended, ContextProvider
from seq2seq_cli.model.dropout import Dropout, WordDropout, drop_word_entries, make_dropout, with_dropout_masks
from seq2seq_cli.model.readout import Readout
from seq2seq_cli.model.recurrent import RNN, continue_rnn, step_rnn
from seq2seq_cli.model.state import DecoderState, Memory, RNNState
from seq2seq_cli.model.unroll import unroll
from seq2seq_cli.text.vocabulary import PAD


class Decoder(nn.Module, ABC):
    """From the previous target words to the features of the next, with attention to the memory."""

    context_reaches_rnn: ClassVar[bool] = True
    """Whether the context of a step changes the RNN states of later steps."""

    def __init__(
        self,
        *,
        embedding: nn.Embedding,
        rnn: RNN,
        attention: ContextProvider,
        readout: Readout,
        dropout: float,
        variational_dropout: bool,
        word_dropout: float,
        readout_dropout: float,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.rnn = rnn
        self.attention = attention
        self.readout = readout
        self.dropout = make_dropout(dropout, variational=variational_dropout)
        self.word_dropout = WordDropout(word_dropout)
        self.readout_dropout = Dropout(readout_dropout)

    def start(self, rnn: RNNState) -> DecoderState:
        """The state before the first word, from the first state of the RNN."""
        position = torch.zeros(rnn.hidden.shape[1], dtype=torch.long, device=rnn.hidden.device)
        return DecoderState(rnn=with_dropout_masks(rnn, self.dropout, words=self.embedding.weight), position=position)

    def step(
        self, tokens: Int[Tensor, " B"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B R"], DecoderState, Float[Tensor, "B S"]]:
        """One step from the previous words: features, next state, attention weights."""
        features, state, attended = self.advance(self.embed(tokens, state), state, memory)
        return features, state, attended.weights.squeeze(1)

    def forward(
        self, tgt_in: Int[Tensor, "B T"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B T R"], Attended]:
        """All steps for given target inputs, computed faster: the same as `step` by `step`, but at padding."""
        steps = torch.arange(1, tgt_in.shape[1] + 1, device=tgt_in.device)
        positions = state.position.unsqueeze(1) + steps
        # The vector of padding changes no word's output, but a NaN there would come back in the gradient.
        embedded = self.embed(tgt_in, state).masked_fill((tgt_in == PAD).unsqueeze(2), 0.0)
        return self.decode(embedded, state, memory, positions)

    @abstractmethod
    def advance(
        self, embedded: Float[Tensor, "B D"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B R"], DecoderState, Attended]:
        """One step from the vectors of the previous words: features, next state, and the output of attention."""

    @abstractmethod
    def decode(
        self, embedded: Float[Tensor, "B T D"], state: DecoderState, memory: Memory, positions: Int[Tensor, "B T"]
    ) -> tuple[Float[Tensor, "B T R"], Attended]:
        """All steps from the vectors of the target inputs: features, and the output of attention for all queries.

        `positions` are those of the words to be written, counted from 1.
        """

    def embed(self, tokens: Int[Tensor, "*N"], state: DecoderState) -> Float[Tensor, "*N D"]:
        """The vectors of target inputs after `state`, with dropout in training."""
        return drop_word_entries(self.word_dropout(self.embedding(tokens)), state.rnn.masks, self.dropout)

    def read_out(
        self, hidden: Float[Tensor, "*N H"], context: Float[Tensor, "*N C"], embedded: Float[Tensor, "*N D"]
    ) -> Float[Tensor, "*N R"]:
        """The features of a step, with dropout in training: before the output layer, as in Zaremba et al. 2014."""
        features: Tensor = self.readout_dropout(self.readout(hidden, context, embedded))
        return features

    def query(self, hidden: Float[Tensor, "*N H"], embedded: Float[Tensor, "*N D"]) -> Float[Tensor, "*N Q"]:
        """The query of a step: its state, after the vector of the previous word where the attention reads that."""
        return torch.cat((embedded, hidden), dim=-1) if self.attention.reads_word else hidden

    def attend(
        self, hidden: Float[Tensor, "B H"], embedded: Float[Tensor, "B D"], state: DecoderState, memory: Memory
    ) -> Attended:
        """The output of attention for the query of one step, the one after `state`."""
        query = self.query(hidden, embedded).unsqueeze(1)
        attended: Attended = self.attention(query, memory, state.position.unsqueeze(1) + 1)
        return attended


class BahdanauDecoder(Decoder):
    """Attend with the previous state, then the RNN; Bahdanau et al. 2015, section 3.1.

    c_t = attention(s_{t-1}), s_t = RNN([y_{t-1}; c_t], s_{t-1}), features = readout(s_t, c_t, y_{t-1}).
    """

    @override
    def advance(
        self, embedded: Float[Tensor, "B D"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B R"], DecoderState, Attended]:
        attended = self.attend(state.rnn.top, embedded, state, memory)
        context = attended.context.squeeze(1)
        rnn = step_rnn(self.rnn, torch.cat((embedded, context), dim=-1), state.rnn)
        return self.read_out(rnn.top, context, embedded), DecoderState(rnn=rnn, position=state.position + 1), attended

    @override
    def decode(
        self, embedded: Float[Tensor, "B T D"], state: DecoderState, memory: Memory, positions: Int[Tensor, "B T"]
    ) -> tuple[Float[Tensor, "B T R"], Attended]:
        """Attention and RNN in turns, then the readout of all steps at once."""
        hidden, outputs = [state.rnn.top], []
        rnn = unroll(self.rnn, embedded, state.rnn)
        for word, position in zip(embedded.unbind(1), positions.unsqueeze(2).unbind(1), strict=True):
            outputs.append(self.attention(self.query(hidden[-1], word).unsqueeze(1), memory, position))
            hidden.append(rnn.step(outputs[-1].context.squeeze(1)))
        attended = Attended.join(outputs)
        return self.read_out(torch.stack(hidden[1:], dim=1), attended.context, embedded), attended


class LuongDecoder(Decoder):
    """The RNN, then attend with its output; Luong et al. 2015, section 3.

    s_t = RNN(y_{t-1}, s_{t-1}), c_t = attention(s_t), features = readout(s_t, c_t, y_{t-1}).
    """

    context_reaches_rnn = False

    @override
    def advance(
        self, embedded: Float[Tensor, "B D"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B R"], DecoderState, Attended]:
        rnn = step_rnn(self.rnn, embedded, state.rnn)
        attended = self.attend(rnn.top, embedded, state, memory)
        features = self.read_out(rnn.top, attended.context.squeeze(1), embedded)
        return features, DecoderState(rnn=rnn, position=state.position + 1), attended

    @override
    def decode(
        self, embedded: Float[Tensor, "B T D"], state: DecoderState, memory: Memory, positions: Int[Tensor, "B T"]
    ) -> tuple[Float[Tensor, "B T R"], Attended]:
        """The RNN over the whole sentence, then attention and readout of all steps at once."""
        hidden = continue_rnn(self.rnn, embedded, state.rnn)
        attended = self.attention(self.query(hidden, embedded), memory, positions)
        return self.read_out(hidden, attended.context, embedded), attended


class InputFeedingDecoder(Decoder):
    """Luong's decoder, its attentional vector fed to the next step; Luong et al. 2015, section 3.3.

    s_t = RNN([y_{t-1}; s~_{t-1}], s_{t-1}), c_t = attention(s_t), features = s~_t = readout(s_t, c_t), s~_0 = 0.
    """

    @override
    def start(self, rnn: RNNState) -> DecoderState:
        return replace(super().start(rnn), attentional=rnn.hidden.new_zeros(rnn.hidden.shape[1], self.readout.size))

    @override
    def advance(
        self, embedded: Float[Tensor, "B D"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B R"], DecoderState, Attended]:
        assert state.attentional is not None  # noqa: S101  # `start` and this method make all its states
        rnn = step_rnn(self.rnn, torch.cat((embedded, state.attentional), dim=-1), state.rnn)
        attended = self.attend(rnn.top, embedded, state, memory)
        features = self.read_out(rnn.top, attended.context.squeeze(1), embedded)
        return features, DecoderState(rnn=rnn, position=state.position + 1, attentional=features), attended

    @override
    def decode(
        self, embedded: Float[Tensor, "B T D"], state: DecoderState, memory: Memory, positions: Int[Tensor, "B T"]
    ) -> tuple[Float[Tensor, "B T R"], Attended]:
        """RNN, attention and readout in turns."""
        assert state.attentional is not None  # noqa: S101  # `start` and `advance` make all its states
        features, outputs = [state.attentional], []
        rnn = unroll(self.rnn, embedded, state.rnn)
        for word, position in zip(embedded.unbind(1), positions.unsqueeze(2).unbind(1), strict=True):
            hidden = rnn.step(features[-1])
            outputs.append(self.attention(self.query(hidden, word).unsqueeze(1), memory, position))
            features.append(self.read_out(hidden, outputs[-1].context.squeeze(1), word))
        return torch.stack(features[1:], dim=1), Attended.join(outputs)
