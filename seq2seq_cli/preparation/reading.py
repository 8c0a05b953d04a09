"""All lines of all sources, through the workers, into the scratch files; and a count of those that are no pairs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.config.schema import Config, DataConfig, TextConfig
from seq2seq_cli.corpus.splits import SPLITS, TEST, TRAIN, VALID
from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.sources import Block, Source, read_blocks, total_bytes
from seq2seq_cli.preparation.analysis import Analysed, analyse
from seq2seq_cli.preparation.dropped import Dropped, refuse_bad
from seq2seq_cli.preparation.scratch import Scratch
from seq2seq_cli.preparation.workers import OpenWorkers

_BYTES_A_LINE = 100
"""About as long as the lines of published files are, their third column included."""

_MOST_LINES = 2**31 - 1
"""Pairs, sentences and groups are numbered by numbers of 32 bits, to need half the memory."""

Progress = Callable[[int, int], None]
"""Told how many lines are done, and of about how many."""


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The sources of a corpus."""

    pairs: Sequence[Source]
    """To be split."""
    valid: Sequence[Source] = ()
    """The validation split as it is; without any, it is drawn from ``pairs``."""
    test: Sequence[Source] = ()
    """The test split as it is; without any, it is drawn from ``pairs``."""

    @property
    def by_split(self) -> Mapping[int, Sequence[Source]]:
        """What is given for each split, by its number; TRAIN has the pairs that are still to be split."""
        return {TRAIN: self.pairs, VALID: self.valid, TEST: self.test}

    @property
    def all(self) -> list[Source]:
        """Every source, in the order in which they are read."""
        return [source for sources in self.by_split.values() for source in sources]

    def moved(self, sources: Sequence[Source]) -> "Inputs":
        """The same inputs, which lie elsewhere: ``sources`` are ``all`` of them."""
        ends = len(self.pairs), len(self.pairs) + len(self.valid)
        return Inputs(pairs=sources[: ends[0]], valid=sources[ends[0] : ends[1]], test=sources[ends[1] :])


@dataclass(kw_only=True)
class Reading:
    """What was found on the way."""

    lines: int = 0
    extra_columns: int = 0
    """Lines with more than two columns."""
    dropped: Dropped = field(default_factory=Dropped)
    pairs: list[int] = field(default_factory=lambda: [0] * len(SPLITS))
    """Read for each split; TRAIN has those that are still to be split."""

    @property
    def given(self) -> NDArray[np.int8]:
        """The split that each pair was given for."""
        return np.repeat(np.arange(len(SPLITS), dtype=np.int8), self.pairs)


def read_all(
    inputs: Inputs, config: Config, scratch: Scratch, open_workers: OpenWorkers, progress: Progress
) -> Reading:
    """Fill ``scratch`` with all pairs, those to be split first.

    Raises PairFileError for a file that cannot be used or too many lines, InputError for a language without a
    tokenizer, S2SError when a worker dies.
    """
    reading = Reading()
    source = _SourceTally(name="")
    size = total_bytes(inputs.all)
    limit = config.data.limit
    with open_workers(size if limit is None else min(size, limit * _BYTES_A_LINE)) as workers:
        work = partial(_analyse, text=config.text, swap=config.data.swap)
        for task, analysed in workers.map_in_order(work, _tasks(inputs, config.data)):
            if (task.split, task.block.source.name) != (source.split, source.name):
                source.close(reading)
                source = _SourceTally(name=task.block.source.name, split=task.split)
            source.add(analysed)
            scratch.add(task.block.source.short_name, analysed)
            lines = reading.lines + source.lines
            if lines > _MOST_LINES:
                raise PairFileError(
                    f"{source.name}: more lines than s2s can number: use the first ones with --limit {_MOST_LINES}"
                )
            progress(lines, max(lines, lines * size // max(1, task.bytes_read)))
    source.close(reading)
    scratch.close()
    return reading


@dataclass(frozen=True, kw_only=True)
class _Task:
    """A block and what it is for."""

    split: int
    block: Block
    bytes_read: int
    """Of all the sources' bytes."""


def _tasks(inputs: Inputs, data: DataConfig) -> Iterator[_Task]:
    before = 0
    for split, sources in inputs.by_split.items():
        for block in read_blocks(sources, encoding=data.encoding, limit=data.limit if split == TRAIN else None):
            yield _Task(split=split, block=block, bytes_read=before + block.bytes_read)
        before += total_bytes(sources)


def _analyse(task: _Task, *, text: TextConfig, swap: bool) -> Analysed:
    return analyse(task.block, text, swap)


@dataclass(kw_only=True)
class _SourceTally:
    """What was found in one source, which may be refused at its end."""

    name: str
    split: int = TRAIN
    lines: int = 0
    extra_columns: int = 0
    pairs: int = 0
    dropped: Dropped = field(default_factory=Dropped)

    def add(self, analysed: Analysed) -> None:
        """Count a further block."""
        self.lines += analysed.lines_read
        self.extra_columns += analysed.extra_columns
        self.pairs += len(analysed.lines)
        self.dropped.merge(analysed.dropped)

    def close(self, reading: Reading) -> None:
        """Refuse the source, or count it; one that no line was read from is neither."""
        if not self.lines:
            return
        refuse_bad(self.name, self.dropped, self.lines)
        if not self.pairs:
            raise PairFileError(
                f"{self.name}: no sentence pair in it: give one a line, source and target separated by a tab"
            )
        reading.lines += self.lines
        reading.extra_columns += self.extra_columns
        reading.pairs[self.split] += self.pairs
        reading.dropped.merge(self.dropped)
