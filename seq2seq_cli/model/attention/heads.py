"""Several heads: the memory is looked at in several ways at once.

B batch, T target length (1 in a single step), S source length, H query (decoder hidden), E encoder output,
A attention size, K heads.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from seq2seq_cli.model.attention.attention import Attended, masked_softmax
from seq2seq_cli.model.attention.scopes import Scope
from seq2seq_cli.model.state import Memory


class MultiHeadAttention(nn.Module):
    """c_t = [c_t1; ... c_tK], c_tk = sum_s a_tks V_k h_s, a_tk = softmax(v_k · tanh(W_k q_t + U_k h_s)).

    Additive attention with several heads, as in Chen et al. 2018 (RNMT+), section 4; heads: Vaswani et al. 2017,
    section 3.2.2. Each head has its share of the rows of W, U and V; the weights shown are the mean of the heads'.
    """

    has_weights = True

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

    def read(
        self,
        states: Float[Tensor, "B S E"],
        last: Float[Tensor, "B E"],  # noqa: ARG002
        mask: Bool[Tensor, "B S"],
    ) -> Memory:
        """The states, and U h and V h of all heads side by side as the keys."""
        return Memory(states=states, keys=torch.cat((self.U(states), self.V(states)), dim=-1), mask=mask)

    def forward(self, query: Float[Tensor, "B T H"], memory: Memory, positions: Int[Tensor, "B T"]) -> Attended:
        """The contexts of the heads, joined, and the mean of their weights."""
        keys, values = (self._split(x) for x in torch.split(memory.keys, self.sizes, dim=-1))
        summed = self._split(self.W(query)).unsqueeze(3) + keys.unsqueeze(2)
        scores = torch.einsum("bktsa,ka->bkts", torch.tanh(summed), self.v)
        allowed, factor = self.scope(query, memory.mask, positions)
        weights = masked_softmax(scores, allowed.unsqueeze(1))
        if factor is not None:
            weights = weights * factor.unsqueeze(1)
        contexts = weights @ values
        return Attended(context=contexts.transpose(1, 2).flatten(2), weights=weights.mean(dim=1))

    def _split(self, x: Float[Tensor, "B N A"]) -> Float[Tensor, "B K N X"]:
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)
