"""The pairs of a corpus on the disk while it is prepared, so that memory does not grow with the corpus.

A column is a file of numbers, one for each pair or for each token. A few columns are read whole, one at a time; those
of texts and tokens are read in the blocks in which they were written.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.compute.ragged import Ragged, offsets_of
from seq2seq_cli.pairs.pair_files import PairFile
from seq2seq_cli.text.sides import SIDES, SideName

_SIDE_COLUMNS: dict[str, type[np.unsignedinteger[Any]]] = {
    **dict.fromkeys(("numbers", "lengths", "words", "sizes"), np.uint32),
    **dict.fromkeys(("keys", "hashes"), np.uint64),
    "text": np.uint8,
}
"""Of each sentence its tokens, their count (lengths), its words, its text in UTF-8 with a newline, the bytes of that
(sizes), and two hashes: of its key (see ``corpus.splits``), by which a corpus is split, and of itself."""
_TYPES: dict[str, type[np.unsignedinteger[Any]]] = {
    "lines": np.uint32,
    "pair_hashes": np.uint64,
    **{f"{side}.{name}": kind for side in SIDES for name, kind in _SIDE_COLUMNS.items()},
}


@dataclass(frozen=True, kw_only=True)
class NewPairs:
    """The pairs of a block, to be stored."""

    columns: Mapping[str, NDArray[np.unsignedinteger[Any]]]
    """All that a store has; the ``numbers`` of a side are indices in its `tokens`."""
    tokens: Mapping[SideName, Sequence[str]]
    """The distinct tokens of each side, in the order of their first occurrence."""


@dataclass(kw_only=True)
class PairStore:
    """The pairs of a corpus, in order, with the distinct tokens of both sides in memory."""

    folder: Path
    tokens: dict[SideName, dict[str, int]] = field(default_factory=lambda: {"src": {}, "tgt": {}})
    """The number of each distinct token of a side, in the order of first occurrence."""
    blocks: list[tuple[PairFile, int]] = field(default_factory=list)
    """The file of each block, and the number of its pairs."""

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Make the folder, and let blocks be added inside of the ``with`` block."""
        self.folder.mkdir()
        with ExitStack() as stack:
            self._out = {name: stack.enter_context((self.folder / name).open("wb")) for name in _TYPES}
            yield

    def add(self, file: PairFile, block: NewPairs) -> None:
        """Append a block of a pair file."""
        columns = dict(block.columns)
        for side in SIDES:
            known = self.tokens[side]
            own = [known.setdefault(token, len(known)) for token in block.tokens[side]]
            columns[f"{side}.numbers"] = np.array(own, dtype=np.uint32)[columns[f"{side}.numbers"]]
        for name, kind in _TYPES.items():
            # Not tofile: its error does not say that the disk is full.
            self._out[name].write(columns[name].astype(kind, copy=False).tobytes())
        self.blocks.append((file, len(columns["lines"])))

    def column(self, name: str) -> NDArray[Any]:
        """A column of one number per pair."""
        return np.fromfile(self.folder / name, dtype=_TYPES[name])

    def side_blocks(self, side: SideName) -> Iterator[tuple[slice, Ragged, Ragged]]:
        """One side block by block: the range of its pairs, the numbers of their tokens, the bytes of their texts."""
        start = 0
        with ExitStack() as stack:
            files = {name: stack.enter_context((self.folder / f"{side}.{name}").open("rb")) for name in _SIDE_COLUMNS}

            def read(name: str, count: int) -> NDArray[Any]:
                return np.fromfile(files[name], dtype=_SIDE_COLUMNS[name], count=count)

            for _, pairs in self.blocks:
                tokens, texts = (offsets_of(read(name, pairs)) for name in ("lengths", "sizes"))
                yield (
                    slice(start, start + pairs),
                    Ragged(values=read("numbers", int(tokens[-1])), offsets=tokens),
                    Ragged(values=read("text", int(texts[-1])), offsets=texts),
                )
                start += pairs

    def texts(self, side: SideName, pairs: Sequence[int]) -> list[str]:
        """The sentences of some pairs, in the order given."""
        offsets = offsets_of(self.column(f"{side}.sizes"))
        text = np.memmap(self.folder / f"{side}.text", mode="r")
        return [text[offsets[pair] : offsets[pair + 1] - 1].tobytes().decode("utf-8") for pair in pairs]
