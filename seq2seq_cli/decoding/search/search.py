"""The search: step by step, from an engine's k proposals for each of R rows to the best hypotheses of N sources."""

from bisect import insort
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from seq2seq_cli.compute.threads import check_wanted
from seq2seq_cli.config.choices import DecodingOptions
from seq2seq_cli.decoding.engine import Engine, EngineState, Proposals
from seq2seq_cli.decoding.search.constrained import Constrained, Constraints
from seq2seq_cli.decoding.search.rows import Candidates, Hypothesis, Rows
from seq2seq_cli.decoding.search.strategy import Bans, Beam, Rules, Sampling, Strategy
from seq2seq_cli.decoding.search.tree import ALTERNATIVES, Trace
from seq2seq_cli.shapes import Bool, Float, Int
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD

# Not the one of engine.py: the shape checks of the tests look for the name of its bound in this module.
State = TypeVar("State", bound=EngineState)

_FEW_BANS, _GROWTH = 32, 8
LEAST_COVERAGE = 1e-9
"""Coverage of a position without any attention, as its logarithm must be finite."""


def search(
    engine: Engine[State],
    sources: Sequence[Sequence[int]],
    options: DecodingOptions,
    *,
    most_unknown: Sequence[int] | None = None,
    constraints: Sequence[Constraints] = (),
    trace: Trace | None = None,
) -> list[list[Hypothesis]]:
    """The `options.n_best` best hypotheses of each source, best first and distinct; `sources` are ids without EOS.

    There are fewer where the search found fewer, but at least one. They do not depend on the other sources. Each has at
    most `most_unknown` UNK, a number per source. A `trace` records what else was considered.

    With `options.sampling`, there are so many samples, equal ones once. Raises ValueError for samples with terms.
    """
    lengths = [len(source) + 1 for source in sources]
    rules = Rules(options, sources, most_unknown)
    strategy: Strategy = Sampling(options, sources) if options.sampling else Beam(options)
    if any(of_source.longest for of_source in constraints):
        strategy = Constrained(strategy, constraints, rules.limits)
    limits = rules.limits + strategy.extra_length
    finished = Finished(options, strategy, limits)
    rows = Rows.start(lengths, strategy.rows_per_source, has_coverage=options.coverage_penalty > 0)
    state = engine.start(sources).select(rows.sources)
    weights: list[Float[np.ndarray, "R S"]] = []
    most = max(strategy.most_candidates, ALTERNATIVES if trace else 1)
    while len(rows):
        check_wanted()
        bans = np.concatenate([*rules.bans(rows), *strategy.bans(rows)])
        proposals, allowed, state = _propose(engine, rows, state, strategy.asked(rows), bans, most)
        offered = Candidates.best(proposals, allowed, strategy.most_candidates)
        candidates = strategy.admit(offered, rows, proposals)
        stuck = np.flatnonzero(np.bincount(candidates.rows, minlength=len(rows)) == 0)
        if len(stuck):  # all their tokens are banned, as at the length limit
            finished.add(rows.select(stuck))
        chosen = candidates.take(strategy.choose(candidates, rows, finished.ended))
        before = rows.sources
        rows = rows.extend(chosen, proposals.weights, first=sum(map(len, weights)))
        is_finished = (rows.tokens == EOS) | (rows.length >= limits[rows.sources])
        numbers = np.flatnonzero(is_finished)
        scores = finished.add(rows.select(numbers))
        kept = np.flatnonzero(~is_finished & finished.can_win(rows))
        if trace:
            ends = dict(zip(numbers.tolist(), scores.tolist(), strict=True))
            trace.add(before, proposals, allowed, chosen, ends, kept)
        weights.append(proposals.weights)
        rows, state = rows.select(kept), state.select(chosen.rows[kept])
    of_steps = np.concatenate(weights, dtype=np.float32)
    return [finished.best(source, of_steps, length) for source, length in enumerate(lengths)]


def _propose(
    engine: Engine[State], rows: Rows, state: State, asked: Mapping[int, Sequence[int]], bans: Bans, most: int
) -> tuple[Proposals, Bool[np.ndarray, "R k"], State]:
    """The best proposals for each row, `most` that no ban forbids among them; which are allowed; the next state.

    `asked` has the tokens that a row asks for.
    """
    wanted = np.full((len(rows), max(map(len, asked.values()), default=0)), PAD)
    for row, tokens in asked.items():
        wanted[row, : len(tokens)] = tokens
    # A row can have thousands of bans, and as many proposals: a table takes less time than comparing all of them.
    banned = np.zeros((len(rows), engine.vocabulary_size), dtype=np.bool_)
    banned[bans >> 32, bans & 0xFFFFFFFF] = True
    at_least = min(most + int(np.bincount(bans >> 32).max(initial=0)), engine.vocabulary_size - len((PAD, BOS)))
    # A row can have thousands of bans, few of them among its best tokens: thousands of proposals would take long.
    k = min(at_least, most + _FEW_BANS)
    while True:
        proposals, after = engine.step(rows.tokens, state, k=k, asked=wanted)
        allowed = ~np.take_along_axis(banned, proposals.tokens, axis=1)
        if k == at_least or allowed.sum(axis=1).min() >= most:
            return proposals, allowed, after
        k = min(at_least, _GROWTH * k)


class End(NamedTuple):
    """The end of a hypothesis; of two, the larger is the better one."""

    is_ended: bool
    """Whether it is EOS. A hypothesis that is cut at the length limit is worse than any that ends."""
    score: float
    age: int
    """The first of equals is the best."""
    rows: Rows
    row: int
    """Its number among the rows that ended with it."""


class Finished:
    """The finished hypotheses of each source.

    s(Y, X) = log p(Y | X) / lp(Y) + beta * sum_i log(min(sum_j p_ij, 1)), p_ij the attention of target j to source i;
    Wu et al. 2016, equation 14. See `DecodingConfig.length_penalty` for lp, and `coverage_penalty` for beta.
    """

    def __init__(self, options: DecodingOptions, strategy: Strategy, longest: Int[np.ndarray, " N"]) -> None:
        """`longest` are the most tokens of the translations of each source."""
        self.ended: Int[np.ndarray, " N"] = np.zeros(len(longest), dtype=np.int64)
        """The number of hypotheses of each source that end with EOS."""
        lengths = np.arange(longest.max() + 1)
        gnmt = ((5 + lengths) / 6) ** options.length_penalty_alpha
        self._divisors = {"none": np.ones(len(lengths)), "average": lengths, "gnmt": gnmt}[options.length_penalty]
        self._options = options
        self._strategy = strategy
        self._longest = longest
        self._scores_to_beat: Float[np.ndarray, " N"] = np.full(len(longest), -np.inf)
        self._ends: list[list[End]] = [[] for _ in longest]

    def add(self, rows: Rows) -> Float[np.ndarray, " R"]:
        """Add rows that end, with EOS or without; returns their scores."""
        coverage = np.log(rows.coverage.clip(LEAST_COVERAGE, 1.0)).sum(axis=1)
        penalised = rows.log_probabilities / self._divisors[rows.length] + self._options.coverage_penalty * coverage
        scores = self._strategy.scores(rows, penalised)
        columns = (rows.sources, rows.tokens == EOS, scores)
        for row, (source, has_eos, score) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
            ends = self._ends[source]
            insort(ends, End(has_eos, score, -len(ends), rows, row))
            self.ended[source] += has_eos
            if self.ended[source] >= self._options.n_best:
                self._scores_to_beat[source] = ends[-self._options.n_best].score
        return scores

    def can_win(self, rows: Rows) -> Bool[np.ndarray, " R"]:
        """Whether each row can still become one of the n best of its source.

        More tokens only lower a log-probability, the greatest length has the largest divisor, coverage raises no score.
        """
        penalised = rows.log_probabilities / self._divisors[self._longest[rows.sources]]
        bounds = self._strategy.scores(rows, penalised)
        return bounds > self._scores_to_beat[rows.sources]

    def best(self, source: int, weights: Float[np.ndarray, "_ S"], length: int) -> list[Hypothesis]:
        """The n best hypotheses of a source, best first, equal ones once; `weights` of all steps, `length` with EOS."""
        found: dict[tuple[int, ...], Hypothesis] = {}
        for _, score, _, rows, row in self._ends[source][: -self._options.n_best - 1 : -1]:
            ids = rows.history[row, 1:].tolist()
            found[tuple(ids)] = Hypothesis(
                ids=ids,
                log_probability=float(rows.log_probabilities[row]),
                score=score,
                token_log_probabilities=rows.token_log_probabilities[row],
                weights=weights[rows.path[row], :length],
                forced=self._strategy.forced(rows.states[row]),
            )
        return list(found.values())
