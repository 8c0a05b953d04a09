"""Attention scores: how well each source position answers each query.

B batch, T target length (1 in a single step), S source length, H query (decoder hidden), E memory (encoder output),
A attention size, K keys (A, E, H, 1 or 0, as the score has it).

Each score splits its formula in two: `keys` is what depends on the source alone, computed once a sentence;
`forward` is the rest. No mask and no softmax here: `Attention` has them. The word in a class's head is its name in
the config.
"""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from seq2seq_cli.errors import InputError


class Sizes(NamedTuple):
    """What a score may need to know to make its matrices."""

    query: int
    """H."""
    memory: int
    """E."""
    attention: int
    """A."""
    max_length: int
    """Most source positions, for a score that has a row for each."""


class Score(nn.Module, ABC):
    """What a mechanism provides."""

    by_word: ClassVar[dict[str, type["Score"]]] = {}
    """All scores by their name in the config."""

    def __init_subclass__(cls, *, word: str) -> None:
        super().__init_subclass__()
        Score.by_word[word] = cls

    def __init__(self, sizes: Sizes) -> None:  # noqa: ARG002  # for scores with nothing to learn
        super().__init__()

    @abstractmethod
    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S K"]:
        """The part of the formula that depends on the source alone."""

    @abstractmethod
    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S K"]) -> Float[Tensor, "B T S"]:
        """One number for each query and source position, before mask and softmax."""


class AdditiveScore(Score, word="additive"):
    """score(q, k) = v · tanh(W q + U k); Bahdanau et al. 2015, section 3.1 and appendix A.1.2."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.W = nn.Linear(sizes.query, sizes.attention, bias=False)
        self.U = nn.Linear(sizes.memory, sizes.attention, bias=False)
        self.v = nn.Linear(sizes.attention, 1, bias=False)

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S A"]:
        """U k."""
        projected: Tensor = self.U(memory)
        return projected

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S A"]) -> Float[Tensor, "B T S"]:
        """v · tanh(W q + U k) for every pair of a query and a key."""
        summed = self.W(query).unsqueeze(2) + keys.unsqueeze(1)
        scores: Tensor = self.v(torch.tanh(summed)).squeeze(-1)
        return scores


class DotScore(Score, word="dot"):
    """score(q, k) = q · k; Luong et al. 2015, section 3.1, dot. Query and memory have one size."""

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S E"]:
        """The memory as it is."""
        return memory

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S H"]) -> Float[Tensor, "B T S"]:
        """q · k for every pair of a query and a key."""
        return query @ keys.transpose(1, 2)


class ScaledDotScore(DotScore, word="scaled_dot"):
    """score(q, k) = q · k / √H; Vaswani et al. 2017, eq. 1."""

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S H"]) -> Float[Tensor, "B T S"]:
        """q · k / √H for every pair of a query and a key."""
        return super().forward(query * query.shape[-1] ** -0.5, keys)


class GeneralScore(Score, word="general"):
    """score(q, k) = q · W k; Luong et al. 2015, section 3.1, general."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.W = nn.Linear(sizes.memory, sizes.query, bias=False)

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S H"]:
        """W k."""
        projected: Tensor = self.W(memory)
        return projected

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S H"]) -> Float[Tensor, "B T S"]:
        """q · W k for every pair of a query and a key."""
        return query @ keys.transpose(1, 2)


class ConcatScore(Score, word="concat"):
    """score(q, k) = v · tanh(W (q + k)), one W for both; the tutorials' reading of Luong's concat.

    The paper joins the two, which gives each its own half of W: that is `JoinedConcatScore`.
    Since W (q + k) = W q + W k, the keys are still projected once a sentence.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.W = nn.Linear(sizes.query, sizes.attention, bias=False)
        self.v = nn.Linear(sizes.attention, 1, bias=False)

    def keys(self, memory: Float[Tensor, "B S H"]) -> Float[Tensor, "B S A"]:
        """W k."""
        projected: Tensor = self.W(memory)
        return projected

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S A"]) -> Float[Tensor, "B T S"]:
        """v · tanh(W q + W k) for every pair of a query and a key."""
        summed = self.W(query).unsqueeze(2) + keys.unsqueeze(1)
        scores: Tensor = self.v(torch.tanh(summed)).squeeze(-1)
        return scores


class JoinedConcatScore(Score, word="concat_joined"):
    """score(q, k) = v · tanh(W [q; k]); Luong et al. 2015, section 3.1, concat.

    W [q; k] = W' q + W" k, where W' are the first columns of W and W" the others.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.query_size = sizes.query
        self.W = nn.Linear(sizes.query + sizes.memory, sizes.attention, bias=False)
        self.v = nn.Linear(sizes.attention, 1, bias=False)

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S A"]:
        """W" k."""
        return F.linear(memory, self.W.weight[:, self.query_size :])

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S A"]) -> Float[Tensor, "B T S"]:
        """v · tanh(W' q + W" k) for every pair of a query and a key."""
        projected = F.linear(query, self.W.weight[:, : self.query_size])
        scores: Tensor = self.v(torch.tanh(projected.unsqueeze(2) + keys.unsqueeze(1))).squeeze(-1)
        return scores


class LinearScore(Score, word="linear"):
    """score(q, k) = w · [q; k] + b: a single linear layer, as in some tutorials.

    The part of q is the same for every k, and a softmax forgets what is added to all its scores: whatever the query,
    the weights are those of w" · k. It shows what the tanh of the additive score is for.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.query_size = sizes.query
        self.w = nn.Linear(sizes.query + sizes.memory, 1)

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S 1"]:
        """w" · k + b."""
        return F.linear(memory, self.w.weight[:, self.query_size :], self.w.bias)

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S 1"]) -> Float[Tensor, "B T S"]:
        """w' · q + w" · k + b for every pair of a query and a key."""
        return F.linear(query, self.w.weight[:, : self.query_size]) + keys.transpose(1, 2)


class LocationScore(Score, word="location"):
    """score(q, k_s) = (W q)_s: the query alone says where; Luong et al. 2015, section 3.1, location (a = softmax(W h)).

    W has a row for each position, so there is a longest source. PyTorch's older translation tutorial has W [y; q].
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.max_length = sizes.max_length
        self.W = nn.Linear(sizes.query, sizes.max_length, bias=False)

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S 0"]:
        """Nothing; InputError when the source is longer than W."""
        if memory.shape[1] > self.max_length:
            raise InputError(
                f"a source sentence has {memory.shape[1]} tokens, <eos> counted; this model's score is location,"
                f" which takes {self.max_length} (model.attention.max_length): shorten it, or train with another score"
            )
        return memory[..., :0]

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S 0"]) -> Float[Tensor, "B T S"]:
        """The first S entries of W q."""
        scores: Tensor = self.W(query)[..., : keys.shape[1]]
        return scores


class StateFreeScore(Score, word="state_free"):
    """score(k) = v · tanh(U k): what matters in a sentence, whatever is being written; Yang et al. 2016, eq. 5 and 6.

    There U k has a bias; Zhou et al. 2016, eq. 9 and 10, has no U either.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.U = nn.Linear(sizes.memory, sizes.attention, bias=False)
        self.v = nn.Linear(sizes.attention, 1, bias=False)

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S 1"]:
        """v · tanh(U k)."""
        scores: Tensor = self.v(torch.tanh(self.U(memory)))
        return scores

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S 1"]) -> Float[Tensor, "B T S"]:
        """The same for every query."""
        return keys.transpose(1, 2).expand(-1, query.shape[1], -1)
