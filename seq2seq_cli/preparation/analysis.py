"""All lines of all pair files, cut by the workers into pairs, tokens and hashes, and put into the pair store.

``analyse`` is a pure function of a block, so that any process can run it. Every worker process imports this module and
all that it imports: neither torch nor spaCy, but where a language's tokenizer is a program of spaCy's.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby, starmap
from typing import Any

import numpy as np

from seq2seq_cli.compute.workers import OpenWorkers
from seq2seq_cli.config.schema.text import DataConfig, TextConfig
from seq2seq_cli.corpus.splits import TRAIN, sentence_key, text_hashes
from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.pair_files import Block, PairFile, read_blocks
from seq2seq_cli.preparation.dropped import DroppedLine, LineCounts
from seq2seq_cli.preparation.pair_store import NewPairs, PairStore
from seq2seq_cli.text.characters import INNER_APOSTROPHE, UNSPACED_LETTERS, normalise
from seq2seq_cli.text.segmenter import get_segmenter
from seq2seq_cli.text.sides import SIDES, Rules, SideName, rules_of_sides

_BYTES_PER_LINE = 100
"""About the length of a line in published files, the third column included."""

_MOST_LINES = 2**31 - 1
"""Pairs, sentences and groups have numbers of 32 bits, which take half the memory of 64."""

_WRONGLY_DECODED = re.compile("[ÂÃÐÑØÙâ][\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|\ufffd")
"""UTF-8 that was read as Windows-1252, such as Ã¤ for ä; or a character that could not be read."""

_UNSPACED = re.compile(f"[{UNSPACED_LETTERS}]")
_LETTERS_PER_WORD = 2
"""Of scripts without spaces between words, about that many in Chinese."""


@dataclass(frozen=True, kw_only=True)
class PairSettings:
    """The way in which the pairs of a file become sources and targets."""

    text: TextConfig
    """With the languages of its sources and targets."""
    letters: tuple[str, str]
    """The letters that take the place of all INNER_MARKS of the first and the second column; empty: each stays."""
    swap: bool
    """Whether the second column is the source."""
    rules: Rules = (None, None)
    """The rules that cut its texts."""


LineProgress = Callable[[int, int], None]
"""Called with the lines that are done and with an estimate of their total."""


def read_all(
    files: Sequence[tuple[PairFile, PairSettings]],
    data: DataConfig,
    store: PairStore,
    open_workers: OpenWorkers,
    progress: LineProgress,
) -> tuple[LineCounts, Rules]:
    """Fill ``store`` with all pairs; returns the counts over all files, and spaCy's rules that cut the first one.

    Raises PairFileError for a file that cannot be used or too many lines, InputError for a language without a
    tokenizer, S2SError when a worker dies.
    """
    total = LineCounts()
    size = sum(pair_file.size for pair_file, _ in files)
    with open_workers(size if data.limit is None else min(size, data.limit * _BYTES_PER_LINE)) as workers:
        # A worker loads spaCy, whose memory this process then need not have.
        rules = dict(workers.map_in_order(rules_of_sides, dict.fromkeys(settings.text for _, settings in files)))
        settings_of = {pair_file: replace(settings, rules=rules[settings.text]) for pair_file, settings in files}
        tasks = ((block, settings_of[block.pair_file]) for block in input_blocks([each for each, _ in files], data))
        for pair_file, blocks in groupby(workers.map_in_order(analyse, tasks), lambda result: result[0][0].pair_file):
            counts = LineCounts()
            for (block, _), (of_block, new_pairs) in blocks:
                counts.add(of_block)
                store.add(pair_file, new_pairs)
                lines = total.lines + counts.lines
                if lines > _MOST_LINES:
                    raise PairFileError(f"{pair_file.name}: too many lines: use fewer, with --limit {_MOST_LINES}")
                progress(lines, max(lines, lines * size // max(1, block.bytes_read)))
            counts.check(pair_file)
            total.add(counts)
    return total, rules[files[0][1].text]


def input_blocks(pair_files: Sequence[PairFile], data: DataConfig) -> Iterator[Block]:
    """The lines of all pair files; those to be split end at ``data.limit``, and nothing behind them is read."""
    bytes_before, lines_left = 0, data.limit
    for pair_file in pair_files:
        limit = lines_left if pair_file.split == TRAIN else None
        if limit == 0:
            continue
        for block in read_blocks(pair_file, encoding=data.encoding, limit=limit):
            yield replace(block, bytes_read=bytes_before + block.bytes_read)
            if lines_left is not None and pair_file.split == TRAIN:
                lines_left -= len(block.rows)
        bytes_before += pair_file.size


def analyse(task: tuple[Block, PairSettings]) -> tuple[LineCounts, NewPairs]:
    """The counts of a block's lines, and its pairs, normalised and cut; raises InputError for a missing tokenizer."""
    block, settings = task
    counts = LineCounts(lines=len(block.rows))
    lines: list[int] = []
    pairs: list[tuple[str, str]] = []
    for line, first, second, fault, has_more in block.pairs():
        if any(settings.letters):
            first, second = (
                INNER_APOSTROPHE.sub(letter, side) if letter else side
                for letter, side in zip(settings.letters, (first, second), strict=True)
            )
        src, tgt = (second, first) if settings.swap else (first, second)
        pair = normalise(src), normalise(tgt)
        if fault is None and all(pair):
            counts.equal += pair[0] == pair[1] and not block.pair_file.is_text
            counts.wrongly_decoded += any(map(_WRONGLY_DECODED.search, pair))
            pairs.append(pair)
            lines.append(line)
        else:
            reason = fault or ("empty side" if any(pair) else "blank line")
            # A file can have a million empty lines: an example is made only if it is kept.
            counts.drop(reason, 1, starmap(DroppedLine.of, [(block.pair_file, line, src, tgt)]))
        counts.extra_columns += has_more
    counts.pairs = len(pairs)
    return counts, _new_pairs(pairs, lines, settings.text, settings.rules)


def _new_pairs(pairs: Sequence[tuple[str, str]], lines: Sequence[int], text: TextConfig, rules: Rules) -> NewPairs:
    columns: dict[str, np.ndarray[Any, Any]] = {"lines": np.array(lines, dtype=np.uint32)}
    tokens: dict[SideName, list[str]] = {}
    encoded = []
    for place, (side, config) in enumerate(zip(SIDES, (text.src, text.tgt), strict=True)):
        sentences = [pair[place] for pair in pairs]
        rows = list(map(get_segmenter(config, text.unit, rules[place]).tokens, sentences))
        words = map(str.split, sentences) if text.unit == "character" else rows
        every = list(chain.from_iterable(rows))
        numbers = {token: number for number, token in enumerate(dict.fromkeys(every))}
        octets = [sentence.encode("utf-8") for sentence in sentences]
        columns |= {
            f"{side}.numbers": np.array(list(map(numbers.__getitem__, every)), dtype=np.uint32),
            f"{side}.lengths": np.array(list(map(len, rows)), dtype=np.uint32),
            f"{side}.words": np.array(list(map(_words, sentences, words)), dtype=np.uint32),
            f"{side}.text": np.frombuffer(b"".join([sentence + b"\n" for sentence in octets]), dtype=np.uint8),
            f"{side}.sizes": np.array([len(sentence) + 1 for sentence in octets], dtype=np.uint32),
            f"{side}.keys": text_hashes(map(sentence_key, sentences)),
            f"{side}.hashes": text_hashes(octets),
        }
        tokens[side] = list(numbers)
        encoded.append(octets)
    columns["pair_hashes"] = text_hashes(map(b"\t".join, zip(*encoded, strict=True)))
    return NewPairs(columns=columns, tokens=tokens)


def _words(sentence: str, tokens: Sequence[str]) -> int:
    """The number of words, by which the sides of a pair are compared."""
    # Without a tokenizer for the language, a sentence of a script without spaces is one token.
    unspaced = 0 if sentence.isascii() else len(_UNSPACED.findall(sentence))
    return max(len(tokens), unspaced // _LETTERS_PER_WORD)
