"""An engine of transition tables, drawn by hand or at random, and the search over all sequences to compare with."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from seq2seq_cli.config.choices import DecodingOptions
from seq2seq_cli.config.schema.decoding import DecodingConfig
from seq2seq_cli.decoding.engine import Look, Proposals
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD

A, B, C = 4, 5, 6


@dataclass(frozen=True)
class TableState:
    """The number of the table that each row is translated by, and the length of its source with EOS."""

    numbers: Int[np.ndarray, " R"]
    lengths: Int[np.ndarray, " R"]
    longest: int

    def select(self, rows: Int[np.ndarray, " R"]) -> "TableState":
        return TableState(self.numbers[rows], self.lengths[rows], self.longest)


class TableEngine:
    """A model that knows the previous token only; the first id of a source is the number of its table."""

    max_source_length: int | None = None
    has_attention = True
    threads = 1

    def __init__(self, tables: Float[np.ndarray, "N V V"]) -> None:
        """`tables` are the probabilities of the next token after each previous one."""
        with np.errstate(divide="ignore"):
            self.tables = np.log(tables)
        self.vocabulary_size = tables.shape[1]
        self.rows: list[int] = []
        """The number of rows of each step."""
        self.proposals: list[int] = []
        """The number of proposals per row of each step."""

    def start(self, sources: Sequence[Sequence[int]]) -> TableState:
        numbers = np.array([source[0] for source in sources], dtype=np.int64)
        lengths = np.array([len(source) + 1 for source in sources], dtype=np.int64)
        return TableState(numbers, lengths, lengths.max(initial=0))

    def step(
        self, tokens: Int[np.ndarray, " R"], state: TableState, *, k: int, asked: Int[np.ndarray, "R A"] | None
    ) -> tuple[Proposals, TableState]:
        self.rows.append(len(tokens))
        self.proposals.append(k)
        rows = self.tables[state.numbers, tokens]
        offered = rows.copy()
        offered[:, [PAD, BOS]] = -np.inf
        best = np.argsort(-offered, axis=1, kind="stable")[:, :k]
        return Proposals(
            tokens=best,
            log_probabilities=np.take_along_axis(offered, best, axis=1),
            asked=rows if asked is None else np.take_along_axis(rows, asked, axis=1),
            weights=attention(tokens, state.lengths, state.longest),
            features=rows.astype(np.float32),
        ), state

    def look(self, _tokens: Int[np.ndarray, " R"], _state: TableState) -> Look | None:
        return None


def table(**rows: dict[int, float]) -> Float[np.ndarray, "V V"]:
    """Transition probabilities; those that are not named are 0."""
    probabilities = np.zeros((7, 7))
    for name, row in rows.items():
        for token, probability in row.items():
            probabilities[{"bos": BOS, "a": A, "b": B, "c": C}[name], token] = probability
    return probabilities


# After the start: a (0.6), b (0.4). Greedy search finds a b <eos>, although b <eos> is more probable.
SHORT = table(bos={A: 0.6, B: 0.4}, a={B: 0.5, EOS: 0.3, C: 0.2}, b={EOS: 0.9, A: 0.1})
PLAIN = {"length_penalty": "none", "prune": None, "no_repeat_ngram_size": 0}
"""A search for the most probable translation."""


def options(*, longest: object = 4, n_best: Any = 1, **values: object) -> DecodingOptions:
    """A search for the most probable translation of at most so many tokens, unless the values say otherwise."""
    limits = {"max_length_factor": 0.0, "max_length_extra": longest}
    return replace(DecodingConfig.model_validate({**limits, **PLAIN, **values}).options, n_best=n_best)


def attention(tokens: Int[np.ndarray, " R"], lengths: Int[np.ndarray, " R"], longest: int) -> Float[np.ndarray, "R S"]:
    """Weights that depend on the previous token: half of the attention is on one position."""
    positions = np.arange(longest)
    weights = 0.5 / lengths[:, np.newaxis] + 0.5 * (positions == (tokens % lengths)[:, np.newaxis])
    return np.where(positions < lengths[:, np.newaxis], weights, 0.0)


def random_engine(seed: int, *, tables: int = 1, words: int = 3, sharpness: float = 1.0) -> TableEngine:
    """Random tables over so many words besides UNK and EOS."""
    exponentials = np.exp(sharpness * np.random.default_rng(seed).normal(size=(tables, 4 + words, 4 + words)))
    return TableEngine(exponentials / exponentials.sum(axis=2, keepdims=True))


def all_sequences(vocabulary_size: int, longest: int) -> Iterator[list[int]]:
    """Every sequence that ends with EOS, of at most so many tokens; PAD and BOS do not occur."""
    words = [token for token in range(vocabulary_size) if token not in (PAD, BOS, EOS)]
    prefixes: list[list[int]] = [[]]
    for _ in range(longest):
        yield from ([*prefix, EOS] for prefix in prefixes)
        prefixes = [[*prefix, word] for prefix in prefixes for word in words]


def token_log_probabilities(engine: TableEngine, source: Sequence[int], ids: Sequence[int]) -> list[float]:
    """log p of each token after the one before it."""
    return [float(engine.tables[source[0], a, b]) for a, b in zip([BOS, *ids], ids, strict=False)]


def weights_of(source: Sequence[int], ids: Sequence[int]) -> Float[np.ndarray, "T S"]:
    """The attention weights at each token."""
    length = len(source) + 1
    return attention(np.array([BOS, *ids[:-1]]), np.full(len(ids), length), length)


def score(engine: TableEngine, source: Sequence[int], ids: Sequence[int], options: DecodingOptions) -> float:
    """Wu et al. 2016, equation 14, written out."""
    alpha = options.length_penalty_alpha
    length_penalty: dict[str, float] = {
        "none": 1,
        "average": len(ids),
        "gnmt": (5 + len(ids)) ** alpha / (5 + 1) ** alpha,
    }
    coverage = sum(log(min(p, 1.0)) for p in weights_of(source, ids).sum(axis=0).tolist())
    total = sum(token_log_probabilities(engine, source, ids))
    return total / length_penalty[options.length_penalty] + options.coverage_penalty * coverage
