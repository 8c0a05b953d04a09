"""What is known of the pairs while a corpus is made, on the disk: memory does not grow with the corpus.

A column is a file of numbers, one for each pair or for each token. A few of them are read whole, one after the other;
those that hold texts and tokens are read in the blocks in which they were written.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.preparation.analysis import Analysed, Side
from seq2seq_cli.text.sides import SIDES, SideName

_SIDE_COLUMNS: dict[str, type[np.unsignedinteger[Any]]] = {
    "numbers": np.uint32,
    "lengths": np.uint32,
    "text": np.uint8,
    "sizes": np.uint32,
    "keys": np.uint64,
}
_TYPES: dict[str, type[np.unsignedinteger[Any]]] = {
    "lines": np.uint32,
    "pair_hashes": np.uint64,
    "src_hashes": np.uint64,
    **{f"{side}.{name}": kind for side in SIDES for name, kind in _SIDE_COLUMNS.items()},
}


@dataclass(frozen=True, kw_only=True)
class SideBlock:
    """One side of the pairs that were written together: their tokens and their texts."""

    numbers: NDArray[np.uint32]
    """Of tokens, sentence after sentence."""
    lengths: NDArray[np.uint32]
    """Tokens of each sentence."""
    text: NDArray[np.uint8]
    """UTF-8, each sentence with a newline."""
    sizes: NDArray[np.uint32]
    """Bytes of each sentence."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """Pairs one after the other that come from one source."""

    source: str
    pairs: int


@dataclass(kw_only=True)
class Scratch:
    """The pairs of a corpus, in order, with the distinct tokens of both sides in memory."""

    folder: Path
    tokens: dict[SideName, dict[str, int]] = field(default_factory=lambda: {"src": {}, "tgt": {}})
    """The distinct tokens of a side and their numbers, in the order in which they came."""
    runs: list[Run] = field(default_factory=list)
    _blocks: list[tuple[int, dict[SideName, tuple[int, int]]]] = field(default_factory=list)
    """Pairs of each block, and for each side its tokens and bytes."""
    _files: ExitStack = field(init=False)

    def __post_init__(self) -> None:
        self.folder.mkdir()
        with ExitStack() as opened:  # closes the first ones where the last cannot be opened
            self._out = {name: opened.enter_context(self._path(name).open("wb")) for name in _TYPES}
            self._files = opened.pop_all()

    @property
    def pairs(self) -> int:
        """How many there are."""
        return sum(run.pairs for run in self.runs)

    def add(self, source: str, analysed: Analysed) -> None:
        """Write a block behind those written so far."""
        pairs = len(analysed.lines)
        self._write("lines", analysed.lines)
        self._write("pair_hashes", analysed.pair_hashes)
        self._write("src_hashes", analysed.src_hashes)
        sides: dict[SideName, Side] = {"src": analysed.src, "tgt": analysed.tgt}
        for name, side in sides.items():
            self._add_side(name, side)
        self._blocks.append((pairs, {name: (len(side.numbers), len(side.text)) for name, side in sides.items()}))
        if self.runs and self.runs[-1].source == source:
            pairs += self.runs.pop().pairs
        self.runs.append(Run(source=source, pairs=pairs))

    def close(self) -> None:
        """Finish writing; may be called twice."""
        self._files.close()

    def column(self, name: str) -> NDArray[Any]:
        """One number for each pair."""
        return np.fromfile(self._path(name), dtype=_TYPES[name])

    def side_blocks(self, side: SideName) -> Iterator[tuple[slice, SideBlock]]:
        """One side block by block, with the pairs that each of them holds."""
        start = 0
        with ExitStack() as stack:
            files = {name: stack.enter_context(self._path(f"{side}.{name}").open("rb")) for name in _SIDE_COLUMNS}

            def read(name: str, count: int) -> NDArray[Any]:
                return np.fromfile(files[name], dtype=_SIDE_COLUMNS[name], count=count)

            for pairs, sizes in self._blocks:
                tokens, characters = sizes[side]
                yield (
                    slice(start, start + pairs),
                    SideBlock(
                        numbers=read("numbers", tokens),
                        lengths=read("lengths", pairs),
                        text=read("text", characters),
                        sizes=read("sizes", pairs),
                    ),
                )
                start += pairs

    def texts(self, side: SideName, pairs: Sequence[int]) -> list[str]:
        """The sentences of some pairs, in the order given."""
        ends = np.cumsum(self.column(f"{side}.sizes"), dtype=np.int64)
        texts = []
        with self._path(f"{side}.text").open("rb") as file:
            for pair in pairs:
                start = int(ends[pair - 1]) if pair else 0
                file.seek(start)
                texts.append(file.read(int(ends[pair]) - start - 1).decode("utf-8"))
        return texts

    def sources(self, pairs: Sequence[int]) -> list[str]:
        """The source of some pairs."""
        ends = np.cumsum([run.pairs for run in self.runs])
        return [self.runs[run].source for run in np.searchsorted(ends, pairs, side="right").tolist()]

    def _add_side(self, name: SideName, side: Side) -> None:
        numbers = self.tokens[name]
        own = np.fromiter(
            (numbers.setdefault(token, len(numbers)) for token in side.tokens), dtype=np.uint32, count=len(side.tokens)
        )
        self._write(f"{name}.numbers", own[side.numbers])
        self._write(f"{name}.lengths", side.lengths)
        self._write(f"{name}.text", np.frombuffer(side.text, dtype=np.uint8))
        self._write(f"{name}.sizes", side.sizes)
        self._write(f"{name}.keys", side.keys)

    def _write(self, name: str, numbers: NDArray[Any]) -> None:
        # Not tofile, which tells a full disk without saying so.
        self._out[name].write(numbers.astype(_TYPES[name], copy=False).tobytes())

    def _path(self, name: str) -> Path:
        return self.folder / name
