"""The gate of the context.

B batch, T target length (1 in a single step), S source length, H query, E encoder output, K keys, C context.
"""

from dataclasses import replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from typing_extensions import override

from seq2seq_cli.model.attention.attention import Attended, ContextProvider
from seq2seq_cli.model.state import Memory


class GatedAttention(ContextProvider):
    """β_t c_t, β_t = sigmoid(w · q_t + b), c_t the context of another attention; Xu et al. 2015, section 4.2.1.

    One number per target word: how much of the source it needs. The weights stay as they are.
    """

    def __init__(self, attention: ContextProvider, *, query_size: int) -> None:
        super().__init__()
        self.attention = attention
        self.w = nn.Linear(query_size, 1)
        self.context_size = attention.context_size
        self.max_length = attention.max_length
        self.reads_word = attention.reads_word

    @override
    def make_memory(
        self, states: Float[Tensor, "B S E"], last: Float[Tensor, "B E"], mask: Bool[Tensor, "B S"]
    ) -> Memory:
        return self.attention.make_memory(states, last, mask)

    @override
    def keys(self, states: Float[Tensor, "B S E"], last: Float[Tensor, "B E"]) -> Float[Tensor, "B S K"]:
        return self.attention.keys(states, last)

    @override
    def forward(self, query: Float[Tensor, "B T H"], memory: Memory, positions: Int[Tensor, "B T"]) -> Attended:
        attended: Attended = self.attention(query, memory, positions)
        return replace(attended, context=torch.sigmoid(self.w(query)) * attended.context)
