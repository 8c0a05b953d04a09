"""Hard attention: one source word at a time.

B batch, T target length (1 in a single step), S source length, H query (decoder hidden).
"""

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from seq2seq_cli.model.attention.attention import Attended, Attention
from seq2seq_cli.model.state import Memory

SOFT_SHARE = 0.5
"""How many sentences take the expected context while training; Xu et al. 2015, end of section 4.1."""


class HardAttention(Attention):
    """s_t ~ a_t, c_t = h_{s_t}; Xu et al. 2015, section 4.1, eq. 8 and 9. When not training, s_t = argmax a_t.

    While training, each sentence takes the expected context sum_s a_ts h_s instead with a chance of one half, drawn
    once for all its words. No gradient goes through a draw: `training/reinforce.py` has what takes its place.
    """

    def read(self, states: Float[Tensor, "B S E"], last: Float[Tensor, "B E"], mask: Bool[Tensor, "B S"]) -> Memory:
        """The states, what the score needs of them, and which sentences are soft."""
        memory = super().read(states, last, mask)
        if not self.training:
            return memory
        soft = torch.rand(len(states), device=states.device) < SOFT_SHARE
        return Memory(states=memory.states, keys=memory.keys, mask=memory.mask, soft=soft)

    def forward(self, query: Float[Tensor, "B T H"], memory: Memory, positions: Int[Tensor, "B T"]) -> Attended:
        """The state at one position for each query; its weight is 1."""
        probabilities = self.weigh(query, memory, positions)
        if not self.training or memory.soft is None:
            weights = one_hot(probabilities.argmax(dim=-1), like=probabilities)
            return Attended(context=weights @ memory.states, weights=weights)
        drawn = torch.multinomial(probabilities.detach().float().flatten(0, 1), 1).view(probabilities.shape[:2])
        weights = torch.where(memory.soft.view(-1, 1, 1), probabilities, one_hot(drawn, like=probabilities))
        return Attended(context=weights @ memory.states, weights=weights, probabilities=probabilities)


def one_hot(places: Int[Tensor, "B T"], *, like: Float[Tensor, "B T S"]) -> Float[Tensor, "B T S"]:
    """1 at the place of each row, 0 elsewhere."""
    return F.one_hot(places, like.shape[-1]).to(like.dtype)
