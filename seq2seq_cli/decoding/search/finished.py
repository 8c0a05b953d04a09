"""The finished hypotheses of a batch, and their scores: log-probabilities with penalties for length and coverage.

N sources or translations, R rows, S source length with EOS.
"""

from bisect import insort
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from seq2seq_cli.config.choices import LengthPenalty
from seq2seq_cli.config.decoding_options import DecodingOptions
from seq2seq_cli.decoding.search.rows import Hypothesis, Rows, Step, follow
from seq2seq_cli.decoding.search.strategy import Strategy
from seq2seq_cli.shapes import Bool, Float, Int

LEAST_COVERAGE = 1e-9
"""Coverage of a position without any attention, as its logarithm must be finite."""


@dataclass(frozen=True, kw_only=True)
class Penalties:
    """s(Y, X) = log p(Y | X) / lp(Y) + cp(X, Y); Wu et al. 2016, equation 14."""

    length: LengthPenalty
    """lp(Y), where the length \\|Y\\| counts EOS. none: 1. average: \\|Y\\|. gnmt: ((5 + \\|Y\\|) / 6)^alpha."""
    alpha: float
    """The exponent of gnmt."""
    beta: float
    """The weight of cp(X, Y) = beta * sum_i log(min(sum_j p_ij, 1)), p_ij the attention of target j to source i."""

    @classmethod
    def of(cls, options: DecodingOptions) -> "Penalties":
        """The penalties of a config."""
        return cls(length=options.length_penalty, alpha=options.length_penalty_alpha, beta=options.coverage_penalty)

    def score(
        self,
        log_probabilities: Float[np.ndarray, " N"],
        lengths: Int[np.ndarray, " N"],
        coverage: Float[np.ndarray, "N S"],
    ) -> Float[np.ndarray, " N"]:
        """The scores of translations; `coverage` is the sum of the attention weights, 1 or more at padding."""
        penalised: Float[np.ndarray, " N"] = log_probabilities / self._divisor(lengths)
        if self.beta:
            penalised = penalised + self.beta * np.log(coverage.clip(LEAST_COVERAGE, 1.0)).sum(axis=1)
        return penalised

    def bound(
        self, log_probabilities: Float[np.ndarray, " N"], longest: Int[np.ndarray, " N"]
    ) -> Float[np.ndarray, " N"]:
        """The upper bounds of the scores of what open hypotheses can become with at most `longest` tokens.

        More tokens only lower a log-probability, the greatest length has the largest divisor, and no coverage raises a
        score.
        """
        bounds: Float[np.ndarray, " N"] = log_probabilities / self._divisor(longest)
        return bounds

    def _divisor(self, lengths: Int[np.ndarray, " N"]) -> Float[np.ndarray, " N"]:
        match self.length:
            case "none":
                return np.ones(len(lengths))
            case "average":
                return lengths.astype(np.float64)
            case "gnmt":
                divisor: Float[np.ndarray, " N"] = ((5 + lengths) / 6) ** self.alpha
                return divisor


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
    """The finished hypotheses of each source."""

    def __init__(self, penalties: Penalties, strategy: Strategy, longest: Int[np.ndarray, " N"], n_best: int) -> None:
        """`longest` are the most tokens of the translations of each source."""
        self.ended: Int[np.ndarray, " N"] = np.zeros(len(longest), dtype=np.int64)
        """The number of hypotheses of each source that end with EOS."""
        self._penalties = penalties
        self._strategy = strategy
        self._longest = longest
        self._n_best = n_best
        self._scores_to_beat: Float[np.ndarray, " N"] = np.full(len(longest), -np.inf)
        self._ends: list[list[End]] = [[] for _ in longest]

    def add(
        self, rows: Rows, step: int, candidates: Int[np.ndarray, " R"], is_ended: Bool[np.ndarray, " R"]
    ) -> Float[np.ndarray, " R"]:
        """Add rows that end with the given candidates of a step (-1: before the first); returns their scores."""
        penalised = self._penalties.score(rows.log_probabilities, np.full(len(rows), rows.length), rows.coverage)
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
        """Whether each row can still become one of the n best of its source."""
        penalised = self._penalties.bound(rows.log_probabilities, self._longest[rows.sources])
        bounds = self._strategy.scores(rows, penalised)
        can_win: Bool[np.ndarray, " R"] = bounds > self._scores_to_beat[rows.sources]
        return can_win

    def best(self, steps: list[Step], source_lengths: list[int]) -> list[list[Hypothesis]]:
        """The n best hypotheses of each source, best first; the lengths count EOS."""
        best = [ends[: -self._n_best - 1 : -1] for ends in self._ends]
        lasts = np.array([(end.step, end.candidate) for ends in best for end in ends], dtype=np.int64).reshape(-1, 2)
        paths = follow(steps, *lasts.T)
        number = iter(range(len(lasts)))
        return [
            [
                Hypothesis(
                    ids=paths.tokens[h := next(number), : end.step + 1].tolist(),
                    log_probability=end.log_probability,
                    score=end.score,
                    token_log_probabilities=paths.log_probabilities[h, : end.step + 1],
                    weights=paths.weights[h, : end.step + 1, :length],
                    forced=end.forced,
                )
                for end in ends
            ]
            for ends, length in zip(best, source_lengths, strict=True)
        ]
