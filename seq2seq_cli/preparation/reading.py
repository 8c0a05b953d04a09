"""All lines of all pair files, through the workers, into the pair store."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.text import DataConfig, TextConfig
from seq2seq_cli.corpus.splits import SPLITS, TRAIN
from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.pair_files import Block, PairFile, read_blocks
from seq2seq_cli.preparation.analysis import Analysed, analyse
from seq2seq_cli.preparation.dropped import LineCounts
from seq2seq_cli.preparation.pair_store import PairStore
from seq2seq_cli.preparation.workers import OpenWorkers
from seq2seq_cli.text.sides import Rules, read_rules

_BYTES_PER_LINE = 100
"""About the length of a line in published files, the third column included."""

_MOST_LINES = 2**31 - 1
"""Pairs, sentences and groups have numbers of 32 bits, which take half the memory of 64."""

LineProgress = Callable[[int, int], None]
"""Called with the lines that are done and with an estimate of their total."""

Inputs = Mapping[int, Sequence[PairFile]]
"""The pair files of each split, by its number; those of TRAIN are still to be split."""


@dataclass(frozen=True, kw_only=True)
class InputBlock:
    """A block, the split that its file was given for, and the progress so far."""

    split: int
    block: Block
    bytes_read: int
    """Of all pair files."""


def read_all(
    inputs: Inputs,
    config: Config,
    rules: Rules | None,
    store: PairStore,
    open_workers: OpenWorkers,
    progress: LineProgress,
) -> tuple[LineCounts, NDArray[np.int8], Rules]:
    """Fill ``store`` with all pairs; returns the counts over all files, and the split that each pair was given for.

    The texts are cut by ``rules``, or by those of spaCy, which are returned too. Raises PairFileError for a file that
    cannot be used or too many lines, InputError for a language without a tokenizer, S2SError when a worker dies.
    """
    total = LineCounts()
    pairs = [0] * len(SPLITS)
    size = sum(pair_file.size for files in inputs.values() for pair_file in files)
    limit = config.data.limit
    with open_workers(size if limit is None else min(size, limit * _BYTES_PER_LINE)) as workers:
        if rules is None:  # a worker loads spaCy, whose memory this process then need not have
            [(_, rules)] = workers.map_in_order(read_rules, [config.text])
        work = partial(_analyse, text=config.text, rules=rules, swap=config.data.swap)
        results = workers.map_in_order(work, input_blocks(inputs, config.data))
        for (split, pair_file), blocks in groupby(results, key=_origin):
            counts = LineCounts()
            for task, analysed in blocks:
                counts.add(analysed.counts)
                store.add(pair_file, analysed)
                lines = total.lines + counts.lines
                if lines > _MOST_LINES:
                    raise PairFileError(f"{pair_file.name}: too many lines: use fewer, with --limit {_MOST_LINES}")
                progress(lines, max(lines, lines * size // max(1, task.bytes_read)))
            counts.check(pair_file.name, pair_file.unit)
            total.add(counts)
            pairs[split] += counts.pairs
    return total, np.repeat(np.arange(len(SPLITS), dtype=np.int8), pairs), rules


def input_blocks(inputs: Inputs, data: DataConfig) -> Iterator[InputBlock]:
    """The lines of all pair files; those to be split end at ``data.limit``, and nothing behind them is read."""
    bytes_before = 0
    for split, files in inputs.items():
        lines_left = data.limit if split == TRAIN else None
        for pair_file in files:
            if lines_left == 0:
                break
            for block in read_blocks(pair_file, encoding=data.encoding, limit=lines_left):
                yield InputBlock(split=split, block=block, bytes_read=bytes_before + block.bytes_read)
                if lines_left is not None:
                    lines_left -= len(block.lines)
            bytes_before += pair_file.size


def _origin(result: tuple[InputBlock, Analysed]) -> tuple[int, PairFile]:
    return result[0].split, result[0].block.pair_file


def _analyse(task: InputBlock, *, text: TextConfig, rules: Rules, swap: bool) -> Analysed:
    return analyse(task.block, text, rules, swap)
