"""Attention scores: how well each source position answers each query.

B batch, T target length (1 in a single step), S source length, H query (decoder hidden), E memory (encoder output; with
the source word where the score reads it), A attention size, K keys (A, E, H, 1 or 0, as the score has it).

q is a query, h a memory state. Each score computes its formula in two parts: `keys` is what depends on the source
alone, projected once per sentence; `forward` is the rest. Mask and softmax are applied by `Attention`. `SCORES` at the
end of the file gives each score its name in the config.
"""

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from seq2seq_cli.config.schema.model import ScoreName


class Sizes(NamedTuple):
    """The sizes that a score makes its matrices of."""

    query: int
    """H, the size of a whole query."""
    memory: int
    """Size of an encoder state: E, but for a score that reads the source word."""
    attention: int
    """A."""
    max_length: int
    """Largest number of source positions, for a score with a row per position."""
    word: int = 0
    """Size of the vector of a source word, for a score that reads it."""


class Score(nn.Module, ABC):
    """The base of all scores."""

    max_length: int | None = None
    """The largest number of source positions; None for no limit."""
    reads_word: ClassVar[bool] = False
    """Whether its queries are [y; q], the vector of the previous word before the decoder's state."""
    reads_source_words: ClassVar[bool] = False
    """Whether its memory is [h; x], the vector of the source word after the encoder's state."""

    def __init__(self, sizes: Sizes) -> None:  # noqa: ARG002  # for scores with nothing to learn
        super().__init__()

    @abstractmethod
    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S K"]:
        """The part of the formula that depends on the source alone."""

    @abstractmethod
    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S K"]) -> Float[Tensor, "B T S"]:
        """score(q_t, h_s) for every pair of a query and a memory state, before mask and softmax."""


class AdditiveScore(Score):
    """score(q, h) = v · tanh(W q + U h); Bahdanau et al. 2015, section 3.1 and appendix A.1.2."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.W = nn.Linear(sizes.query, sizes.attention, bias=False)
        self.U = nn.Linear(sizes.memory, sizes.attention, bias=False)
        self.v = nn.Linear(sizes.attention, 1, bias=False)

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S A"]:
        """U h."""
        return self.U(memory)

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S A"]) -> Float[Tensor, "B T S"]:
        """v · tanh(W q + U h) for every pair of a query and a memory state."""
        summed = self.W(query).unsqueeze(2) + keys.unsqueeze(1)
        return self.v(torch.tanh(summed)).squeeze(-1)


class DotScore(Score):
    """score(q, h) = q · h; Luong et al. 2015, section 3.1, dot. Query and memory have one size."""

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S E"]:
        """h."""
        return memory

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S H"]) -> Float[Tensor, "B T S"]:
        """q · h for every pair of a query and a memory state."""
        return query @ keys.transpose(1, 2)


class ScaledDotScore(DotScore):
    """score(q, h) = q · h / √H; Vaswani et al. 2017, eq. 1."""

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S H"]) -> Float[Tensor, "B T S"]:
        """q · h / √H for every pair of a query and a memory state."""
        return super().forward(query * query.shape[-1] ** -0.5, keys)


class GeneralScore(DotScore):
    """score(q, h) = q · W h, the dot product with projected keys; Luong et al. 2015, section 3.1, general."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.W = nn.Linear(sizes.memory, sizes.query, bias=False)

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S H"]:
        """W h."""
        return self.W(memory)


class GeneralWordScore(GeneralScore):
    """score(q, h_s) = q · W [h_s; x_{s-1}], x the vectors of the source words, x_0 = 0; after Olsson et al. 2022.

    The word just written finds what follows it in the source: the next part of a name, the next digit of a number.
    """

    reads_source_words = True

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes._replace(memory=sizes.memory + sizes.word))
        self.state_size = sizes.memory

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S H"]:
        """W [h_s; x_{s-1}]."""
        states, words = memory[..., : self.state_size], memory[..., self.state_size :]
        before = torch.cat((torch.zeros_like(words[:, :1]), words[:, :-1]), dim=1)
        return super().keys(torch.cat((states, before), dim=-1))


class ConcatScore(Score):
    """score(q, h) = v · tanh(W (q + h)), one W for both; the tutorials' reading of Luong's concat.

    The paper concatenates the two, so that each has its own half of W: that is `JoinedConcatScore`.
    Since W (q + h) = W q + W h, the keys are still projected once per sentence.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.W = nn.Linear(sizes.query, sizes.attention, bias=False)
        self.v = nn.Linear(sizes.attention, 1, bias=False)

    def keys(self, memory: Float[Tensor, "B S H"]) -> Float[Tensor, "B S A"]:
        """W h."""
        return self.W(memory)

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S A"]) -> Float[Tensor, "B T S"]:
        """v · tanh(W q + W h) for every pair of a query and a memory state."""
        summed = self.W(query).unsqueeze(2) + keys.unsqueeze(1)
        return self.v(torch.tanh(summed)).squeeze(-1)


class JoinedConcatScore(Score):
    """score(q, h) = v · tanh(W [q; h]); Luong et al. 2015, section 3.1, concat.

    W [q; h] = W' q + W" h, where W' are the first columns of W and W" the others.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.query_size = sizes.query
        self.W = nn.Linear(sizes.query + sizes.memory, sizes.attention, bias=False)
        self.v = nn.Linear(sizes.attention, 1, bias=False)

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S A"]:
        """W" h."""
        return F.linear(memory, self.W.weight[:, self.query_size :])

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S A"]) -> Float[Tensor, "B T S"]:
        """v · tanh(W' q + W" h) for every pair of a query and a memory state."""
        projected = F.linear(query, self.W.weight[:, : self.query_size])
        return self.v(torch.tanh(projected.unsqueeze(2) + keys.unsqueeze(1))).squeeze(-1)


class LinearScore(Score):
    """score(q, h) = w · [q; h] + b: a single linear layer, as in some tutorials.

    w · [q; h] = w' · q + w" · h. The part of q is the same for every h, and a softmax does not change when one number
    is added to all its scores: the softmax of w" · h is the same for every query. This shows what the tanh of the
    additive score is for.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.query_size = sizes.query
        self.w = nn.Linear(sizes.query + sizes.memory, 1)

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S 1"]:
        """w" · h + b."""
        return F.linear(memory, self.w.weight[:, self.query_size :], self.w.bias)

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S 1"]) -> Float[Tensor, "B T S"]:
        """w' · q + w" · h + b for every pair of a query and a memory state."""
        return F.linear(query, self.w.weight[:, : self.query_size]) + keys.transpose(1, 2)


class LocationScore(Score):
    """score(q, h_s) = (W q)_s; Luong et al. 2015, section 3.1, location, eq. 8.

    The query alone scores the positions. W has one row per position, which limits the length of a source.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.max_length = sizes.max_length
        self.W = nn.Linear(sizes.query, sizes.max_length, bias=self.reads_word)

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S 0"]:
        """Keys of length 0; S is at most `max_length`."""
        return memory[..., :0]

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S 0"]) -> Float[Tensor, "B T S"]:
        """The first S entries of W q."""
        return self.W(query)[..., : keys.shape[1]]


class LocationWordScore(LocationScore):
    """score([y; q], h_s) = (W [y; q] + b)_s, y the vector of the previous word; PyTorch's older tutorial."""

    reads_word = True


class StateFreeScore(Score):
    """score(q, h) = v · tanh(U h), the same for every query; Yang et al. 2016, eq. 5 and 6, who add a bias to U h.

    The weights say which words matter in the sentence, whichever word is being written. Zhou et al. 2016, eq. 9 and
    10, have no U.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__(sizes)
        self.U = nn.Linear(sizes.memory, sizes.attention, bias=False)
        self.v = nn.Linear(sizes.attention, 1, bias=False)

    def keys(self, memory: Float[Tensor, "B S E"]) -> Float[Tensor, "B S 1"]:
        """v · tanh(U h)."""
        return self.v(torch.tanh(self.U(memory)))

    def forward(self, query: Float[Tensor, "B T H"], keys: Float[Tensor, "B S 1"]) -> Float[Tensor, "B T S"]:
        """The keys, repeated for every query."""
        return keys.transpose(1, 2).expand(-1, query.shape[1], -1)


SCORES: dict[ScoreName, type[Score]] = {
    "additive": AdditiveScore,
    "dot": DotScore,
    "scaled_dot": ScaledDotScore,
    "general": GeneralScore,
    "general_word": GeneralWordScore,
    "concat": ConcatScore,
    "concat_joined": JoinedConcatScore,
    "linear": LinearScore,
    "location": LocationScore,
    "location_word": LocationWordScore,
    "state_free": StateFreeScore,
}
"""Every score by its name in the config, `model.attention.score`."""
