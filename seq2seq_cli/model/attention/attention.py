"""Attention = score x scope, soft and hard, and what stands in its place in a model without.

The softmax with its mask is written here, once for all scores and scopes.

B batch, T target length (1 in a single step), S source length, H query (decoder hidden; with the word before it where
the score reads that), X encoder state, E memory (X, longer for a lexical readout), K keys, C context.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from typing_extensions import override

from seq2seq_cli.model.attention.scopes import Scope
from seq2seq_cli.model.attention.scores import Score
from seq2seq_cli.model.state import Memory

SOFT_PROBABILITY = 0.5
"""Probability that a sentence takes the expected context in training; Xu et al. 2015, end of section 4.1."""


@dataclass(frozen=True, kw_only=True)
class Attended:
    """The output of attention for T queries."""

    context: Float[Tensor, "B T C"]
    weights: Float[Tensor, "B T S"]
    """The attention weights: exactly 0 on padding and outside the scope."""
    probabilities: Float[Tensor, "B T S"] | None = None
    """Hard attention in training: the distribution that the weights were drawn from."""

    @staticmethod
    def join(outputs: "list[Attended]") -> "Attended":
        """The outputs of several steps, joined along T."""
        probabilities = [output.probabilities for output in outputs if output.probabilities is not None]
        return Attended(
            context=torch.cat([output.context for output in outputs], dim=1),
            weights=torch.cat([output.weights for output in outputs], dim=1),
            probabilities=torch.cat(probabilities, dim=1) if probabilities else None,
        )


class ContextProvider(nn.Module, ABC):
    """The base of all attentions, and of what stands in their place in a model without."""

    context_size: int
    """C, the length of a context; 0 when there is none."""
    has_weights: ClassVar[bool] = True
    """Whether the context is a weighted sum, with weights to show."""
    max_length: int | None = None
    """The largest number of source positions; None for no limit."""
    reads_word: bool = False
    """Whether a query is [y; q], the vector of the previous word before the decoder's state."""

    def make_memory(
        self, states: Float[Tensor, "B S E"], last: Float[Tensor, "B X"], mask: Bool[Tensor, "B S"]
    ) -> Memory:
        """The memory of encoder states, computed once per sentence; `last` is the encoder's last state."""
        # A weight of 0 does not silence a NaN, and neither does a gradient of 0.
        states = states.masked_fill(~mask.unsqueeze(2), 0.0)
        return Memory(states=states, keys=self.keys(states, last), mask=mask)

    @abstractmethod
    def keys(self, states: Float[Tensor, "B S E"], last: Float[Tensor, "B X"]) -> Float[Tensor, "B S K"]:
        """The part of the context's formula that depends on the source alone."""

    @abstractmethod
    def forward(self, query: Float[Tensor, "B T H"], memory: Memory, positions: Int[Tensor, "B T"]) -> Attended:
        """The context of each query; `positions`: where each target word to be written stands, counted from 1."""


def masked_softmax(scores: Float[Tensor, "*B T S"], allowed: Bool[Tensor, "*#B #T S"]) -> Float[Tensor, "*B T S"]:
    """Softmax over the allowed positions; exactly 0 elsewhere, and all 0 where nothing is allowed (never NaN)."""
    # The lowest finite number instead of minus infinity: a row without an allowed position stays finite.
    lowest = torch.finfo(scores.dtype).min
    weights = torch.softmax(scores.masked_fill(~allowed, lowest), dim=-1)
    return weights.masked_fill(~allowed, 0.0)


class Attention(ContextProvider):
    """a_t = softmax_s score(q_t, h_s) within the scope, c_t = sum_s a_ts h_s; Bahdanau et al. 2015, eq. 5 and 6."""

    def __init__(self, *, score: Score, scope: Scope, memory_size: int) -> None:
        super().__init__()
        self.score = score
        self.scope = scope
        self.context_size = memory_size
        self.max_length = score.max_length
        self.reads_word = score.reads_word

    @override
    def keys(self, states: Float[Tensor, "B S E"], last: Float[Tensor, "B X"]) -> Float[Tensor, "B S K"]:
        # No slice of all: for the dot score, the keys are the states themselves.
        is_whole = self.score.reads_source_words or states.shape[2] == last.shape[1]
        return self.score.keys(states if is_whole else states[..., : last.shape[1]])

    @override
    def forward(self, query: Float[Tensor, "B T H"], memory: Memory, positions: Int[Tensor, "B T"]) -> Attended:
        weights = self.attention_weights(query, memory, positions)
        return Attended(context=weights @ memory.states, weights=weights)

    def attention_weights(
        self, query: Float[Tensor, "B T H"], memory: Memory, positions: Int[Tensor, "B T"]
    ) -> Float[Tensor, "B T S"]:
        """a_t of each query. Its sum is 1, but less with local-p, and 0 where the window of local-m is empty."""
        allowed, factor = self.scope(query, memory.mask, positions)
        weights = masked_softmax(self.score(query, memory.keys), allowed)
        return weights if factor is None else weights * factor


class HardAttention(Attention):
    """s_t ~ a_t, c_t = h_{s_t}; Xu et al. 2015, section 4.1, eq. 8 and 9. In evaluation, s_t = argmax a_t.

    In training, half of the sentences, drawn again for each batch, take the expected context sum_s a_ts h_s instead, at
    all their words. A draw has no gradient: `learning/loss.py` gives the one that takes its place.
    """

    @override
    def make_memory(
        self, states: Float[Tensor, "B S E"], last: Float[Tensor, "B X"], mask: Bool[Tensor, "B S"]
    ) -> Memory:
        soft_rows = torch.rand(len(states), device=states.device) < SOFT_PROBABILITY if self.training else None
        return replace(super().make_memory(states, last, mask), soft_rows=soft_rows)

    @override
    def forward(self, query: Float[Tensor, "B T H"], memory: Memory, positions: Int[Tensor, "B T"]) -> Attended:
        probabilities = self.attention_weights(query, memory, positions)
        if not self.training or memory.soft_rows is None:
            weights = F.one_hot(probabilities.argmax(dim=-1), probabilities.shape[-1]).to(probabilities.dtype)
            return Attended(context=weights @ memory.states, weights=weights)
        chances = probabilities.detach().float().nan_to_num(1.0)  # the update tells of NaN, which cannot be drawn from
        drawn = torch.multinomial(chances.flatten(0, 1), 1).view(probabilities.shape[:2])
        one_hot = F.one_hot(drawn, probabilities.shape[-1]).to(probabilities.dtype)
        weights = torch.where(memory.soft_rows.view(-1, 1, 1), probabilities, one_hot)
        return Attended(context=weights @ memory.states, weights=weights, probabilities=probabilities)


class NoAttention(ContextProvider):
    """No context: the source reaches the decoder through its first state alone; Sutskever et al. 2014, section 2."""

    context_size = 0
    has_weights = False

    @override
    def keys(self, states: Float[Tensor, "B S E"], last: Float[Tensor, "B E"]) -> Float[Tensor, "B S 0"]:
        return states[..., :0]

    @override
    def forward(self, query: Float[Tensor, "B T H"], memory: Memory, positions: Int[Tensor, "B T"]) -> Attended:
        return Attended(context=query[..., :0], weights=query.new_zeros(*query.shape[:2], memory.mask.shape[1]))


class FixedContext(ContextProvider):
    """c = tanh(V h), h the encoder's last state, the same at every step; Cho et al. 2014, section 2.2 and A.1.1.

    c is a summary of the sentence, not a weighted sum over its words, and has no weights to show.
    """

    has_weights = False

    def __init__(self, *, memory_size: int) -> None:
        super().__init__()
        self.context_size = memory_size
        self.V = nn.Linear(memory_size, memory_size, bias=False)

    @override
    def keys(self, states: Float[Tensor, "B S E"], last: Float[Tensor, "B E"]) -> Float[Tensor, "B S E"]:
        return self.summary(last).unsqueeze(1).expand_as(states)

    def summary(self, last: Float[Tensor, "B E"]) -> Float[Tensor, "B E"]:
        """c, from the encoder's last state."""
        return torch.tanh(self.V(last))

    @override
    def forward(self, query: Float[Tensor, "B T H"], memory: Memory, positions: Int[Tensor, "B T"]) -> Attended:
        context = memory.keys[:, :1].expand(-1, query.shape[1], -1)
        return Attended(context=context, weights=query.new_zeros(*query.shape[:2], memory.mask.shape[1]))
