"""The training pairs of a model, which it consults while it translates, and the index by which they are found.

P pairs, C classes of n-grams, n pairs found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.compute.ragged import Ragged, offsets_of
from seq2seq_cli.errors import ModelFileError, one_line
from seq2seq_cli.runs.layout import PAIR_FILES, PAIRS
from seq2seq_cli.shapes import Float, Int

MOST_PAIRS = 1_000_000
"""Pairs of the largest index; of more, so many are taken at equal distances."""

UNIGRAMS, BIGRAMS = 1 << 16, 1 << 18
"""The numbers of classes of unigrams and of bigrams; n-grams of one class are taken for the same."""
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio, for multiplicative hashing; Knuth, The Art of Computer Programming, section 6.4."""
NEARNESS = 0.5
"""Least similarity of a pair that is found, times that of the best one: the others take time and gain nothing."""
_DENSE = 8
"""Classes with a list of weights of all pairs: four bytes per class and pair."""
_OFFSETS = ".offsets"

_Numbers: TypeAlias = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True, kw_only=True)
class SimilarPairs:
    """Pairs of ids without EOS, found by the unigrams and bigrams of their sources."""

    src: Ragged
    tgt: Ragged
    index: Ragged
    """For each class of n-grams, the pairs whose sources have one, in ascending order."""
    norms: Float[np.ndarray, " P"]
    """The norms of the vectors of the sources; see `find`."""
    others: int = 0
    """Pairs that count in the frequencies and are never found: without them, the words of few pairs weigh nothing."""
    least: float = 0.0
    """The least similarity of a pair that is found."""

    @classmethod
    def of(cls, src: Ragged, tgt: Ragged, *, others: int = 0, least: float = 0.0) -> "SimilarPairs":
        """The pairs with their index."""
        owners = np.repeat(np.arange(len(src), dtype=np.uint64), np.diff(src.offsets))
        classes, owners = _classes(src.values, owners)
        # Each class of a source once, in the order of the classes.
        keys = np.unique((classes << np.uint64(32)) | owners)
        classes, owners = keys >> np.uint64(32), (keys & np.uint64(0xFFFFFFFF)).astype(np.uint32)
        counts = np.bincount(classes.astype(np.int64), minlength=UNIGRAMS + BIGRAMS)
        idf = np.repeat(_idf(counts, len(src) + others), counts)
        index = Ragged(values=owners, offsets=offsets_of(counts))
        norms = np.sqrt(np.bincount(owners, idf**2, minlength=len(src))).astype(np.float32)
        return cls(src=src, tgt=tgt, index=index, norms=norms, others=others, least=least)

    @classmethod
    def open(cls, run: Path, *, src_size: int, tgt_size: int) -> "SimilarPairs":
        """The pairs of a run, read as they are used; ModelFileError if missing, damaged, or of other vocabularies."""
        try:
            arrays = {name: np.lib.format.open_memmap(run / path, mode="r") for name, path in PAIR_FILES.items()}
            norms, sizes = arrays["norms"], {"src": src_size, "tgt": tgt_size, "index": len(arrays["norms"])}
            rows = {name: Ragged.checked(arrays[name], arrays[name + _OFFSETS], size) for name, size in sizes.items()}
            pairs = cls(src=rows["src"], tgt=rows["tgt"], index=rows["index"], norms=norms)
            if not len(pairs.src) == len(pairs.tgt) == len(norms) or len(pairs.index) != UNIGRAMS + BIGRAMS:
                raise ValueError("not as many sources as targets, or an index of others")  # noqa: TRY301
            if norms.dtype != np.float32 or norms.ndim != 1 or not np.all((norms >= 0) & (norms < np.inf)):
                raise ValueError("norms that no sources have")  # noqa: TRY301
        except Exception as error:  # a damaged header of an array can lead to any error
            raise ModelFileError(f"{run / PAIRS}: missing or damaged ({one_line(str(error))})") from error
        return pairs

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the files that `open` reads, by their names."""
        rows = {"src": self.src, "tgt": self.tgt, "index": self.index}
        values = {name: each.values for name, each in rows.items()}
        return values | {name + _OFFSETS: each.offsets for name, each in rows.items()} | {"norms": self.norms}

    def pair(self, number: int) -> tuple[list[int], list[int]]:
        """The source and the target of the pair of this number."""
        return self.src.row(number).tolist(), self.tgt.row(number).tolist()

    def find(self, source: Sequence[int], most: int) -> Int[np.ndarray, " n"]:
        """The numbers of the pairs with the most similar sources, best first: `most`, or fewer where no more are near.

        The similarity is the cosine of two vectors, in which each class of n-grams that a source has weighs as much as
        its inverse document frequency, log (P + 1) / (pairs with it + 1); Sparck Jones 1972. None is less than
        `NEARNESS` times the largest, nor than `least`.
        """
        ids = np.array(source, dtype=np.uint64)
        classes = np.unique(_classes(ids, np.zeros_like(ids))[0]).tolist()
        owners = [self.index.row(class_) for class_ in classes]
        similarities = np.zeros(len(self.norms), dtype=np.float32)
        idf = _idf(np.array([len(each) for each in owners], dtype=np.int64), len(self.norms) + self.others)
        for class_, of_class, weight in zip(classes, owners, idf**2, strict=True):
            if class_ in self._common:
                similarities += self._common[class_]
            else:
                similarities[of_class] += weight
        similarities *= self._inverse_norms
        # The last of the `most` best pairs with a rare class is no better than the last of all, and found sooner.
        rarest = min((each for each in owners if len(each) >= most), key=len, default=None)
        least = 0 if rarest is None else np.partition(similarities[rarest], -most)[-most]
        found = np.flatnonzero(similarities >= least if least else similarities > 0)
        # Of equals the first, also where not all of them are among the best.
        best = found[np.argsort(-similarities[found], kind="stable")][:most]
        bound = np.maximum(NEARNESS * similarities[best[:1]], self.least * np.sqrt(np.sum(idf**2)))
        return best[similarities[best] >= bound]

    @cached_property
    def _inverse_norms(self) -> Float[np.ndarray, " P"]:
        """1 / norm of each source; 0 for one without n-grams."""
        # Below the smallest normal number, the inverse would be infinite.
        return np.divide(1, self.norms, out=np.zeros_like(self.norms), where=self.norms >= np.finfo(np.float32).tiny)

    @cached_property
    def _common(self) -> dict[int, Float[np.ndarray, " P"]]:
        """The weight of each of the most common classes in all sources: added faster than to lists of many numbers."""
        weights = {}
        # Negated: with the many zeros in front, argpartition takes ten times as long.
        for class_ in np.argpartition(-self.index.lengths, _DENSE)[:_DENSE].tolist():
            owners = self.index.row(class_)
            weights[class_] = np.zeros_like(self.norms)
            weights[class_][owners] = _idf(np.array([len(owners)]), len(self.norms) + self.others) ** 2
        return weights


def _classes(tokens: _Numbers, rows: _Numbers) -> tuple[_Numbers, _Numbers]:
    """The classes of the unigrams and bigrams of rows end to end, and the row of each."""
    tokens = tokens.astype(np.uint64)
    pairs = (tokens[:-1] * MULTIPLIER + tokens[1:]) * MULTIPLIER >> np.uint64(64 - (BIGRAMS - 1).bit_length())
    is_inside = rows[:-1] == rows[1:]
    classes = np.concatenate((tokens % np.uint64(UNIGRAMS), np.uint64(UNIGRAMS) + pairs[is_inside]))
    return classes, np.concatenate((rows, rows[:-1][is_inside]))


def _idf(counts: Int[np.ndarray, " C"], pairs: int) -> Float[np.ndarray, " C"]:
    """The inverse document frequencies of classes that so many of the pairs have."""
    return np.log((pairs + 1) / (counts + 1)).astype(np.float32)
