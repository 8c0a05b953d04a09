"""All lines of all pair files, cut by the workers into pairs, tokens and hashes, and put into the pair store.

``analyse`` is a pure function of a block, so that any process can run it. Every worker process imports this module and
all that it imports: neither torch nor spaCy, but where a language's tokenizer is a program of spaCy's.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, groupby, starmap

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.text import DataConfig, TextConfig
from seq2seq_cli.corpus.splits import SPLITS, TRAIN, sentence_key, text_hashes
from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.pair_files import Block, PairFile, read_blocks
from seq2seq_cli.preparation.dropped import DroppedLine, LineCounts
from seq2seq_cli.preparation.pair_store import PairStore, Side, StoredPairs
from seq2seq_cli.preparation.workers import OpenWorkers
from seq2seq_cli.text.normalise import normalise
from seq2seq_cli.text.segmenter import Segmenter, get_segmenter
from seq2seq_cli.text.sides import Rules, read_rules

_BYTES_PER_LINE = 100
"""About the length of a line in published files, the third column included."""

_MOST_LINES = 2**31 - 1
"""Pairs, sentences and groups have numbers of 32 bits, which take half the memory of 64."""

LineProgress = Callable[[int, int], None]
"""Called with the lines that are done and with an estimate of their total."""

Inputs = Mapping[int, Sequence[PairFile]]
"""The pair files of each split, by its number; TRAIN is still to be split."""


@dataclass(frozen=True, kw_only=True)
class InputBlock:
    """A block, the split that its file was given for, and the progress so far."""

    split: int
    block: Block
    bytes_read: int
    """Of all pair files."""


@dataclass(frozen=True, kw_only=True)
class Analysed:
    """The counts of a block's lines, and its pairs, normalised, in their order."""

    counts: LineCounts
    pairs: StoredPairs


def read_all(
    inputs: Inputs,
    config: Config,
    rules: Rules | None,
    store: PairStore,
    open_workers: OpenWorkers,
    progress: LineProgress,
) -> tuple[LineCounts, NDArray[np.int8], Rules]:
    """Fill ``store`` with all pairs; returns the counts over all files, and the split that each pair was given for.

    The texts are cut by ``rules``, or by spaCy's rules, which are returned too. Raises PairFileError for a file that
    cannot be used or too many lines, InputError for a language without a tokenizer, S2SError when a worker dies.
    """
    total = LineCounts()
    pairs = [0] * len(SPLITS)
    size = sum(pair_file.size for files in inputs.values() for pair_file in files)
    limit = config.data.limit
    with open_workers(size if limit is None else min(size, limit * _BYTES_PER_LINE)) as workers:
        if rules is None:  # a worker loads spaCy, whose memory this process then need not have
            [(_, rules)] = workers.map_in_order(read_rules, [config.text])
        work = partial(analyse, text=config.text, rules=rules, swap=config.data.swap)
        results = workers.map_in_order(work, input_blocks(inputs, config.data))
        for (split, pair_file), blocks in groupby(results, key=_origin):
            counts = LineCounts()
            for task, analysed in blocks:
                counts.add(analysed.counts)
                store.add(pair_file, analysed.pairs)
                lines = total.lines + counts.lines
                if lines > _MOST_LINES:
                    raise PairFileError(f"{pair_file.name}: too many lines: use fewer, with --limit {_MOST_LINES}")
                progress(lines, max(lines, lines * size // max(1, task.bytes_read)))
            counts.check(pair_file)
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
                    lines_left -= len(block.rows)
            bytes_before += pair_file.size


def _origin(result: tuple[InputBlock, Analysed]) -> tuple[int, PairFile]:
    return result[0].split, result[0].block.pair_file


def analyse(task: InputBlock, *, text: TextConfig, rules: Rules, swap: bool) -> Analysed:
    """Cut a block into pairs and their sides into tokens; with ``swap`` the second column is the source.

    Raises InputError when a language needs a tokenizer that is missing.
    """
    block = task.block
    counts = LineCounts(lines=len(block.rows))
    lines: list[int] = []
    pairs: list[tuple[str, str]] = []
    for line, first, second, fault, has_more in block.pairs():
        src, tgt = (second, first) if swap else (first, second)
        pair = normalise(src), normalise(tgt)
        if fault is None and all(pair):
            pairs.append(pair)
            lines.append(line)
        else:
            reason = fault or ("empty side" if any(pair) else "blank line")
            # A file can have a million empty lines: an example is made only if it is kept.
            counts.dropped.add(reason, 1, starmap(DroppedLine.of, [(block.pair_file, line, src, tgt)]))
        counts.extra_columns += has_more
    counts.pairs = len(pairs)
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    encoded = [[sentence.encode("utf-8") for sentence in side] for side in sides]
    stored = StoredPairs(
        lines=np.array(lines, dtype=np.uint32),
        src=_analyse_side(sides[0], encoded[0], get_segmenter(text.src, text.unit, rules[0])),
        tgt=_analyse_side(sides[1], encoded[1], get_segmenter(text.tgt, text.unit, rules[1])),
        pair_hashes=text_hashes(map(b"\t".join, zip(*encoded, strict=True))),
        src_hashes=text_hashes(encoded[0]),
    )
    return Analysed(counts=counts, pairs=stored)


def _analyse_side(sentences: Sequence[str], encoded: Sequence[bytes], segmenter: Segmenter) -> Side:
    rows = [segmenter.tokens(sentence) for sentence in sentences]
    tokens = list(chain.from_iterable(rows))
    numbers = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
    return Side(
        tokens=list(numbers),
        numbers=np.fromiter(map(numbers.__getitem__, tokens), dtype=np.uint32, count=len(tokens)),
        lengths=np.fromiter(map(len, rows), dtype=np.uint32, count=len(rows)),
        text=np.frombuffer(b"".join([sentence + b"\n" for sentence in encoded]), dtype=np.uint8),
        sizes=np.fromiter((len(sentence) + 1 for sentence in encoded), dtype=np.uint32, count=len(encoded)),
        keys=text_hashes(map(sentence_key, sentences)),
    )
