"""The features of the steps of pairs: computed when they are needed, or once, for all of them, after a training.

Those that are kept are the largest principal components, as whole numbers of a byte, whose distances are nearly those
of the features; He et al. 2021, "Efficient Nearest Neighbor Language Models".

M steps of all pairs, T steps of a pair, R rows, F features, C components.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.compute.ragged import offsets_of
from seq2seq_cli.compute.threads import map_in_threads
from seq2seq_cli.decoding.engine import Engine, forced_steps
from seq2seq_cli.decoding.similar.pairs import SimilarPairs
from seq2seq_cli.errors import RESTORE, ModelFileError, one_line
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import FEATURE_FILES, PAIRS
from seq2seq_cli.runs.weights import read_header
from seq2seq_cli.shapes import Float, Int

COMPONENTS = 64
"""C at most; of 384 features, 32 cost 0.1 to 0.4 BLEU, and 128 bring nothing."""
MOST_STEPS = 1024
"""Steps of all pairs of one source: a bound for the memory that long sentences take."""
MOST_KEPT = 4_000_000
"""M at most, for the disk; where the pairs have more, their features are computed when they are needed."""

_FITTED = 50_000
"""Steps, about, of pairs at equal distances, whose features have the components."""
_LARGEST, _WITHIN = 127, 0.9999
"""The largest whole number, and the share of the components that become no larger ones, which are cut."""
_BATCH = 64
"""Pairs whose features are computed at a time; more take more memory, and no less time."""


def features_of(
    model: Engine[Any], pairs: SimilarPairs, numbers: Int[np.ndarray, " n"], threads: int = 1
) -> Iterator[tuple[int, Float[np.ndarray, "T F"]]]:
    """The numbers of some pairs with the features of their steps, EOS last; similar lengths are computed together."""
    order = numbers[np.lexsort((numbers, pairs.src.lengths[numbers], pairs.tgt.lengths[numbers]))]
    batches = (order[first : first + _BATCH].tolist() for first in range(0, len(order), _BATCH))
    for batch in map_in_threads(partial(_of_batch, model, pairs), batches, threads):
        yield from batch


def _of_batch(
    model: Engine[Any], pairs: SimilarPairs, numbers: list[int]
) -> list[tuple[int, Float[np.ndarray, "T F"]]]:
    sources, targets = zip(*map(pairs.pair, numbers), strict=True)
    steps: list[list[Float[np.ndarray, " F"]]] = [[] for _ in numbers]
    for rows, proposals in forced_steps(model, sources, targets, with_probabilities=False):
        for row, features in zip(rows.tolist(), proposals.features, strict=True):
            steps[row].append(features)
    return list(zip(numbers, map(np.array, steps), strict=True))


@dataclass(frozen=True, kw_only=True)
class KeptFeatures:
    """The components of the features of all pairs."""

    components: Int[np.ndarray, "_ C"]
    """Pair by pair, those of its steps, EOS last; 0 for a pair that no source consults, as it is too long."""
    projection: Float[np.ndarray, "_ C"]
    """The matrix that makes components of features, and below it what is added."""
    offsets: Int[np.ndarray, " _"]
    """The first step of each pair."""

    @classmethod
    def computed(cls, model: Engine[Any], pairs: SimilarPairs) -> "KeptFeatures | None":
        """The features of all pairs, which a model computes; None where they are too many."""
        offsets = offsets_of(pairs.tgt.lengths + 1)
        longest = np.maximum(pairs.src.lengths, pairs.tgt.lengths) + 1
        fits = (longest <= MOST_STEPS) & (pairs.src.lengths < (model.max_source_length or MOST_STEPS))
        numbers = np.flatnonzero(fits)
        if not len(numbers) or offsets[-1] > MOST_KEPT:
            return None
        count = min(len(numbers), -(-_FITTED * len(pairs.tgt) // int(offsets[-1])))
        some = numbers[np.linspace(0, len(numbers) - 1, count).astype(np.int64)]
        features = np.concatenate([of_pair for _, of_pair in features_of(model, pairs, some, model.threads)])
        mean = features.mean(axis=0)
        features -= mean
        _, axes = np.linalg.eigh(features.T @ features)  # in ascending order of their variances
        axes = axes[:, : -COMPONENTS - 1 : -1]
        unit = np.quantile(np.abs(features @ axes), _WITHIN) / _LARGEST or 1.0
        projection = (np.vstack((axes, -mean @ axes)) / unit).astype(np.float32)
        kept = cls(components=np.zeros((offsets[-1], axes.shape[1]), np.int8), projection=projection, offsets=offsets)
        for number, of_pair in features_of(model, pairs, numbers, model.threads):
            kept.of_pair(number)[:] = kept.project(of_pair).round().clip(-_LARGEST, _LARGEST)
        return kept

    @classmethod
    def open(cls, run: RunFolder, pairs: SimilarPairs) -> "KeptFeatures | None":
        """The features that were saved for the pairs and the weights of a run, or None; ModelFileError if damaged."""
        digest = _digest_of_weights(run)
        try:
            arrays = {name: np.lib.format.open_memmap(run.path / path, "r") for name, path in FEATURE_FILES.items()}
            if not np.array_equal(arrays["weights"], digest):
                return None
            components, projection = np.asarray(arrays["components"]), arrays["projection"]
            offsets = offsets_of(pairs.tgt.lengths + 1)
            is_sound = projection.dtype == np.float32 and projection.ndim == 2 and np.isfinite(projection).all()
            if not is_sound or components.dtype != np.int8 or components.shape != (offsets[-1], projection.shape[-1]):
                raise ValueError("not the features of these pairs")  # noqa: TRY301
        except FileNotFoundError:
            return None
        except Exception as error:  # a damaged header of an array can lead to any error
            raise ModelFileError(f"{run.path / PAIRS}: missing or damaged ({one_line(str(error))})") from error
        return cls(components=components, projection=np.array(projection), offsets=offsets)

    def of_pair(self, number: int) -> Int[np.ndarray, "T C"]:
        """The components of the steps of a pair, a view."""
        return self.components[self.offsets[number] : self.offsets[number + 1]]

    def project(self, features: Float[np.ndarray, "R F"]) -> Float[np.ndarray, "R C"]:
        """The components of features, not rounded; ModelFileError for the features of another model."""
        if features.shape[1] != len(self.projection) - 1:
            raise ModelFileError(f"{FEATURE_FILES['projection']}: damaged, or not of this model: {RESTORE}")
        return features @ self.projection[:-1] + self.projection[-1]

    def arrays(self, run: RunFolder) -> dict[str, NDArray[Any]]:
        """The arrays of the files that `open` reads, by their names; the weights are those of a run."""
        return {"components": self.components, "projection": self.projection, "weights": _digest_of_weights(run)}


class JoinedFeatures:
    """The kept features of models that translate together, those of a step side by side, in the units of features."""

    def __init__(self, parts: Sequence[KeptFeatures]) -> None:
        self._parts = [(part, np.float32(1 / np.linalg.norm(part.projection[:-1, 0]))) for part in parts]
        self._ends = np.cumsum([len(part.projection) - 1 for part in parts])

    def of_pair(self, number: int) -> Float[np.ndarray, "T C"]:
        """The components of the steps of a pair."""
        return np.concatenate([unit * part.of_pair(number).astype(np.float32) for part, unit in self._parts], axis=1)

    def project(self, features: Float[np.ndarray, "R F"]) -> Float[np.ndarray, "R C"]:
        """The components of features; raises as `KeptFeatures.project`."""
        of_models = np.split(features, self._ends[:-1], axis=1)
        found = zip(self._parts, of_models, strict=True)
        return np.concatenate([part.project(of_model) * unit for (part, unit), of_model in found], axis=1)


def _digest_of_weights(run: RunFolder) -> NDArray[np.uint8]:
    """The digest of the weights that a run translates with, as their file names it."""
    return np.frombuffer(str(read_header(run.weights_path).sha256).encode("utf-8"), np.uint8)
