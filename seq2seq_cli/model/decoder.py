"""The decoders: one step is the definition; a faster way over the whole sentence may stand beside it.

B batch, T target length, S source length, D embedding, H hidden, C context, L layers, R readout.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from seq2seq_cli.model.attention.attention import Attended, Attender
from seq2seq_cli.model.dropout import WordDropout, drop_words, locked, make_dropout
from seq2seq_cli.model.readout import Readout
from seq2seq_cli.model.recurrent import RNN, one_step, read_on
from seq2seq_cli.model.state import DecoderState, Memory, RNNState


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """What came of known inputs."""

    features: Float[Tensor, "B T R"]
    """What the output layer sees of each step."""
    weights: Float[Tensor, "B T S"]
    """Where each step was looking."""
    chances: Float[Tensor, "B T S"] | None
    """Hard attention while training: the distributions that the weights were drawn from."""


class Decoder(nn.Module, ABC):
    """Target words in, features of the next word out, attending to the memory."""

    feeds_back: bool = True
    """Whether what is attended to at one step changes the steps after it."""

    def __init__(
        self,
        *,
        embedding: nn.Embedding,
        rnn: RNN,
        attention: Attender,
        readout: Readout,
        dropout: float,
        variational_dropout: bool = False,
        word_dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.embedding = embedding
        self.rnn = rnn
        self.attention = attention
        self.readout = readout
        self.dropout = make_dropout(dropout, variational=variational_dropout)
        self.word_dropout = WordDropout(word_dropout)

    @abstractmethod
    def advance(
        self, embedded: Float[Tensor, "B D"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B R"], DecoderState, Attended]:
        """One step from the embedded previous word: features, next state, and the attention of the one query."""

    def start(self, rnn: RNNState) -> DecoderState:
        """The state before the first word."""
        position = torch.zeros(rnn.hidden.shape[1], dtype=torch.long, device=rnn.hidden.device)
        return DecoderState(rnn=locked(rnn, self.dropout, words=self.embedding.weight), position=position)

    def step(
        self, tokens: Int[Tensor, " B"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B R"], DecoderState, Float[Tensor, "B S"]]:
        """One step from the previous word: features, next state, attention weights."""
        features, state, attended = self.advance(self.embed(tokens, state), state, memory)
        return features, state, attended.weights.squeeze(1)

    def forward(self, tgt_in: Int[Tensor, "B T"], state: DecoderState, memory: Memory) -> Decoded:
        """All steps of known inputs: `step` by `step`, stacked."""
        features, looks = [], []
        for embedded in self.embed(tgt_in, state).unbind(1):
            feature, state, attended = self.advance(embedded, state, memory)
            features.append(feature)
            looks.append(attended)
        chances = [look.chances for look in looks if look.chances is not None]
        return Decoded(
            features=torch.stack(features, dim=1),
            weights=torch.cat([look.weights for look in looks], dim=1),
            chances=torch.cat(chances, dim=1) if chances else None,
        )

    def embed(self, tokens: Int[Tensor, "*N"], state: DecoderState) -> Float[Tensor, "*N D"]:
        """The vectors of words that come after `state`, with dropout while training."""
        return drop_words(self.word_dropout(self.embedding(tokens)), state.rnn.masks, self.dropout)

    def attend(
        self, query: Float[Tensor, "B H"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B C"], Attended]:
        """The context of a single step, for the word after those that `state` has behind it."""
        attended = self.attention(query.unsqueeze(1), memory, state.position.unsqueeze(1) + 1)
        return attended.context.squeeze(1), attended


class BahdanauDecoder(Decoder):
    """Attend with the previous state, then the RNN; Bahdanau et al. 2015, section 3.1.

    c_t = attention(s_{t-1}), s_t = RNN([y_{t-1}; c_t], s_{t-1}), features = readout(s_t, c_t, y_{t-1}).
    """

    def advance(
        self, embedded: Float[Tensor, "B D"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B R"], DecoderState, Attended]:
        """One step from the embedded previous word: features, next state, and the attention of the one query."""
        context, attended = self.attend(state.top, state, memory)
        rnn = one_step(self.rnn, torch.cat((embedded, context), dim=-1), state.rnn)
        return self.readout(rnn.top, context, embedded), DecoderState(rnn=rnn, position=state.position + 1), attended


class LuongDecoder(Decoder):
    """The RNN first, then attend with its output; Luong et al. 2015, section 3.

    h_t = RNN(y_{t-1}, h_{t-1}), c_t = attention(h_t), features = readout(h_t, c_t, y_{t-1}).
    """

    feeds_back = False

    def advance(
        self, embedded: Float[Tensor, "B D"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B R"], DecoderState, Attended]:
        """One step from the embedded previous word: features, next state, and the attention of the one query."""
        rnn = one_step(self.rnn, embedded, state.rnn)
        context, attended = self.attend(rnn.top, state, memory)
        return self.readout(rnn.top, context, embedded), DecoderState(rnn=rnn, position=state.position + 1), attended

    def forward(self, tgt_in: Int[Tensor, "B T"], state: DecoderState, memory: Memory) -> Decoded:
        """All steps at once: attention feeds nothing back into the RNN, so the RNN can run over the whole sentence."""
        embedded = self.embed(tgt_in, state)
        outputs = read_on(self.rnn, embedded, state.rnn)
        steps = torch.arange(1, tgt_in.shape[1] + 1, device=tgt_in.device)
        attended = self.attention(outputs, memory, state.position.unsqueeze(1) + steps)
        features = self.readout(outputs, attended.context, embedded)
        return Decoded(features=features, weights=attended.weights, chances=attended.chances)


class InputFeedingDecoder(Decoder):
    """Luong's decoder told where it looked before; Luong et al. 2015, section 3.3.

    h_t = RNN([y_{t-1}; h~_{t-1}], h_{t-1}), c_t = attention(h_t), h~_t = readout(h_t, c_t), h~_0 = 0.
    """

    def start(self, rnn: RNNState) -> DecoderState:
        """The state before the first word."""
        return replace(super().start(rnn), fed=rnn.hidden.new_zeros(rnn.hidden.shape[1], self.readout.size))

    def advance(
        self, embedded: Float[Tensor, "B D"], state: DecoderState, memory: Memory
    ) -> tuple[Float[Tensor, "B R"], DecoderState, Attended]:
        """One step from the embedded previous word: features, next state, and the attention of the one query."""
        assert state.fed is not None  # noqa: S101  # `start` and this method make all its states
        rnn = one_step(self.rnn, torch.cat((embedded, state.fed), dim=-1), state.rnn)
        context, attended = self.attend(rnn.top, state, memory)
        features = self.readout(rnn.top, context, embedded)
        return features, DecoderState(rnn=rnn, position=state.position + 1, fed=features), attended
