"""Several models that translate together."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from seq2seq_cli.decoding.engine import Engine, EngineState, Look, Proposals
from seq2seq_cli.shapes import Int


class EnsembleState(tuple[EngineState, ...]):
    """The states of all engines."""

    def select(self, rows: Int[np.ndarray, " R"]) -> "EnsembleState":
        """The states of the given rows, in the order given; a row may be taken more than once."""
        return EnsembleState(member.select(rows) for member in self)


class Ensemble:
    """The engine whose probability of a token is the mean over its members, which have the same vocabularies.

    R rows.
    """

    def __init__(self, members: Sequence[Engine[Any]]) -> None:
        self._members = tuple(members)
        self._attending = tuple(member.has_attention for member in members)
        self.vocabulary_size = members[0].vocabulary_size
        self.threads = min(member.threads for member in members)
        self.has_attention = any(self._attending)
        lengths = [member.max_source_length for member in members if member.max_source_length is not None]
        self.max_source_length = min(lengths, default=None)

    def start(self, sources: Sequence[Sequence[int]]) -> EnsembleState:
        """The state before the first step; see `Engine`."""
        return EnsembleState(member.start(sources) for member in self._members)

    def step(
        self, tokens: Int[np.ndarray, " R"], state: EnsembleState, *, with_probabilities: bool = True
    ) -> tuple[Proposals, EnsembleState]:
        """The proposals of all members together, and their next states; see `Engine`."""
        members = zip(self._members, state, strict=True)
        found = [each.step(tokens, of_each, with_probabilities=with_probabilities) for each, of_each in members]
        steps = [proposals for proposals, _ in found]
        weights = [proposals.weights for proposals, attends in zip(steps, self._attending, strict=True) if attends]
        attention = np.mean(weights or [proposals.weights for proposals in steps], axis=0)
        features = np.concatenate([proposals.features for proposals in steps], axis=1)
        of_members = [proposals.log_probabilities for proposals in steps]
        greatest = np.maximum.reduce(of_members)  # relative to it, nothing underflows
        mean = np.log(sum(np.exp(each - greatest) for each in of_members) / len(steps)) + greatest
        return Proposals(mean, attention, features), EnsembleState(after for _, after in found)

    def look(self, _tokens: Int[np.ndarray, " R"], _state: EnsembleState) -> Look | None:
        """None: each member has its own attention."""
        return None
