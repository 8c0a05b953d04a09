"""Which continuations of a source's open hypotheses go on: rules ban tokens, and a strategy chooses among the others.

The rules limit the length of a translation, its repetitions and its unknown words. Beam search takes the most probable
continuations, sampling draws one per row; constrained.py has a strategy on top of either.

N sources, R rows, k proposals per row, P pairs of a row and a token that is banned there, t tokens so far, C
candidates, G of them chosen or groups of them, M members of the largest group.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from typing_extensions import override

from seq2seq_cli.config.choices import LENGTH_FACTOR, DecodingOptions
from seq2seq_cli.decoding.engine import Proposals
from seq2seq_cli.decoding.search.rows import Candidates, Rows
from seq2seq_cli.shapes import Float, Int
from seq2seq_cli.text.vocabulary import EOS, UNK

Bans: TypeAlias = Int[np.ndarray, " P"]
"""Pairs of a row and a token that may not continue it, as ``row << 32 | token``."""


def repeated_ngrams(history: Int[np.ndarray, "R t"], size: int, limits: Int[np.ndarray, " R"]) -> Bans:
    """The tokens that would complete an n-gram of the given size which has occurred as often as the row's limit.

    N-grams that contain UNK are not counted: each UNK is another word.
    """
    windows = history.shape[1] - size + 1
    if windows < 1:
        return np.zeros(0, dtype=np.int64)
    begins_alike = history[:, size - 1 :] != UNK
    for i in range(size - 1):
        last = history[:, windows + i, np.newaxis]
        begins_alike &= (history[:, i : i + windows] == last) & (last != UNK)
    rows, begins = np.nonzero(begins_alike)
    pairs, counts = np.unique(rows << 32 | history[rows, begins + size - 1], return_counts=True)
    return pairs[counts >= limits[pairs >> 32]]


def largest_repetition(tokens: Sequence[int] | Sequence[str], size: int) -> int:
    """The number of times that the most frequent n-gram of the given size, without UNK, occurs; at least 1."""
    ngrams = zip(*(tokens[i:] for i in range(min(size, len(tokens) + 1))), strict=False)
    return max(Counter(ngram for ngram in ngrams if UNK not in ngram).values(), default=1)


def length_factor(options: DecodingOptions) -> float:
    """The most tokens of a translation per token of its source, before `max_length_extra`."""
    return LENGTH_FACTOR if options.max_length_factor is None else options.max_length_factor


class Rules:
    """The rules for the translations of a batch of sources (ids without EOS)."""

    def __init__(
        self, options: DecodingOptions, sources: Sequence[Sequence[int]], most_unknown: Sequence[int] | None = None
    ) -> None:
        """`most_unknown` is the most UNK of the translation of each source; None: no limit."""
        lengths = np.array([len(source) for source in sources])
        scaled = (length_factor(options) * lengths).astype(np.int64)
        self.limits: Int[np.ndarray, " N"] = scaled + options.max_length_extra
        """The most tokens of the translations of each source, EOS counted."""
        self._options = options
        self._repetitions = np.array([largest_repetition(source, options.no_repeat_ngram_size) for source in sources])
        self._most_unknown = np.full(len(sources), np.inf) if most_unknown is None else np.array(most_unknown)

    def bans(self, rows: Rows) -> list[Bans]:
        """The tokens that may not come next."""
        history = rows.history[:, 1:]
        too_short = np.arange(len(rows) if rows.length < self._options.min_length else 0, dtype=np.int64)
        is_full = (history == UNK).sum(axis=1) >= self._most_unknown[rows.sources]
        bans: list[Bans] = [too_short << 32 | EOS, np.flatnonzero(is_full) << 32 | UNK]
        if size := self._options.no_repeat_ngram_size:
            bans.append(repeated_ngrams(history, size, self._repetitions[rows.sources]))
        return bans


class Strategy(ABC):
    """The choice of the hypotheses that go on.

    It may keep a state of each row: the search carries along what `admit` puts into the candidates, and knows nothing
    of it. Most strategies have nothing to do but to choose.
    """

    rows_per_source: int
    """The number of rows that each source has at the first step."""
    most_candidates: int
    """The number of candidates of a row that can matter: its best ones."""
    extra_length: Int[np.ndarray, " N"] | int = 0
    """The tokens that a translation may have beyond the usual limit."""

    @abstractmethod
    def choose(self, candidates: Candidates, rows: Rows, ended: Int[np.ndarray, " N"]) -> Int[np.ndarray, " G"]:
        """The numbers of the candidates that go on or end, source by source; `ended` counts the hypotheses with EOS."""

    def asked(self, _rows: Rows) -> dict[int, list[int]]:
        """The tokens whose log-probabilities `admit` needs, by row."""
        return {}

    def bans(self, _rows: Rows) -> list[Bans]:
        """The tokens that are no candidates."""
        return []

    def admit(self, candidates: Candidates, _rows: Rows, _offer: Proposals) -> Candidates:
        """The candidates to choose from: those given, or others, with new states."""
        return candidates

    def scores(self, _rows: Rows, penalised: Float[np.ndarray, " R"]) -> Float[np.ndarray, " R"]:
        """The scores of finished hypotheses, or upper bounds for open ones, given the scores with penalties."""
        return penalised

    def forced(self, _state: Any) -> frozenset[int]:
        """The positions of the tokens that a hypothesis with this state has by constraints."""
        return frozenset()


class Beam(Strategy):
    """The best hypotheses of each source go on, fewer by those that have ended; with a beam of 1, greedy search.

    Those that are more than `prune` nats below the best of their source do not, but for the `n_best` best: Freitag &
    Al-Onaizan 2017, "Beam Search Strategies for Neural Machine Translation", section 3, absolute threshold pruning.
    """

    def __init__(self, options: DecodingOptions) -> None:
        self.rows_per_source = 1
        self.most_candidates = options.beam_size
        self._n_best, self._prune = options.n_best, options.prune

    @override
    def choose(
        self,
        candidates: Candidates,
        rows: Rows,
        ended: Int[np.ndarray, " N"],
        stages: Int[np.ndarray, " C"] | None = None,
        gains: Float[np.ndarray, " C"] | None = None,
    ) -> Int[np.ndarray, " G"]:
        """See Strategy. With `stages`, as many candidates go on at each stage; `gains` are added to log p."""
        if self.most_candidates == 1 and stages is None:
            return np.arange(len(candidates.rows))  # one row per source, and one candidate per row, in their order
        sources = rows.sources[candidates.rows]
        totals = rows.log_probabilities[candidates.rows] + candidates.log_probabilities
        totals = totals if gains is None else totals + gains
        groups = sources if stages is None else sources * (stages.max(initial=0) + 1) + stages
        numbers, values = by_group(groups, totals)
        # A matrix with a row per group is sorted much faster than all candidates by two keys.
        order = np.argsort(-values, axis=1, kind="stable")[:, : self.most_candidates]
        best, numbers = (np.take_along_axis(columns, order, axis=1) for columns in (values, numbers))
        rank = np.arange(order.shape[1])
        chosen = np.isfinite(best) & (rank < self.most_candidates - ended[sources[numbers]])
        if self._prune is not None:
            chosen &= (best >= best[:, :1] - self._prune) | (rank < self._n_best)
        return numbers[chosen]


class Sampling(Strategy):
    """Each row goes on with a token that is drawn with p^(1/temperature); no sample depends on other sources."""

    def __init__(self, options: DecodingOptions, sources: Sequence[Sequence[int]]) -> None:
        self.rows_per_source = options.n_best
        self.most_candidates = 2**31  # the whole vocabulary
        self._temperature = options.temperature
        self._generators = [np.random.default_rng([options.seed, *source]) for source in sources]

    @override
    def choose(self, candidates: Candidates, rows: Rows, ended: Int[np.ndarray, " N"]) -> Int[np.ndarray, " G"]:
        numbers, values = by_group(candidates.rows, candidates.log_probabilities)
        with np.errstate(over="ignore"):  # near 0, a temperature leaves the likeliest tokens alone
            cumulative = np.exp((values - values[:, :1]) / self._temperature).cumsum(axis=1)
        sources = rows.sources[candidates.rows[numbers[:, 0]]]
        drawn = np.array([self._generators[source].random() for source in sources.tolist()])
        place = (cumulative < drawn[:, np.newaxis] * cumulative[:, -1:]).sum(axis=1)
        return numbers[np.arange(len(place)), place]


def by_group(
    groups: Int[np.ndarray, " C"], values: Float[np.ndarray, " C"]
) -> tuple[Int[np.ndarray, "G M"], Float[np.ndarray, "G M"]]:
    """The members of each group in the order given: their numbers, 0 after the last, and their values, there -inf.

    `groups` has the number, from 0, of the group of each value; the groups are in the order of these.
    """
    members = np.argsort(groups, kind="stable")
    is_first = np.diff(groups[members], prepend=-1) != 0
    group, first = is_first.cumsum() - 1, np.flatnonzero(is_first)
    place = np.arange(len(groups)) - first[group]
    size = (len(first), place.max(initial=0) + 1)
    numbers, matrix = np.zeros(size, dtype=np.int64), np.full(size, -np.inf)
    numbers[group, place], matrix[group, place] = members, values[members]
    return numbers, matrix
