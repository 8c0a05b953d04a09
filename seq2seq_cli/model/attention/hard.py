"""Hard attention: one source position per target word.

B batch, T target length (1 in a single step), S source length, E encoder output, H query (decoder hidden).
"""

from dataclasses import replace

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor
from typing_extensions import override

from seq2seq_cli.model.attention.attention import Attended, Attention
from seq2seq_cli.model.state import Memory

SOFT_PROBABILITY = 0.5
"""Probability that a sentence takes the expected context in training; Xu et al. 2015, end of section 4.1."""


class HardAttention(Attention):
    """s_t ~ a_t, c_t = h_{s_t}; Xu et al. 2015, section 4.1, eq. 8 and 9. In evaluation, s_t = argmax a_t.

    In training, half of the sentences, drawn again for each batch, take the expected context sum_s a_ts h_s instead, at
    all their words. A draw has no gradient: `learning/reinforce.py` gives the one that takes its place.
    """

    @override
    def make_memory(
        self, states: Float[Tensor, "B S E"], last: Float[Tensor, "B E"], mask: Bool[Tensor, "B S"]
    ) -> Memory:
        memory = super().make_memory(states, last, mask)
        if not self.training:
            return memory
        return replace(memory, soft_rows=torch.rand(len(states), device=states.device) < SOFT_PROBABILITY)

    @override
    def forward(self, query: Float[Tensor, "B T H"], memory: Memory, positions: Int[Tensor, "B T"]) -> Attended:
        probabilities = self.attention_weights(query, memory, positions)
        if not self.training or memory.soft_rows is None:
            weights = one_hot(probabilities.argmax(dim=-1), like=probabilities)
            return Attended(context=weights @ memory.states, weights=weights)
        drawn = torch.multinomial(probabilities.detach().float().flatten(0, 1), 1).view(probabilities.shape[:2])
        weights = torch.where(memory.soft_rows.view(-1, 1, 1), probabilities, one_hot(drawn, like=probabilities))
        return Attended(context=weights @ memory.states, weights=weights, probabilities=probabilities)


def one_hot(positions: Int[Tensor, "B T"], *, like: Float[Tensor, "B T S"]) -> Float[Tensor, "B T S"]:
    """1 at the given position of each row, 0 elsewhere, in the dtype of `like`."""
    return F.one_hot(positions, like.shape[-1]).to(like.dtype)
