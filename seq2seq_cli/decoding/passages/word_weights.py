"""The words of a translation, and how much they attend to parts of the source.

S parts of the source, T units of the translation, N words of the translation.
"""

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from seq2seq_cli.shapes import Float
from seq2seq_cli.text.normalise import are_in_one_word, is_space, solid_length


@dataclass(frozen=True)
class WordWeights:
    """A source and its translation, both cut into parts, and the attention between them, in words of the latter."""

    source: str
    text: str
    """The translation."""
    src_parts: Sequence[str]
    tgt_units: Sequence[str]
    attention: Float[np.ndarray, "T S1"]
    """One row per unit, one column per part; later columns are ignored. All 0 for a model without attention."""

    @cached_property
    def words(self) -> list[tuple[int, int]]:
        """The spans of the words in the translation: units that no space and no mark of punctuation parts."""
        starts = [start for start in self._unit_starts if start < len(self._solid)]
        begins = sorted({start for start in starts if start == 0 or self._may_part(self._solid[start])})
        return [(self._solid[a], self._solid[b - 1] + 1) for a, b in pairwise([*begins, len(self._solid)])]

    @cached_property
    def weights(self) -> Float[np.ndarray, "N S"]:
        """The mean attention of the units of each word to each part, and a diagonal where there is none at all."""
        shape = len(self.words), len(self.src_parts)
        if not shape[0] or not self.attention[:, : shape[1]].any():
            return _diagonal(*shape)
        starts = [start for start, _ in self.words]
        rows = [
            (bisect_right(starts, self._solid[begin]) - 1, row)
            for begin, row, unit in zip(self._unit_starts, self.attention, self.tgt_units, strict=False)
            if solid_length(unit) and begin < len(self._solid)
        ]
        weights = np.zeros(shape)
        for word, row in rows:
            weights[word] += row[: shape[1]]
        weights /= np.bincount([word for word, _ in rows], minlength=shape[0]).clip(1)[:, None]
        return weights

    def part_at(self, offset: int) -> int:
        """The index of the part of the source that holds its first character from an offset on; S at the end."""
        place = self._solid_before[offset]
        return bisect_right(self._part_starts, place) - 1 if place < self._part_starts[-1] else len(self.src_parts)

    def parts_between(self, start: int, end: int) -> slice:
        """The parts that have a character between two offsets of the source."""
        first = self.part_at(start)
        last = bisect_right(self._part_starts, self._solid_before[end] - 1)
        return slice(first, max(first, min(last, len(self.src_parts))))

    @cached_property
    def _solid_before(self) -> list[int]:
        """The number of characters but spaces before each offset of the source, and before its end."""
        return list(accumulate(map(solid_length, self.source), initial=0))

    @cached_property
    def _part_starts(self) -> list[int]:
        return list(accumulate(map(solid_length, self.src_parts), initial=0))

    @cached_property
    def _unit_starts(self) -> list[int]:
        return list(accumulate(map(solid_length, self.tgt_units), initial=0))[:-1]

    @cached_property
    def _solid(self) -> list[int]:
        """The positions of the characters of the translation that are no white space."""
        return [i for i, character in enumerate(self.text) if not is_space(character)]

    def _may_part(self, place: int) -> bool:
        before, after = self.text[place - 1 : place], self.text[place]
        if unicodedata.category(after)[0] == "M" or "\u200d" in {before, after}:
            return False
        return not are_in_one_word(before, after)


def _diagonal(words: int, parts: int) -> Float[np.ndarray, "N S"]:
    """Weights that are largest where both have the same share of their texts before them."""
    rows = (np.arange(words) + 0.5) / max(words, 1)
    columns = (np.arange(parts) + 0.5) / max(parts, 1)
    weights = np.exp(-0.5 * words * parts * (rows[:, None] - columns) ** 2)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True)) if parts else weights
