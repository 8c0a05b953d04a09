"""Models without attention: the decoder has no context, or the same context at every step.

B batch, T target length (1 in a single step), S source length, H query (decoder hidden), E encoder output.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from typing_extensions import override

from seq2seq_cli.model.attention.attention import Attended, ContextProvider
from seq2seq_cli.model.state import Memory


class NoAttention(ContextProvider):
    """No context: the source reaches the decoder through its first state alone; Sutskever et al. 2014, section 2."""

    context_size = 0
    has_weights = False

    @override
    def keys(self, states: Float[Tensor, "B S E"], last: Float[Tensor, "B E"]) -> Float[Tensor, "B S 0"]:
        return states[..., :0]

    @override
    def forward(self, query: Float[Tensor, "B T H"], memory: Memory, positions: Int[Tensor, "B T"]) -> Attended:
        return Attended(context=query[..., :0], weights=zero_weights(query, memory))


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
        return Attended(context=context, weights=zero_weights(query, memory))


def zero_weights(query: Float[Tensor, "B T H"], memory: Memory) -> Float[Tensor, "B T S"]:
    """Zeros, in the place of attention weights."""
    return query.new_zeros(*query.shape[:2], memory.mask.shape[1])
