"""Pairs, tokens and hashes from a block of lines, without knowledge of the rest of the corpus.

``analyse`` is a pure function, so that any process can run it. Every worker process imports this module and all that
it imports: neither torch nor spaCy, but where a language's tokenizer is a program of spaCy's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, starmap
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.config.schema.text import TextConfig
from seq2seq_cli.corpus.splits import Hashes, sentence_key, text_hashes
from seq2seq_cli.pairs.pair_files import Block
from seq2seq_cli.preparation.dropped import DroppedLine, LineCounts
from seq2seq_cli.text.normalise import normalise
from seq2seq_cli.text.segmenter import Segmenter, get_segmenter
from seq2seq_cli.text.sides import Rules

if TYPE_CHECKING:
    from seq2seq_cli.corpus.manifest import Reason


@dataclass(frozen=True, kw_only=True)
class Side:
    """One side of the pairs of a block: N sentences of T tokens in all."""

    tokens: list[str]
    """The distinct tokens, in the order of their first occurrence."""
    numbers: NDArray[np.uint32]
    """T: for each token of each sentence, its index in ``tokens``."""
    lengths: NDArray[np.uint32]
    """N: tokens per sentence."""
    text: bytes
    """The sentences in UTF-8, each with a newline."""
    sizes: NDArray[np.uint32]
    """N: bytes per sentence, newline included."""
    keys: Hashes
    """N: hashes of the sentence keys (see ``corpus.splits``), by which a corpus is split."""


@dataclass(frozen=True, kw_only=True)
class Analysed:
    """The pairs of a block, normalised, in their order."""

    counts: LineCounts
    lines: NDArray[np.uint32]
    src: Side
    tgt: Side
    pair_hashes: Hashes
    src_hashes: Hashes


def analyse(block: Block, text: TextConfig, rules: Rules, swap: bool) -> Analysed:
    """Cut a block into pairs and their sides into tokens; with ``swap`` the second column is the source.

    Raises InputError when a language needs a tokenizer that is missing.
    """
    pairs = _Pairs(block, swap)
    src_bytes, tgt_bytes = ([sentence.encode("utf-8") for sentence in side] for side in (pairs.src, pairs.tgt))
    return Analysed(
        counts=pairs.counts,
        lines=np.array(pairs.lines, dtype=np.uint32),
        src=_analyse_side(pairs.src, src_bytes, get_segmenter(text.src, text.unit, rules[0])),
        tgt=_analyse_side(pairs.tgt, tgt_bytes, get_segmenter(text.tgt, text.unit, rules[1])),
        pair_hashes=text_hashes(map(b"\t".join, zip(src_bytes, tgt_bytes, strict=True))),
        src_hashes=text_hashes(src_bytes),
    )


class _Pairs:
    """The usable pairs of a block, and the counts of its lines."""

    def __init__(self, block: Block, swap: bool) -> None:
        self.src: list[str] = []
        self.tgt: list[str] = []
        self.lines: list[int] = []
        self.counts = LineCounts()
        self._block = block
        for place, (first, second, has_both, has_more) in enumerate(block.rows()):
            src, tgt = (second, first) if swap else (first, second)
            self.counts.extra_columns += has_more
            self._add(place, src, tgt, has_both=has_both)
        self.counts.pairs = len(self.lines)

    def _add(self, place: int, src: str, tgt: str, *, has_both: bool) -> None:
        self.counts.lines += 1
        line = self._block.lines[place]
        pair = normalise(src), normalise(tgt)
        if all(pair):
            self.src.append(pair[0])
            self.tgt.append(pair[1])
            self.lines.append(line)
            return
        reason: Reason = "empty side" if has_both else "no tab" if any(pair) else "blank line"
        if place in self._block.overlong:
            reason = "too long"
        elif place in self._block.incomplete:
            reason = self._lacking(blank=not any(pair))
        # A file can have a million empty lines: an example is made only if it is kept.
        self.counts.dropped.add(reason, 1, starmap(DroppedLine.of, [(self._block.pair_file, line, src, tgt)]))

    def _lacking(self, *, blank: bool) -> "Reason":
        """The reason to drop a record that lacks a column."""
        table = self._block.pair_file.table
        if table and isinstance(table.columns[0], str):
            return "missing column"
        return "blank line" if blank else "other columns"


def _analyse_side(sentences: Sequence[str], encoded: Sequence[bytes], segmenter: Segmenter) -> Side:
    rows = [segmenter.tokens(sentence) for sentence in sentences]
    tokens = list(chain.from_iterable(rows))
    numbers = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
    return Side(
        tokens=list(numbers),
        numbers=np.fromiter(map(numbers.__getitem__, tokens), dtype=np.uint32, count=len(tokens)),
        lengths=np.fromiter(map(len, rows), dtype=np.uint32, count=len(rows)),
        text=b"".join([sentence + b"\n" for sentence in encoded]),
        sizes=np.fromiter((len(sentence) + 1 for sentence in encoded), dtype=np.uint32, count=len(encoded)),
        keys=text_hashes(map(sentence_key, sentences)),
    )
