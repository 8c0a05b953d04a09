"""Attention = score x scope; mask, softmax and weighted sum are written here, once for all of them.

B batch, T target length (1 in a single step), S source length, H query (decoder hidden), E encoder output, C context.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from seq2seq_cli.model.attention.scopes import Scope
from seq2seq_cli.model.attention.scores import Score
from seq2seq_cli.model.state import Memory


@dataclass(frozen=True, kw_only=True)
class Attended:
    """What came of looking at the memory."""

    context: Float[Tensor, "B T C"]
    """The context of each query."""
    weights: Float[Tensor, "B T S"]
    """Where it is from: exactly 0 on padding and outside the scope."""
    probabilities: Float[Tensor, "B T S"] | None = None
    """Hard attention while training: the distribution that the weights were drawn from."""

    @staticmethod
    def join(looks: "list[Attended]") -> "Attended":
        """What came of looks one after the other."""
        probabilities = [look.probabilities for look in looks if look.probabilities is not None]
        return Attended(
            context=torch.cat([look.context for look in looks], dim=1),
            weights=torch.cat([look.weights for look in looks], dim=1),
            probabilities=torch.cat(probabilities, dim=1) if probabilities else None,
        )


@runtime_checkable
class Attender(Protocol):
    """What makes a context for a decoder."""

    context_size: int
    """Length of a context; 0 when there is none."""
    has_weights: bool
    """Whether it has weights to show."""

    def read(self, states: Float[Tensor, "B S E"], last: Float[Tensor, "B E"], mask: Bool[Tensor, "B S"]) -> Memory:
        """What is needed of the source, computed once a sentence; `last` is the encoder's last state."""

    def __call__(self, query: Float[Tensor, "B T H"], memory: Memory, positions: Int[Tensor, "B T"]) -> Attended:
        """The context of each query, made for the target word at its position (counted from 1)."""


def masked_softmax(scores: Float[Tensor, "*B T S"], allowed: Bool[Tensor, "*#B #T S"]) -> Float[Tensor, "*B T S"]:
    """Softmax over the allowed positions; exactly 0 elsewhere, and all 0 where nothing is allowed (never NaN)."""
    # The lowest finite number instead of minus infinity: a row without an allowed position stays finite.
    lowest = torch.finfo(scores.dtype).min
    weights = torch.softmax(scores.masked_fill(~allowed, lowest), dim=-1)
    return weights.masked_fill(~allowed, 0.0)


class Attention(nn.Module):
    """a_t = softmax(score(q_t, k_1..S)) inside the scope, c_t = sum_s a_ts h_s; Bahdanau et al. 2015, eq. 5 and 6."""

    has_weights = True

    def __init__(self, *, score: Score, scope: Scope, memory_size: int) -> None:
        super().__init__()
        self.score = score
        self.scope = scope
        self.context_size = memory_size

    def read(
        self,
        states: Float[Tensor, "B S E"],
        last: Float[Tensor, "B E"],  # noqa: ARG002
        mask: Bool[Tensor, "B S"],
    ) -> Memory:
        """The states and what the score needs of them."""
        return Memory(states=states, keys=self.score.keys(states), mask=mask)

    def forward(self, query: Float[Tensor, "B T H"], memory: Memory, positions: Int[Tensor, "B T"]) -> Attended:
        """The context of each query and the weights it is made with; they sum to 1 unless the scope scales them."""
        weights = self.weigh(query, memory, positions)
        return Attended(context=weights @ memory.states, weights=weights)

    def weigh(
        self, query: Float[Tensor, "B T H"], memory: Memory, positions: Int[Tensor, "B T"]
    ) -> Float[Tensor, "B T S"]:
        """a_t for each query."""
        allowed, factor = self.scope(query, memory.mask, positions)
        weights = masked_softmax(self.score(query, memory.keys), allowed)
        return weights if factor is None else weights * factor
