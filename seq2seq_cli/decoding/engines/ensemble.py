"""Several models that translate together."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from seq2seq_cli.decoding.engine import Engine, EngineState, Look, Proposals, largest
from seq2seq_cli.shapes import Int
from seq2seq_cli.text.vocabulary import BOS, PAD


class EnsembleState(tuple[EngineState, ...]):
    """The states of all engines."""

    def select(self, rows: Int[np.ndarray, " R"]) -> "EnsembleState":
        """The states of the given rows, in the order given; a row may be taken more than once."""
        return EnsembleState(member.select(rows) for member in self)


class Ensemble:
    """The engine whose probability of a token is the mean over its members, which have the same vocabularies.

    R rows, k proposals per row, A tokens asked for per row, S source length with EOS, V vocabulary.
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
        self, tokens: Int[np.ndarray, " R"], state: EnsembleState, *, k: int, asked: Int[np.ndarray, "R A"]
    ) -> tuple[Proposals, EnsembleState]:
        """The proposals of all members together, and their next states; see `Engine`.

        The best tokens of the mean need not be among the best of any member, so that each is asked for all tokens.
        """
        everything = np.tile(np.arange(self.vocabulary_size), (len(tokens), 1))
        steps = [
            member.step(tokens, of_member, k=1, asked=everything)
            for member, of_member in zip(self._members, state, strict=True)
        ]
        total = np.logaddexp.reduce([proposals.asked for proposals, _ in steps])  # nothing underflows
        mean = np.minimum(total - np.log(len(steps), dtype=total.dtype), 0)  # rounded, it may be above 0
        weights = [p.weights for (p, _), attends in zip(steps, self._attending, strict=True) if attends]
        offered = mean.copy()
        offered[:, [PAD, BOS]] = -np.inf
        best = largest(offered, k)
        proposals = Proposals(
            tokens=best,
            log_probabilities=np.take_along_axis(mean, best, axis=1),
            asked=np.take_along_axis(mean, asked, axis=1),
            weights=np.mean(weights or [p.weights for p, _ in steps], axis=0),
            features=np.concatenate([p.features for p, _ in steps], axis=1),
        )
        return proposals, EnsembleState(after for _, after in steps)

    def look(self, _tokens: Int[np.ndarray, " R"], _state: EnsembleState) -> Look | None:
        """None: each member has its own attention."""
        return None
