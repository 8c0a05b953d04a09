"""The engine that consults similar training pairs at each step of a model.

The tokens that these pairs write at like steps have the probabilities of a nearest-neighbour model,

    p_kNN(y)  is proportional to  sum over the steps i that write y of exp(-d_i / T),

where d_i is the squared distance between the features of this step and of step i, in units of the variance of the
latter; Khandelwal et al. 2021, "Nearest Neighbor Machine Translation", equation 2. It is mixed with the model,

    p(y) = lambda p_kNN(y) + (1 - lambda) p_model(y),    lambda = weight exp(-min_i d_i / D) sqrt(1 - max p_model)

(equation 3), so that pairs that do not fit change little; Dai et al. 2023, "Simple and Scalable Nearest Neighbor
Machine Translation", has 1 - min_i d_i / D in place of the exponential. Where the model is sure, it needs no pairs;
Jiang et al. 2022, "Towards Robust k-Nearest-Neighbor Machine Translation", learns that. Where its best token is a unit
that the source has, too, lambda is 0: what it copies, such as a name, a number or a mark, no pair knows better.

The pairs are those with the most similar sources, as with Dai et al., and their features are computed when they are
needed, unless they were kept after the training.

R rows, N sources, M steps of the pairs of a source, F features, W tokens that they write, V target vocabulary,
k proposals per row, A tokens asked for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np

from seq2seq_cli.decoding.engine import Engine, EngineState, Look, Proposals, largest
from seq2seq_cli.decoding.similar.features import MOST_STEPS, JoinedFeatures, features_of
from seq2seq_cli.decoding.similar.pairs import SimilarPairs
from seq2seq_cli.shapes import Float, Int
from seq2seq_cli.text.vocabulary import EOS, PAD

TEMPERATURE = 0.1
"""T, tuned like `REACH` on the validation split of a model of English to German; the score hardly changes near either
value."""
REACH = 0.6
"""D, the distance of the nearest step at which lambda is 1/e of what it is at 0."""


class Neighbours:
    """The steps of the similar pairs of a source, in the order of the tokens that they write."""

    def __init__(self, features: Float[np.ndarray, "M F"], written: Int[np.ndarray, " M"]) -> None:
        order = np.argsort(written, kind="stable")
        self._mean = features.mean(axis=0)
        # Without their mean, distances stay the same, and differences of smaller squares are more exact.
        features = features[order] - self._mean
        self._unit = np.sqrt(np.square(features).sum(axis=1).mean()) or np.float32(1)
        """The root of the mean squared distance of the features from their mean, their unit, whose square is the unit
        of d; 1 where it is 0."""
        self.features: Float[np.ndarray, "M F"] = features / self._unit
        self._half_squares = np.square(self.features).sum(axis=1) / 2
        self.tokens, self._first = np.unique(written[order], return_index=True)
        """The tokens that are written, each once, and the first step that writes each."""

    def consult(self, features: Float[np.ndarray, "r F"]) -> tuple[Float[np.ndarray, "r W"], Float[np.ndarray, " r"]]:
        """p_kNN of the tokens for steps with these features, and exp(-min_i d_i / D)."""
        features = (features - self._mean) / self._unit
        # f.f' - |f'|^2 / 2 = (|f|^2 - d) / 2: all that differs between the steps.
        nearness = features @ self.features.T - self._half_squares
        most = nearness.max(axis=1, keepdims=True)
        kernel = np.add.reduceat(np.exp((nearness - most) * (2 / TEMPERATURE)), self._first, axis=1)
        nearest = (np.square(features).sum(axis=1) - 2 * most[:, 0]).clip(0)
        return kernel / kernel.sum(axis=1, keepdims=True), np.exp(-nearest / REACH)


@dataclass(frozen=True, kw_only=True)
class ConsultingState:
    """The state of the model, and the neighbours of each source."""

    model: EngineState
    sources: Int[np.ndarray, " R"]
    """The number of the source of each row."""
    neighbours: tuple[Neighbours | None, ...]
    """The neighbours of each source; None where no pair is similar."""
    tokens: Int[np.ndarray, "N W"]
    """The tokens that the neighbours of each source write, in ascending order after PAD."""
    columns: Int[np.ndarray, "N V"]
    """The column of each token of the vocabulary in `tokens`; -1 for one that is not there, and for PAD."""
    copied: tuple[frozenset[int], ...]
    """The target units that each source has, too."""

    def select(self, rows: Int[np.ndarray, " R"]) -> "ConsultingState":
        """The state of the given rows, in the order given; a row may be taken more than once."""
        return replace(self, model=self.model.select(rows), sources=self.sources[rows])


@dataclass(eq=False, repr=False)
class ConsultingEngine:
    """The steps of a model that consults `most` similar pairs for each source, with a `weight` in its probabilities."""

    model: Engine[Any]
    pairs: SimilarPairs
    _: KW_ONLY
    most: int
    weight: float
    same: Mapping[int, int] | None
    """The target unit of each source unit that is written alike. None: the pairs correct the model, and lambda does not
    depend on what it proposes."""
    marks: frozenset[int] = frozenset()
    """Units that do not count in what is similar: they end a sentence or not as people like."""
    kept: JoinedFeatures | None = None

    def __post_init__(self) -> None:
        self.vocabulary_size = self.model.vocabulary_size
        self.has_attention = self.model.has_attention
        self.threads = self.model.threads
        self.max_source_length = self.model.max_source_length

    def start(self, sources: Sequence[Sequence[int]]) -> ConsultingState:
        """The state before the first step; see `Engine`."""
        found = [self._found(source) for source in sources]
        last = {number: i for i, pairs in enumerate(found) for number in pairs}
        # Each pair once for all sources, and its features are removed after the last of them: together, they take as
        # much memory as all neighbours.
        if self.kept:
            features = {number: self.kept.of_pair(number) for number in last}
        else:
            features = dict(features_of(self.model, self.pairs, np.array([*last], dtype=np.int64)))
        neighbours, same = [], self.same or {}
        for i, pairs in enumerate(found):
            written = np.array([token for tgt in pairs.values() for token in (*tgt, EOS)])
            of_pairs = [features.pop(number) if last[number] == i else features[number] for number in pairs]
            neighbours.append(Neighbours(np.concatenate(of_pairs), written) if pairs else None)
        width = max((len(each.tokens) for each in neighbours if each), default=1)
        tokens = np.full((len(sources), width), PAD)
        columns = np.full((len(sources), self.vocabulary_size), -1, dtype=np.int32)
        for row, columns_of_row, each in zip(tokens, columns, neighbours, strict=True):
            if each:
                row[-len(each.tokens) :] = each.tokens
                columns_of_row[each.tokens] = np.arange(width - len(each.tokens), width)
        model, rows = self.model.start(sources), np.arange(len(sources))
        copied = tuple(frozenset(same[unit] for unit in source if unit in same) for source in sources)
        return ConsultingState(
            model=model, sources=rows, neighbours=tuple(neighbours), tokens=tokens, columns=columns, copied=copied
        )

    def step(
        self, tokens: Int[np.ndarray, " R"], state: ConsultingState, *, k: int, asked: Int[np.ndarray, "R A"] | None
    ) -> tuple[Proposals, ConsultingState]:
        """The proposals of model and neighbours together, and the next state; see `Engine`.

        The k best tokens are always among the model's k best and the neighbours' tokens, which the model is asked for.
        """
        if asked is None:
            asked = np.tile(np.arange(self.vocabulary_size), (len(tokens), 1))
        written = state.tokens[state.sources]
        every = np.concatenate((asked, written), axis=1)
        of_model, after = self.model.step(tokens, state.model, k=max(k, 1), asked=every)
        p_knn, lambda_ = self._consult(of_model, state)
        rest = np.log1p(-lambda_)[:, np.newaxis]
        asked_of_model, written_of_model = np.split(of_model.asked + rest, [asked.shape[1]], axis=1)
        with np.errstate(divide="ignore"):
            mixed = np.logaddexp(written_of_model, np.log(lambda_[:, np.newaxis] * p_knn))
        mixed = np.where(written == PAD, -np.inf, np.minimum(mixed, 0))  # rounded, it may be above 0
        sources = state.sources[:, np.newaxis]
        is_left = state.columns[sources, of_model.tokens] < 0
        every = np.concatenate((of_model.tokens, written), axis=1)
        left = np.where(is_left, of_model.log_probabilities + rest, -np.inf)
        log_probabilities = np.concatenate((left, mixed), axis=1)
        best = largest(log_probabilities, k)
        columns = state.columns[sources, asked]
        tokens, log_probabilities = (np.take_along_axis(part, best, axis=1) for part in (every, log_probabilities))
        asked = np.where(columns < 0, asked_of_model, np.take_along_axis(mixed, columns, axis=1))
        proposals = of_model._replace(tokens=tokens, log_probabilities=log_probabilities, asked=asked)
        return proposals, replace(state, model=after)

    def look(self, tokens: Int[np.ndarray, " R"], state: ConsultingState) -> Look | None:
        """The attention of the model; see `Engine`."""
        return self.model.look(tokens, state.model)

    def _found(self, source: Sequence[int]) -> dict[int, list[int]]:
        """The targets of the similar pairs by their numbers, but for pairs too long for the model or the bound."""
        longest = self.max_source_length or MOST_STEPS
        found: dict[int, list[int]] = {}
        left = MOST_STEPS
        for number in self.pairs.find([unit for unit in source if unit not in self.marks], self.most).tolist():
            src, tgt = self.pairs.pair(number)
            steps = max(len(src), len(tgt)) + 1
            if steps <= left and len(src) < longest:
                found[number] = tgt
                left -= steps
        return found

    def _consult(
        self, of_model: Proposals, state: ConsultingState
    ) -> tuple[Float[np.ndarray, "R W"], Float[np.ndarray, " R"]]:
        """p_kNN of the tokens of `state.tokens` for each row, and lambda."""
        features = self.kept.project(of_model.features) if self.kept else of_model.features
        p_knn = np.zeros((len(features), state.tokens.shape[1]), dtype=features.dtype)
        lambda_ = np.zeros(len(features), dtype=features.dtype)
        starts = np.flatnonzero(np.diff(state.sources, prepend=-1)).tolist()
        for start, end in zip(starts, [*starts[1:], len(features)], strict=True):
            if neighbours := state.neighbours[state.sources[start]]:
                of_tokens, likeness = neighbours.consult(features[start:end])
                p_knn[start:end, -of_tokens.shape[1] :] = of_tokens
                lambda_[start:end] = self.weight * likeness
        if self.same is None:
            return p_knn, lambda_
        lambda_ *= np.sqrt(-np.expm1(np.minimum(of_model.log_probabilities[:, 0], 0)))  # rounded, it may be above 0
        rows = zip(of_model.tokens[:, 0].tolist(), state.sources.tolist(), strict=True)
        lambda_[[best in state.copied[source] for best, source in rows]] = 0
        return p_knn, lambda_
