"""The decoders: one step is the definition; a faster way over the whole sentence stands beside it.

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
from seq2seq_cli.model.stepwise import stepwise


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """What came of known inputs."""

    features: Float[Tensor, "B T R"]
    """What the output layer sees of each step."""
    weights: Float[Tensor, "B T S"]
    """Where each step was looking."""
    probabilities: Float[Tensor, "B T S"] | None
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
        """All steps of known inputs: what `step` by `step` gives, faster."""
        steps = torch.arange(1, tgt_in.shape[1] + 1, device=tgt_in.device)
        features, attended = self.read(self.embed(tgt_in, state), state, memory, state.position.unsqueeze(1) + steps)
        return Decoded(features=features, weights=attended.weights, probabilities=attended.probabilities)

    @abstractmethod
    def read(
        self, embedded: Float[Tensor, "B T D"], state: DecoderState, memory: Memory, positions: Int[Tensor, "B T"]
    ) -> tuple[Float[Tensor, "B T R"], Attended]:
        """All steps from the embedded words before those at `positions`: features, and the attention of all queries."""

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

    def read(
        self, embedded: Float[Tensor, "B T D"], state: DecoderState, memory: Memory, positions: Int[Tensor, "B T"]
    ) -> tuple[Float[Tensor, "B T R"], Attended]:
        """All steps: attention and RNN in turns, the readout of all steps at once."""
        hidden, looks = [state.top], []
        steps = stepwise(self.rnn, embedded, state.rnn)
        for position in positions.unsqueeze(2).unbind(1):
            looks.append(self.attention(hidden[-1].unsqueeze(1), memory, position))
            hidden.append(steps.advance(looks[-1].context.squeeze(1)))
        attended = Attended.join(looks)
        return self.readout(torch.stack(hidden[1:], dim=1), attended.context, embedded), attended


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

    def read(
        self, embedded: Float[Tensor, "B T D"], state: DecoderState, memory: Memory, positions: Int[Tensor, "B T"]
    ) -> tuple[Float[Tensor, "B T R"], Attended]:
        """All steps at once: attention feeds nothing back into the RNN, so the RNN can run over the whole sentence."""
        outputs = read_on(self.rnn, embedded, state.rnn)
        attended = self.attention(outputs, memory, positions)
        return self.readout(outputs, attended.context, embedded), attended


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

    def read(
        self, embedded: Float[Tensor, "B T D"], state: DecoderState, memory: Memory, positions: Int[Tensor, "B T"]
    ) -> tuple[Float[Tensor, "B T R"], Attended]:
        """All steps: RNN, attention and readout in turns."""
        assert state.fed is not None  # noqa: S101  # `start` and this method make all its states
        features, looks = [state.fed], []
        steps = stepwise(self.rnn, embedded, state.rnn)
        for word, position in zip(embedded.unbind(1), positions.unsqueeze(2).unbind(1), strict=True):
            hidden = steps.advance(features[-1])
            looks.append(self.attention(hidden.unsqueeze(1), memory, position))
            features.append(self.readout(hidden, looks[-1].context.squeeze(1), word))
        return torch.stack(features[1:], dim=1), Attended.join(looks)
