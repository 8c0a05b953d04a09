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


@dataclass(kw_only=True)
class Hypothesis:
    """A translation in ids; it grows by one token per step of the search."""

    ids: list[int] = field(default_factory=list)
    """T tokens; in the end the last is EOS unless the length limit came first."""
    log_probability: float = 0.0
    """log p(ids | source), the sum over the tokens."""
    weights: list[Float[Tensor, " S"]] = field(default_factory=list)
    """The attention weights at each of the T tokens, on the CPU."""

    def append(self, token: int, log_probability: float, weights: Float[Tensor, " S"]) -> None:
        """Add the token of a step."""
        self.ids.append(token)
        self.log_probability += log_probability
        self.weights.append(weights)


def greedy_search(step: StepFunction[State], state: State, max_lengths: Int[Tensor, " B"]) -> list[Hypothesis]:
    """One hypothesis per row of the batch.

    A row ends with EOS or at its maximum length (at least 1), and is then no longer computed. PAD and BOS are never
    chosen.
    """
    hypotheses = [Hypothesis() for _ in max_lengths]
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
    return hypotheses


def most_probable(logits: Float[Tensor, "B V"]) -> tuple[Int[Tensor, " B"], Float[Tensor, " B"]]:
    """argmax over the tokens but PAD and BOS, and its log-probability under the softmax over all tokens."""
    allowed = logits.clone()
    allowed[:, [PAD, BOS]] = -torch.inf
    best, tokens = allowed.max(dim=1)
    return tokens, best - logits.logsumexp(dim=1)
