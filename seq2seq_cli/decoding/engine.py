"""Engines: what the search knows of a model; and the steps of one that write given translations.

An engine encodes the sources once, then takes a step for every row: an open hypothesis of one of the sources. It offers
the best next tokens of each row, and has its own state, from which the search selects rows.

N sources, R rows, k proposals per row, A tokens asked for per row, S source length with EOS, padded to the longest,
F features, Q query, E encoder state, C context.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from seq2seq_cli.shapes import Float, Int
from seq2seq_cli.text.vocabulary import BOS, EOS

State = TypeVar("State", bound="EngineState")


class Proposals(NamedTuple):
    """The next tokens that an engine offers for each row."""

    tokens: Int[np.ndarray, "R k"]
    """The k most probable tokens, best first; never PAD, never BOS."""
    log_probabilities: Float[np.ndarray, "R k"]
    """Their log-probabilities under the softmax over the whole vocabulary."""
    asked: Float[np.ndarray, "R A"]
    """The log-probabilities of the tokens asked for, or of all V tokens."""
    weights: Float[np.ndarray, "R S"]
    """The attention weights of the step; 0 at padding, and everywhere in a model without attention."""
    features: Float[np.ndarray, "R F"]
    """The features of the step: the input of the output layer."""


class Look(NamedTuple):
    """The attention of a step: what it reads, and what it computes. A look of a single row has no R."""

    states: Float[np.ndarray, "*R S E"]
    """The encoder states h."""
    query: Float[np.ndarray, "*R Q"]
    scores: Float[np.ndarray, "*R S"]
    """score(q, h) of each state, before mask and softmax."""
    weights: Float[np.ndarray, "*R S"]
    """The softmax of the scores, within the scope of the attention."""
    context: Float[np.ndarray, "*R C"]
    """weights @ states."""


@runtime_checkable
class EngineState(Protocol):
    """The state of an engine between two steps; a step leaves it as it is."""

    # typing.Self would say the same, but jaxtyping's checks in the tests do not take it here.
    def select(self: State, rows: Int[np.ndarray, " R"], /) -> State:  # noqa: PYI019
        """The state of the given rows, in the order given; a row may be repeated or left out."""


@runtime_checkable
class Engine(Protocol[State]):
    """A model that translates, step by step."""

    vocabulary_size: int
    """The number of target tokens, PAD and BOS included."""
    has_attention: bool
    """Whether the attention weights mean anything."""
    threads: int
    """The threads in which searches may use this engine at the same time; at least 1."""
    max_source_length: int | None
    """The most tokens of a source, EOS included, with a location score; None: no limit."""

    def start(self, sources: Sequence[Sequence[int]]) -> State:
        """The state before the first step, with one row per source; sources are ids without EOS."""

    def step(
        self, tokens: Int[np.ndarray, " R"], state: State, *, k: int, asked: Int[np.ndarray, "R A"] | None
    ) -> tuple[Proposals, State]:
        """The proposals after the previous token of each row (BOS at first), and the next state.

        `k` is at most the size of the vocabulary without PAD and BOS; k and A may be 0. None asks for all tokens.
        """

    def look(self, tokens: Int[np.ndarray, " R"], state: State) -> Look | None:
        """The attention of the same step; None where the model has none, and where several models translate."""


def readers_of(sources: Int[np.ndarray, " R"], number: int) -> tuple[Int[np.ndarray, "N K"], Int[np.ndarray, " R"]]:
    """The slots and places of `seq2seq_cli.model.state.Readers` for rows with these of N sources."""
    counts = np.bincount(sources, minlength=number)
    order = np.argsort(sources, kind="stable")
    ranks = np.empty_like(sources)
    ranks[order] = np.arange(len(sources)) - np.repeat(np.cumsum(counts) - counts, counts)
    places = sources * counts.max() + ranks
    slots = np.zeros((number, counts.max()), dtype=np.int64)
    slots.flat[places] = np.arange(len(sources))
    return slots, places


def still_read(
    sources: Int[np.ndarray, " R"], number: int
) -> tuple[Int[np.ndarray, " n"] | None, Int[np.ndarray, " R"]]:
    """Which of N sources to keep, None for all, and the sources of the rows among these.

    A source without a row costs as much as any. Leaving it out copies the others: it is done once half have none.
    """
    kept, renumbered = np.unique(sources, return_inverse=True)
    return (kept, renumbered) if 2 * len(kept) <= number else (None, sources)


def forced_steps(
    engine: Engine[State],
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    *,
    with_probabilities: bool = True,
) -> Iterator[tuple[Int[np.ndarray, " R"], Proposals]]:
    """Step by step, the numbers of the targets that go on, and the proposals for them; both sides are ids without EOS.

    ``proposals.asked`` has one column, log p of the token that the target has there, EOS last; without probabilities,
    it has none, and only features and attention are computed.
    """
    ids = [[BOS, *target, EOS] for target in targets]
    rows, state = np.arange(len(ids)), engine.start(sources)
    for t in range(max(map(len, ids)) - 1):
        is_open = np.array([t + 1 < len(ids[row]) for row in rows.tolist()])
        if not is_open.all():
            rows, state = rows[is_open], state.select(np.flatnonzero(is_open))
        tokens, written = np.array([ids[row][t : t + 2] for row in rows.tolist()]).T
        asked = written[:, np.newaxis] if with_probabilities else np.zeros((len(rows), 0), dtype=np.int64)
        proposals, state = engine.step(tokens, state, k=0, asked=asked)
        yield rows, proposals


def largest(values: Float[np.ndarray, "R V"], k: int) -> Int[np.ndarray, "R k"]:
    """The columns of the k largest values of each row, largest first; of equals, the first."""
    columns = np.sort(np.argpartition(-values, k - 1, axis=1)[:, :k], axis=1)
    order = np.argsort(-np.take_along_axis(values, columns, axis=1), axis=1, kind="stable")
    ordered: Int[np.ndarray, "R k"] = np.take_along_axis(columns, order, axis=1)
    return ordered
