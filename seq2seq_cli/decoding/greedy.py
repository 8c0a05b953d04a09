"""Greedy search: at every step the most probable token.

The search knows no model, only a step function and the state that the function takes and returns, so that it can be
tested on a transition matrix drawn by hand.

B sentences that are not finished (fewer at every step in which one ends), R rows kept of them, S source length,
T target length, V target vocabulary.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

import torch
from jaxtyping import Float, Int
from torch import Tensor

from seq2seq_cli.text.vocabulary import BOS, EOS, PAD

State = TypeVar("State", bound="SearchState")


@runtime_checkable
class SearchState(Protocol):
    """All that a step needs besides the previous tokens: the decoder's state and the memory that it attends to."""

    # typing.Self would say the same, but jaxtyping's checks in the tests do not take it here.
    def select(self: State, rows: Int[Tensor, " R"], /) -> State:  # noqa: PYI019
        """The state of the given rows of the batch, in the order given."""


StepFunction: TypeAlias = Callable[[Int[Tensor, " B"], State], tuple[Float[Tensor, "B V"], State, Float[Tensor, "B S"]]]
"""step(tokens, state) -> logits of the next tokens, state, attention weights."""


@dataclass(frozen=True, kw_only=True)
class Hypothesis:
    """The translation of one sentence in ids."""

    ids: list[int]
    """T tokens; the last is EOS unless the length limit came first."""
    log_probability: float
    """log p(ids | source), the sum over the tokens."""
    weights: Float[Tensor, "T S"]
    """The attention weights at each token, on the CPU."""


@dataclass(kw_only=True)
class _Partial:
    """A hypothesis that grows by one token per step."""

    ids: list[int] = field(default_factory=list)
    log_probability: float = 0.0
    weights: list[Tensor] = field(default_factory=list)

    def append(self, token: int, log_probability: float, weights: Tensor) -> None:
        self.ids.append(token)
        self.log_probability += log_probability
        self.weights.append(weights)

    def finish(self) -> Hypothesis:
        return Hypothesis(ids=self.ids, log_probability=self.log_probability, weights=torch.stack(self.weights))


def greedy_search(step: StepFunction[State], state: State, max_lengths: Int[Tensor, " B"]) -> list[Hypothesis]:
    """One hypothesis per row of the batch.

    A row ends with EOS or at its maximum length (at least 1), and is then no longer computed. PAD and BOS are never
    chosen.
    """
    hypotheses = [_Partial() for _ in max_lengths]
    unfinished = hypotheses
    tokens = torch.full_like(max_lengths, BOS)
    length = 0
    while unfinished:
        logits, state, weights = step(tokens, state)
        tokens, log_probabilities = most_probable(logits)
        length += 1
        for hypothesis, *token in zip(
            unfinished, tokens.tolist(), log_probabilities.tolist(), weights.cpu(), strict=True
        ):
            hypothesis.append(*token)
        kept = ((tokens != EOS) & (max_lengths > length)).nonzero().squeeze(1)
        if len(kept) < len(unfinished):
            unfinished = [unfinished[row] for row in kept.tolist()]
            tokens, max_lengths, state = tokens[kept], max_lengths[kept], state.select(kept)
    return [hypothesis.finish() for hypothesis in hypotheses]


def most_probable(logits: Float[Tensor, "B V"]) -> tuple[Int[Tensor, " B"], Float[Tensor, " B"]]:
    """argmax over the tokens but PAD and BOS, and its log-probability under the softmax over all tokens."""
    allowed = logits.clone()
    allowed[:, [PAD, BOS]] = -torch.inf
    best, tokens = allowed.max(dim=1)
    return tokens, best - logits.logsumexp(dim=1)
