"""Attention with several heads, each with its own scores and its own part of the context.

B batch, T target length (1 in a single step), S source length, H query (decoder hidden), E encoder output,
A attention size, K heads, X size per head, Y = A + E.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from typing_extensions import override

from seq2seq_cli.model.attention.attention import Attended, ContextProvider, masked_softmax
from seq2seq_cli.model.attention.scopes import Scope
from seq2seq_cli.model.state import Memory


class MultiHeadAttention(ContextProvider):
    """c_t = [c_t1; ... c_tK], c_tk = sum_s a_tks V_k h_s, a_tk = softmax(v_k · tanh(W_k q_t + U_k h_s)).

    Additive attention with several heads, as in Chen et al. 2018 (RNMT+), section 4; heads: Vaswani et al. 2017,
    section 3.2.2. The rows of W, U and V are divided among the heads. The weights given are the mean over the heads.
    """

    def __init__(self, *, query_size: int, memory_size: int, attention_size: int, heads: int, scope: Scope) -> None:
        super().__init__()
        self.heads = heads
        self.scope = scope
        self.context_size = memory_size
        self.sizes = [attention_size, memory_size]
        self.W = nn.Linear(query_size, attention_size, bias=False)
        self.U = nn.Linear(memory_size, attention_size, bias=False)
        self.V = nn.Linear(memory_size, memory_size, bias=False)
        self.v = nn.Parameter(torch.empty(heads, attention_size // heads))
        nn.init.uniform_(self.v, -((attention_size // heads) ** -0.5), (attention_size // heads) ** -0.5)

    @override
    def keys(self, states: Float[Tensor, "B S E"], last: Float[Tensor, "B E"]) -> Float[Tensor, "B S Y"]:
        """[U h; V h] of all heads."""
        return torch.cat((self.U(states), self.V(states)), dim=-1)

    @override
    def forward(self, query: Float[Tensor, "B T H"], memory: Memory, positions: Int[Tensor, "B T"]) -> Attended:
        keys, values = (self._split_heads(x) for x in torch.split(memory.keys, self.sizes, dim=-1))
        summed = self._split_heads(self.W(query)).unsqueeze(3) + keys.unsqueeze(2)
        scores = torch.einsum("bktsa,ka->bkts", torch.tanh(summed), self.v)
        allowed, factor = self.scope(query, memory.mask, positions)
        weights = masked_softmax(scores, allowed.unsqueeze(1))
        if factor is not None:
            weights = weights * factor.unsqueeze(1)
        contexts = weights @ values
        return Attended(context=contexts.transpose(1, 2).flatten(2), weights=weights.mean(dim=1))

    def _split_heads(self, x: Float[Tensor, "B N A"]) -> Float[Tensor, "B K N X"]:
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)
