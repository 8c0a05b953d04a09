"""Several models that translate together."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from seq2seq_cli.decoding.engine import Engine, EngineState, Look, Proposals, largest
from seq2seq_cli.shapes import Float, Int
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
        self, tokens: Int[np.ndarray, " R"], state: EnsembleState, *, k: int, asked: Int[np.ndarray, "R A"] | None
    ) -> tuple[Proposals, EnsembleState]:
        """The proposals of all members together, and their next states; see `Engine`.

        The best tokens of the mean need not be among the best of any member, so each member is asked for all tokens.
        Those whose mean probability underflows to 0 count as equal.
        """
        members = zip(self._members, state, strict=True)
        found = [member.step(tokens, of_member, k=0, asked=None if k else asked) for member, of_member in members]
        steps = [proposals for proposals, _ in found]
        of_members = [proposals.asked for proposals in steps]
        best = np.zeros((len(tokens), 0), dtype=np.int64)
        if k:
            offered = reduce(np.add, map(np.exp, of_members))
            offered[:, [PAD, BOS]] = -1
            best = largest(offered, k)
        weights = [proposals.weights for proposals, attends in zip(steps, self._attending, strict=True) if attends]
        of_best, of_asked = _mean(of_members, best), _mean(of_members, asked if k else None)
        attention = np.mean(weights or [proposals.weights for proposals in steps], axis=0)
        features = np.concatenate([proposals.features for proposals in steps], axis=1)
        return Proposals(best, of_best, of_asked, attention, features), EnsembleState(after for _, after in found)

    def look(self, _tokens: Int[np.ndarray, " R"], _state: EnsembleState) -> Look | None:
        """None: each member has its own attention."""
        return None


def _mean(
    of_members: list[Float[np.ndarray, "R A"]], columns: Int[np.ndarray, "R c"] | None
) -> Float[np.ndarray, "R c"]:
    """The logarithm of the mean of the members' probabilities in some columns; None: in all of them."""
    parts = of_members if columns is None else [np.take_along_axis(each, columns, axis=1) for each in of_members]
    total = np.logaddexp.reduce(parts)  # nothing underflows
    # Rounded, it may be above 0.
    mean: Float[np.ndarray, "R c"] = np.minimum(total - np.log(len(parts), dtype=total.dtype), 0)
    return mean
