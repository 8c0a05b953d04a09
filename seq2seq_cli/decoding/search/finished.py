"""The finished hypotheses of a batch, and their scores: log-probabilities with penalties for length and coverage.

N sources, R rows.
"""

from bisect import insort
from typing import NamedTuple

import numpy as np

from seq2seq_cli.config.decoding_options import DecodingOptions
from seq2seq_cli.decoding.search.rows import Hypothesis, Rows, Step, follow
from seq2seq_cli.decoding.search.strategy import Strategy
from seq2seq_cli.shapes import Bool, Float, Int

LEAST_COVERAGE = 1e-9
"""Coverage of a position without any attention, as its logarithm must be finite."""


class End(NamedTuple):
    """The end of a hypothesis; of two, the larger is the better one."""

    is_ended: bool
    """Whether it is EOS. A hypothesis that is cut at the length limit is worse than any that ends."""
    score: float
    age: int
    """The first of equals is the best."""
    step: int
    candidate: int
    """The number of its last token among the chosen candidates of the step."""
    log_probability: float
    forced: frozenset[int]


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
        self._beta = options.coverage_penalty
        self._strategy = strategy
        self._longest = longest
        self._n_best = options.n_best
        self._scores_to_beat: Float[np.ndarray, " N"] = np.full(len(longest), -np.inf)
        self._ends: list[list[End]] = [[] for _ in longest]

    def add(
        self, rows: Rows, step: int, candidates: Int[np.ndarray, " R"], is_ended: Bool[np.ndarray, " R"]
    ) -> Float[np.ndarray, " R"]:
        """Add rows that end with the given candidates of a step (-1: before the first); returns their scores."""
        coverage = np.log(rows.coverage.clip(LEAST_COVERAGE, 1.0)).sum(axis=1)
        penalised = rows.log_probabilities / self._divisors[rows.length] + self._beta * coverage
        scores = self._strategy.scores(rows, penalised)
        columns = (rows.sources, is_ended, scores, candidates, rows.log_probabilities, rows.states)
        for source, has_eos, score, candidate, total, state in zip(*(c.tolist() for c in columns), strict=True):
            ends = self._ends[source]
            forced = self._strategy.forced(state)
            insort(ends, End(has_eos, score, -len(ends), step, candidate, total, forced))
            self.ended[source] += has_eos
            if self.ended[source] >= self._n_best:
                self._scores_to_beat[source] = ends[-self._n_best].score
        return scores

    def can_win(self, rows: Rows) -> Bool[np.ndarray, " R"]:
        """Whether each row can still become one of the n best of its source.

        More tokens only lower a log-probability, the greatest length has the largest divisor, and no coverage raises a
        score.
        """
        penalised = rows.log_probabilities / self._divisors[self._longest[rows.sources]]
        bounds = self._strategy.scores(rows, penalised)
        can_win: Bool[np.ndarray, " R"] = bounds > self._scores_to_beat[rows.sources]
        return can_win

    def best(self, steps: list[Step], source_lengths: list[int]) -> list[list[Hypothesis]]:
        """The n best hypotheses of each source, best first; the lengths count EOS."""
        best = [ends[: -self._n_best - 1 : -1] for ends in self._ends]
        lasts = np.array([(end.step, end.candidate) for ends in best for end in ends], dtype=np.int64).reshape(-1, 2)
        tokens, log_probabilities, weights = follow(steps, *lasts.T)
        number = iter(range(len(lasts)))
        return [
            [
                Hypothesis(
                    ids=tokens[h := next(number), : end.step + 1].tolist(),
                    log_probability=end.log_probability,
                    score=end.score,
                    token_log_probabilities=log_probabilities[h, : end.step + 1],
                    weights=weights[h, : end.step + 1, :length],
                    forced=end.forced,
                )
                for end in ends
            ]
            for ends, length in zip(best, source_lengths, strict=True)
        ]
