"""Encoder-decoders without attention: the decoder is told nothing of the source, or the same at every step.

B batch, T target length (1 in a single step), S source length, H query (decoder hidden), E encoder output.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from seq2seq_cli.model.attention.attention import Attended
from seq2seq_cli.model.state import Memory


class NoAttention(nn.Module):
    """No context: all that the decoder knows of the source is in its first state; Sutskever et al. 2014, section 2."""

    context_size = 0
    has_weights = False

    def read(
        self,
        states: Float[Tensor, "B S E"],
        last: Float[Tensor, "B E"],  # noqa: ARG002
        mask: Bool[Tensor, "B S"],
    ) -> Memory:
        """Nothing but the mask is needed."""
        return Memory(states=states, keys=states[..., :0], mask=mask)

    def forward(
        self,
        query: Float[Tensor, "B T H"],
        memory: Memory,
        positions: Int[Tensor, "B T"],  # noqa: ARG002
    ) -> Attended:
        """Contexts of length 0 and no weight anywhere."""
        return Attended(context=query[..., :0], weights=no_weights(query, memory))


class FixedContext(nn.Module):
    """c = tanh(V h), h the encoder's last state, the same at every step; Cho et al. 2014, section 2.2 and A.1.1.

    It is a summary of the sentence and not of a word in it, so there are no weights to show.
    """

    has_weights = False

    def __init__(self, *, memory_size: int) -> None:
        super().__init__()
        self.context_size = memory_size
        self.V = nn.Linear(memory_size, memory_size, bias=False)

    def read(self, states: Float[Tensor, "B S E"], last: Float[Tensor, "B E"], mask: Bool[Tensor, "B S"]) -> Memory:
        """The summary as the key of every position."""
        summary = torch.tanh(self.V(last))
        return Memory(states=states, keys=summary.unsqueeze(1).expand_as(states), mask=mask)

    def forward(
        self,
        query: Float[Tensor, "B T H"],
        memory: Memory,
        positions: Int[Tensor, "B T"],  # noqa: ARG002
    ) -> Attended:
        """The summary for each query, and no weight anywhere."""
        summary = memory.keys[:, :1].expand(-1, query.shape[1], -1)
        return Attended(context=summary, weights=no_weights(query, memory))


def no_weights(query: Float[Tensor, "B T H"], memory: Memory) -> Float[Tensor, "B T S"]:
    """Zeros."""
    return query.new_zeros(*query.shape[:2], memory.mask.shape[1])
