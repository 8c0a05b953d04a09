"""What is made of a block of lines, by a process that knows nothing else of the corpus: pairs, tokens, hashes.

``analyse`` is a pure function of what it is given, so that it does not matter where it runs. What is imported here is
imported by every worker process: no torch, and spaCy without torch.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.config.schema import TextConfig
from seq2seq_cli.corpus.hashing import Hashes, text_hashes
from seq2seq_cli.corpus.splits import sentence_key
from seq2seq_cli.pairs.sources import Block
from seq2seq_cli.preparation.dropped import Dropped, Example
from seq2seq_cli.text.normalise import normalise
from seq2seq_cli.text.segmenter import Segmenter, get_segmenter

if TYPE_CHECKING:
    from seq2seq_cli.corpus.manifest import Reason


@dataclass(frozen=True, kw_only=True)
class Side:
    """One side of the pairs of a block: N sentences of T tokens in all, of D kinds."""

    tokens: list[str]
    """The D distinct ones, in the order in which they come."""
    numbers: NDArray[np.uint32]
    """T of them: each token of each sentence by its place in ``tokens``."""
    lengths: NDArray[np.uint32]
    """N: tokens of each sentence."""
    text: bytes
    """The sentences in UTF-8, each with a newline."""
    sizes: NDArray[np.uint32]
    """N: bytes of each sentence, newline included."""
    keys: Hashes
    """N: what the sentences are known by when a corpus is split."""


@dataclass(frozen=True, kw_only=True)
class Analysed:
    """The pairs of a block, normalised, in their order."""

    lines_read: int
    extra_columns: int
    """Lines with more than two columns."""
    dropped: Dropped
    lines: NDArray[np.uint32]
    """The line of each pair."""
    src: Side
    tgt: Side
    pair_hashes: Hashes
    src_hashes: Hashes


def analyse(block: Block, text: TextConfig, swap: bool) -> Analysed:
    """Cut a block into pairs and their sides into tokens; with ``swap`` the second column is the source.

    Raises InputError when a language has no tokenizer.
    """
    pairs = _Pairs(block)
    src, tgt = (pairs.second, pairs.first) if swap else (pairs.first, pairs.second)
    src_bytes, tgt_bytes = ([sentence.encode("utf-8") for sentence in side] for side in (src, tgt))
    if swap:
        pairs.swap_examples()
    return Analysed(
        lines_read=pairs.lines_read,
        extra_columns=pairs.extra_columns,
        dropped=pairs.dropped,
        lines=np.array(pairs.lines, dtype=np.uint32),
        src=_analyse_side(src, src_bytes, get_segmenter(text.src, text.unit)),
        tgt=_analyse_side(tgt, tgt_bytes, get_segmenter(text.tgt, text.unit)),
        pair_hashes=text_hashes(map(b"\t".join, zip(src_bytes, tgt_bytes, strict=True))),
        src_hashes=text_hashes(src_bytes),
    )


class _Pairs:
    """The usable pairs of a block, and a count of the other lines."""

    def __init__(self, block: Block) -> None:
        self.first: list[str] = []
        self.second: list[str] = []
        self.lines: list[int] = []
        self.lines_read = 0
        self.extra_columns = 0
        self.dropped = Dropped()
        self._source = block.source.short_name
        self._overlong = frozenset(block.overlong)
        for line, (first, second, tab) in zip(count(block.first_line), self._rows(block), strict=False):
            self._add(line, first, second, tab)

    def swap_examples(self) -> None:
        """Show what was dropped as source and target, too."""
        for tally in self.dropped.values():
            tally.examples = [example._replace(src=example.tgt, tgt=example.src) for example in tally.examples]

    def _rows(self, block: Block) -> Iterator[tuple[str, str, str]]:
        """The columns of each line, and what is between them: a tab, or nothing."""
        if block.tgt is not None:
            for first, second in zip(block.src.split("\n"), block.tgt.split("\n"), strict=True):
                yield first, second, "\t" if first.strip() or second.strip() else ""
            return
        for line in block.src.split("\n"):
            first, tab, rest = line.partition("\t")
            second, more, _ = rest.partition("\t")
            self.extra_columns += more != ""
            yield first, second, tab

    def _add(self, line: int, first: str, second: str, tab: str) -> None:
        self.lines_read += 1
        pair = normalise(first), normalise(second)
        if all(pair):
            self.first.append(pair[0])
            self.second.append(pair[1])
            self.lines.append(line)
            return
        reason: Reason = "empty side" if tab else "no tab" if any(pair) else "blank line"
        if line in self._overlong:
            reason = "too long"
        # A file can have a million empty lines.
        has_room = self.dropped.has_room(reason)
        self.dropped.add(reason, 1, [Example.of(self._source, line, first, second)] if has_room else [])


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
