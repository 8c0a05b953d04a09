"""Greedy search: at every step the most probable word.

The search knows no model, only a step function and the state that goes through it, so that it can be tested on a
transition matrix drawn by hand.

B sentences searched at once (fewer and fewer: a finished one drops out), S source length, T target length,
V target vocabulary, R rows kept.
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
    """All that a step needs besides the previous words: the decoder's state and what it attends to."""

    # Self would say the same, but the checker of shapes in the tests does not take it here.
    def select(self: State, rows: Int[Tensor, " R"], /) -> State:  # noqa: PYI019
        """The state of the given rows of the batch, in the order given."""


StepFunction: TypeAlias = Callable[[Int[Tensor, " B"], State], tuple[Float[Tensor, "B V"], State, Float[Tensor, "B S"]]]
"""From the previous words and the state to the logits of the next words, the new state and the attention weights."""


@dataclass(frozen=True, kw_only=True)
class Hypothesis:
    """What the search found for one sentence."""

    ids: list[int]
    """The words; the last one is EOS unless the limit was reached first."""
    log_probability: float
    """The sum of the words' log probabilities."""
    weights: Float[Tensor, "T S"]
    """Where each word was attending to, on the CPU."""


@dataclass(kw_only=True)
class _Path:
    """A hypothesis while it grows."""

    ids: list[int] = field(default_factory=list)
    log_probability: float = 0.0
    weights: list[Tensor] = field(default_factory=list)

    def add(self, token: int, log_probability: float, weights: Tensor) -> None:
        self.ids.append(token)
        self.log_probability += log_probability
        self.weights.append(weights)


def greedy_search(step: StepFunction[State], state: State, limits: Int[Tensor, " B"]) -> list[Hypothesis]:
    """One hypothesis for each row of the batch.

    A row ends with EOS or after as many words as `limits` allows it (at least 1), and then costs nothing more.
    PAD and BOS are never chosen.
    """
    paths = [_Path() for _ in limits]
    rows = list(range(len(paths)))
    tokens = torch.full_like(limits, BOS)
    length = 0
    while rows:
        logits, state, weights = step(tokens, state)
        tokens, log_probabilities = most_probable(logits)
        length += 1
        for row, *word in zip(rows, tokens.tolist(), log_probabilities.tolist(), weights.cpu(), strict=True):
            paths[row].add(*word)
        kept = ((tokens != EOS) & (limits > length)).nonzero().squeeze(1)
        if len(kept) < len(rows):
            rows = [rows[i] for i in kept.tolist()]
            tokens, limits, state = tokens[kept], limits[kept], state.select(kept)
    return [
        Hypothesis(ids=path.ids, log_probability=path.log_probability, weights=torch.stack(path.weights))
        for path in paths
    ]


def most_probable(logits: Float[Tensor, "B V"]) -> tuple[Int[Tensor, " B"], Float[Tensor, " B"]]:
    """The best word of each row that can be part of a sentence, and its log probability among all words."""
    allowed = logits.clone()
    allowed[:, [PAD, BOS]] = -torch.inf
    best, tokens = allowed.max(dim=1)
    return tokens, best - logits.logsumexp(dim=1)
