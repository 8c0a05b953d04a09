"""How much the training sources tell of a sentence: how many have its rarest word, and how many are near it."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.evaluation.languages import words_of


class Known(NamedTuple):
    """The figures of a source beside the training sources."""

    rarest_frequency: int
    """The number of training sources that have the rarest word; 0 for a source without words."""
    neighbours: int
    """The number of training sources near it: of the words that the two have, both have at least half."""


class TrainingSources:
    """An index of training sources by their distinct words, lower-cased and without the marks around them."""

    def __init__(self, texts: Iterable[str], language: str) -> None:
        self._language = language
        self._known: dict[str, Known] = {}
        numbers: dict[str, list[int]] = {}
        sizes = []
        for number, text in enumerate(texts):
            words = self._words(text)
            sizes.append(len(words))
            for word in words:
                numbers.setdefault(word, []).append(number)
        self._sources = {word: np.array(of_word, dtype=np.int32) for word, of_word in numbers.items()}
        self._sizes = np.array(sizes, dtype=np.int64)

    def known(self, source: str) -> Known:
        """The figures of a source, which is looked up once."""
        if source not in self._known:
            words = sorted(self._words(source), key=self._frequency)
            rarest = self._frequency(words[0]) if words else 0
            self._known[source] = Known(rarest, self._neighbours(words))
        return self._known[source]

    def _neighbours(self, words: list[str]) -> int:
        """The number of sources near one that has these words, the rarest first."""
        # What is near has at least half of the words, and so one of any that are more than half.
        rarest = len(words) // 2 + 1
        found = [np.zeros(0, dtype=np.int32), *map(self._having, words[:rarest])]
        near, shared = np.unique(np.concatenate(found), return_counts=True)
        for word in words[rarest:]:
            having = self._having(word)
            shared += having[np.minimum(np.searchsorted(having, near), len(having) - 1)] == near
        return int(np.count_nonzero(2 * shared >= len(words) + self._sizes[near] - shared))

    def _frequency(self, word: str) -> int:
        return len(self._having(word))

    def _having(self, word: str) -> NDArray[np.int32]:
        """The numbers of the training sources that have a word, in ascending order."""
        return self._sources.get(word, np.zeros(0, dtype=np.int32))

    def _words(self, text: str) -> set[str]:
        words = ("".join(filter(str.isalnum, word)).lower() for word in words_of(text, self._language))
        return {word for word in words if word}
