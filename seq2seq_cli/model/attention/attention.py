"""Attention = score x scope; mask, softmax and weighted sum are written here, once for all of them.

B batch, T target length (1 in a single step), S source length, H query (decoder hidden), E encoder output.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from seq2seq_cli.model.attention.scopes import Scope
from seq2seq_cli.model.attention.scores import Score
from seq2seq_cli.model.state import Memory


def masked_softmax(scores: Float[Tensor, "B T S"], allowed: Bool[Tensor, "B #T S"]) -> Float[Tensor, "B T S"]:
    """Softmax over the allowed positions; exactly 0 elsewhere, and all 0 where nothing is allowed (never NaN)."""
    # The lowest finite number instead of minus infinity: a row without an allowed position stays finite.
    lowest = torch.finfo(scores.dtype).min
    weights = torch.softmax(scores.masked_fill(~allowed, lowest), dim=-1)
    return weights.masked_fill(~allowed, 0.0)


class Attention(nn.Module):
    """a_t = softmax(score(q_t, k_1..S)) inside the scope, c_t = sum_s a_ts h_s; Bahdanau et al. 2015, eq. 5 and 6."""

    def __init__(self, *, score: Score, scope: Scope) -> None:
        super().__init__()
        self.score = score
        self.scope = scope

    def keys(self, states: Float[Tensor, "B S E"]) -> Float[Tensor, "B S K"]:
        """What the score needs of the source, computed once a sentence."""
        return self.score.keys(states)

    def forward(
        self, query: Float[Tensor, "B T H"], memory: Memory
    ) -> tuple[Float[Tensor, "B T E"], Float[Tensor, "B T S"]]:
        """The context of each query and the weights it is made with; weights sum to 1 and are 0 on padding."""
        scores = self.score(query, memory.keys)
        weights = masked_softmax(scores, self.scope(query, memory.mask))
        return weights @ memory.states, weights
