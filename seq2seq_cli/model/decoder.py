"""The decoders: `step` is the definition, which search and export run; training runs `forward`, the same but faster.

In the formulas y is the vector of a target word, s the decoder's state, c the context, s~ the attentional vector (h~ in
Luong et al. 2015).

B batch, T target length, S source length, D embedding, H hidden, Q query, C context, L layers, R readout.
"""

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TypeAlias

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from typing_extensions import override

from seq2seq_cli.config.schema.model import DecoderConfig
from seq2seq_cli.model.attention.attention import Attended, ContextProvider
from seq2seq_cli.model.readout import READOUTS
from seq2seq_cli.model.recurrent import Dropout, make_rnn, step_rnn
from seq2seq_cli.model.state import DecoderState, Memory, RNNState
from seq2seq_cli.model.unroll import unroll
from seq2seq_cli.text.vocabulary import PAD

DecoderStep: TypeAlias = tuple[Float[Tensor, "B R"], DecoderState, Float[Tensor, "B S"]]
"""Features, next state and attention weights."""
Steps: TypeAlias = tuple[Float[Tensor, "B T R"], Attended]
"""Features and attention of all steps."""


class Decoder(nn.Module, ABC):
    """From the previous target words to the features of the next, with attention to the memory."""

    def __init__(
        self, config: DecoderConfig, attention: ContextProvider, *, vocabulary_size: int, feedback_size: int
    ) -> None:
        """`feedback_size` is the length of what the RNN reads beside the vector of the previous word."""
        super().__init__()
        self.embedding = nn.Embedding(vocabulary_size, config.embedding_size)
        self.rnn = make_rnn(config, config.embedding_size + feedback_size)
        self.context_reaches_rnn = feedback_size > 0
        """Whether the context of a step changes the RNN states of later steps."""
        self.attention = attention
        self.readout = READOUTS[config.readout](config, attention.context_size)
        self.dropout = Dropout(config.dropout)
        self.word_dropout = nn.Dropout1d(config.word_dropout)
        self.readout_dropout = Dropout(config.readout_dropout)

    def start(self, rnn: RNNState) -> DecoderState:
        """The state before the first word, from the first state of the RNN."""
        position = torch.zeros(rnn.hidden.shape[1], dtype=torch.long, device=rnn.hidden.device)
        return DecoderState(rnn=rnn, position=position)

    @abstractmethod
    def step(self, tokens: Int[Tensor, " B"], state: DecoderState, memory: Memory) -> DecoderStep:
        """The definition of the decoder: from the previous words to features, next state and attention weights."""

    @abstractmethod
    def forward(self, tgt_in: Int[Tensor, "B T"], state: DecoderState, memory: Memory) -> Steps:
        """All steps for given target inputs, computed faster: the same as `step` by `step`, but at padding."""

    def embed(self, tokens: Int[Tensor, "*N"]) -> Float[Tensor, "*N D"]:
        """The vectors of target inputs, with dropout in training."""
        return self.dropout(self.word_dropout(self.embedding(tokens)))

    def embed_all(self, tgt_in: Int[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
        """The vectors of all target inputs, zero at padding."""
        # That changes no word's output, but a NaN there would come back in the gradient.
        return self.embed(tgt_in).masked_fill((tgt_in == PAD).unsqueeze(2), 0.0)

    def read_out(
        self, hidden: Float[Tensor, "*N H"], context: Float[Tensor, "*N C"], embedded: Float[Tensor, "*N D"]
    ) -> Float[Tensor, "*N R"]:
        """The features of a step, with dropout in training: before the output layer, as in Zaremba et al. 2014."""
        return self.readout_dropout(self.readout(hidden, context, embedded))

    def query(self, hidden: Float[Tensor, "*N H"], embedded: Float[Tensor, "*N D"]) -> Float[Tensor, "*N Q"]:
        """The query of a step: its state, after the vector of the previous word where the attention reads that."""
        return torch.cat((embedded, hidden), dim=-1) if self.attention.reads_word else hidden

    def attend(
        self, hidden: Float[Tensor, "B H"], embedded: Float[Tensor, "B D"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B C"], Float[Tensor, "B S"]]:
        """Context and attention weights of one step, the one after `state`."""
        query, positions = self.query(hidden, embedded), state.position + 1
        if memory.readers is None:
            attended: Attended = self.attention(query.unsqueeze(1), memory, positions.unsqueeze(1))
            return attended.context.squeeze(1), attended.weights.squeeze(1)
        slots, collect = memory.readers.slots, memory.readers.collect
        attended = self.attention(query[slots], memory, positions[slots])
        return collect(attended.context), collect(attended.weights)


class BahdanauDecoder(Decoder):
    """Attend with the previous state, then the RNN; Bahdanau et al. 2015, section 3.1.

    c_t = attention(s_{t-1}), s_t = RNN([y_{t-1}; c_t], s_{t-1}), features = readout(s_t, c_t, y_{t-1}).
    """

    @override
    def step(self, tokens: Int[Tensor, " B"], state: DecoderState, memory: Memory) -> DecoderStep:
        word = self.embed(tokens)
        context, weights = self.attend(state.rnn.top, word, state, memory)
        rnn = step_rnn(self.rnn, torch.cat((word, context), dim=-1), state.rnn)
        return self.read_out(rnn.top, context, word), DecoderState(rnn=rnn, position=state.position + 1), weights

    @override
    def forward(self, tgt_in: Int[Tensor, "B T"], state: DecoderState, memory: Memory) -> Steps:
        """Attention and RNN in turns, then the readout of all steps at once."""
        words = self.embed_all(tgt_in)
        hidden, outputs = [state.rnn.top], []
        rnn = unroll(self.rnn, words, state.rnn)
        for word, position in zip(words.unbind(1), torch.split(positions_after(state, tgt_in), 1, dim=1), strict=True):
            outputs.append(self.attention(self.query(hidden[-1], word).unsqueeze(1), memory, position))
            hidden.append(rnn.step(outputs[-1].context.squeeze(1)))
        attended = Attended.join(outputs)
        return self.read_out(torch.stack(hidden[1:], dim=1), attended.context, words), attended


class LuongDecoder(Decoder):
    """The RNN, then attend with its output; Luong et al. 2015, section 3.

    s_t = RNN(y_{t-1}, s_{t-1}), c_t = attention(s_t), features = readout(s_t, c_t, y_{t-1}).
    """

    @override
    def step(self, tokens: Int[Tensor, " B"], state: DecoderState, memory: Memory) -> DecoderStep:
        word = self.embed(tokens)
        fed = word if state.attentional is None else torch.cat((word, state.attentional), dim=-1)
        rnn = step_rnn(self.rnn, fed, state.rnn)
        context, weights = self.attend(rnn.top, word, state, memory)
        features = self.read_out(rnn.top, context, word)
        attentional = None if state.attentional is None else features
        return features, DecoderState(rnn=rnn, position=state.position + 1, attentional=attentional), weights

    @override
    def forward(self, tgt_in: Int[Tensor, "B T"], state: DecoderState, memory: Memory) -> Steps:
        """The RNN over the whole sentence, then attention and readout of all steps at once."""
        words, rnn = self.embed_all(tgt_in), state.rnn
        hidden, _ = self.rnn(words, rnn.hidden if rnn.cell is None else (rnn.hidden, rnn.cell))
        attended = self.attention(self.query(hidden, words), memory, positions_after(state, tgt_in))
        return self.read_out(hidden, attended.context, words), attended


class InputFeedingDecoder(LuongDecoder):
    """Luong's decoder, its attentional vector fed to the next step; Luong et al. 2015, section 3.3.

    s_t = RNN([y_{t-1}; s~_{t-1}], s_{t-1}), c_t = attention(s_t), features = s~_t = readout(s_t, c_t), s~_0 = 0.
    """

    @override
    def start(self, rnn: RNNState) -> DecoderState:
        return replace(super().start(rnn), attentional=rnn.hidden.new_zeros(rnn.hidden.shape[1], self.readout.size))

    @override
    def forward(self, tgt_in: Int[Tensor, "B T"], state: DecoderState, memory: Memory) -> Steps:
        """RNN, attention and readout in turns."""
        assert state.attentional is not None  # noqa: S101  # `start` and `step` make all its states
        words = self.embed_all(tgt_in)
        features, outputs = [state.attentional], []
        rnn = unroll(self.rnn, words, state.rnn)
        for word, position in zip(words.unbind(1), torch.split(positions_after(state, tgt_in), 1, dim=1), strict=True):
            hidden = rnn.step(features[-1])
            outputs.append(self.attention(self.query(hidden, word).unsqueeze(1), memory, position))
            features.append(self.read_out(hidden, outputs[-1].context.squeeze(1), word))
        return torch.stack(features[1:], dim=1), Attended.join(outputs)


def positions_after(state: DecoderState, tgt_in: Int[Tensor, "B T"]) -> Int[Tensor, "B T"]:
    """The positions of the words to be written after `state`, counted from 1."""
    return state.position.unsqueeze(1) + torch.arange(1, tgt_in.shape[1] + 1, device=tgt_in.device)
