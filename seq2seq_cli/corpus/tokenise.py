"""All sentences of a corpus to units, with spaCy in as many processes as there are.

Each distinct word is sent to a process once. What comes back is joined by array operations, in the order of the
file, so the result does not depend on the number of processes.
"""

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.config.schema import SideConfig, TextConfig
from seq2seq_cli.corpus.ragged import Ragged, offsets_of
from seq2seq_cli.errors import S2SError
from seq2seq_cli.text.codec import word_units
from seq2seq_cli.text.tokenizer import cut_words

CHUNK = 4000
"""Pairs a task."""

Progress = Callable[[int, int], None]
"""Told how many pairs are done, and of how many."""


@dataclass(frozen=True, kw_only=True)
class Tokenised:
    """One side of a corpus: the distinct units as they first came, and each sentence as numbers of units."""

    units: list[str]
    sentences: Ragged

    def rows(self, chosen: NDArray[np.bool_]) -> Self:
        """The sentences that a mask holds, with all units."""
        return replace(self, sentences=self.sentences.rows(chosen))


def tokenise(
    src: Sequence[str], tgt: Sequence[str], config: TextConfig, executor: Executor, progress: Progress
) -> tuple[Tokenised, Tokenised]:
    """Cut both sides of normalised pairs into units.

    Raises InputError when a language has no tokenizer, S2SError when a worker process dies.
    """
    sides = _Side(config.src), _Side(config.tgt)
    tasks: deque[tuple[int, list[Future[list[tuple[str, ...]]]]]] = deque()
    try:
        for start in range(0, len(src), CHUNK):
            chunk = src[start : start + CHUNK], tgt[start : start + CHUNK]
            futures = [
                executor.submit(cut_words, side.config.language, side.add(sentences))
                for side, sentences in zip(sides, chunk, strict=True)
            ]
            tasks.append((len(chunk[0]), futures))
        done = 0
        while tasks:
            pairs, futures = tasks.popleft()
            for side, future in zip(sides, futures, strict=True):
                side.cut(future.result())
            done += pairs
            progress(done, len(src))
    except BrokenProcessPool:
        raise S2SError("a worker process died, probably for want of memory: free some and prepare again") from None
    return sides[0].finish(), sides[1].finish()


class _Side:
    """One side on its way: sentences as numbers of words, words as numbers of units."""

    def __init__(self, config: SideConfig) -> None:
        self.config = config
        self._words: dict[str, int] = {}
        self._units: dict[str, int] = {}
        self._word_lengths: list[int] = []
        self._word_units: list[int] = []
        self._sentence_words: list[NDArray[np.uint32]] = []
        self._sentence_lengths: list[NDArray[np.uint32]] = []

    def add(self, sentences: Sequence[str]) -> list[str]:
        """Take sentences; return the words that were not seen before."""
        known = len(self._words)
        words = " ".join(sentences).split(" ")
        numbers = self._words
        for word in dict.fromkeys(words):
            numbers.setdefault(word, len(numbers))
        self._sentence_words.append(_array(map(numbers.__getitem__, words), len(words)))
        self._sentence_lengths.append(_array((text.count(" ") + 1 for text in sentences), len(sentences)))
        return list(itertools.islice(numbers, known, None))

    def cut(self, words: Iterable[Sequence[str]]) -> None:
        """Take the tokens of the words that ``add`` returned."""
        numbers = self._units
        for pieces in words:
            units = word_units(pieces, self.config)
            self._word_lengths.append(len(units))
            self._word_units.extend(numbers.setdefault(unit, len(numbers)) for unit in units)

    def finish(self) -> Tokenised:
        words = np.concatenate(self._sentence_words)
        starts = offsets_of(np.concatenate(self._sentence_lengths))
        word_lengths = np.array(self._word_lengths, dtype=np.int64)
        lengths = word_lengths[words]
        offsets = offsets_of(lengths)
        # Position j of the result is unit j - (where its word begins there) of its word.
        shift = np.repeat(offsets_of(word_lengths)[words] - offsets[:-1], lengths)
        values = np.array(self._word_units, dtype=np.uint32)[shift + np.arange(len(shift))]
        return Tokenised(units=list(self._units), sentences=Ragged(values=values, offsets=offsets[starts]))


def _array(numbers: Iterable[int], count: int) -> NDArray[np.uint32]:
    return np.fromiter(numbers, dtype=np.uint32, count=count)
