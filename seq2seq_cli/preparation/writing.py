"""The files of a prepared folder that grow with the corpus, written block by block and hashed on the way."""

import hashlib
from array import array
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.corpus.manifest import FileRecord, SideRecord
from seq2seq_cli.corpus.ragged import Ragged, offsets_of
from seq2seq_cli.corpus.splits import SPLITS, TRAIN, VALID
from seq2seq_cli.preparation.scratch import Scratch, SideBlock
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.sides import SideName
from seq2seq_cli.text.vocabulary import UNK


def count_tokens(scratch: Scratch, side: SideName, split_of_pair: NDArray[np.int8]) -> NDArray[np.int64]:
    """How often each distinct token of a side stands in each split: a row a split."""
    counts = np.zeros((len(SPLITS), len(scratch.tokens[side])), dtype=np.int64)
    for pairs, block in scratch.side_blocks(side):
        split_of_token = np.repeat(split_of_pair[pairs], block.lengths)
        for split in range(len(SPLITS)):
            found = np.bincount(block.numbers[split_of_token == split])
            counts[split, : len(found)] += found
    return counts


def train_counts(scratch: Scratch, side: SideName, counts: NDArray[np.int64]) -> Mapping[str, int]:
    """The tokens of the training split, and how often each stands there."""
    return {token: count for token, count in zip(scratch.tokens[side], counts[TRAIN].tolist(), strict=True) if count}


def write_side(
    folder: Path,
    scratch: Scratch,
    side: SideName,
    codec: Codec,
    split_of_pair: NDArray[np.int8],
    counts: NDArray[np.int64],
) -> tuple[SideRecord, dict[str, FileRecord]]:
    """Write ids, offsets and texts of all splits; returns what is to be said of them, and of each file."""
    ids_of_token = _ids_of_tokens(codec, scratch.tokens[side])
    totals = (counts @ ids_of_token.lengths).tolist()
    size = len(codec.vocabulary)
    kind = np.dtype("<u2" if size < 1 << 16 else "<u4")
    pairs_of_split = np.bincount(split_of_pair[split_of_pair >= 0], minlength=len(SPLITS)).tolist()
    with ExitStack() as stack:
        splits = [
            stack.enter_context(_SplitFiles(folder, f"{name}.{side}", kind, ids=total, pairs=pairs))
            for name, total, pairs in zip(SPLITS, totals, pairs_of_split, strict=True)
        ]
        for pairs, block in scratch.side_blocks(side):
            _write_block(splits, block, split_of_pair[pairs], ids_of_token)
    # A token that is unknown is one id.
    unknown = int(counts[VALID] @ (ids_of_token.values[ids_of_token.offsets[:-1]] == UNK))
    rate = unknown / totals[VALID] if totals[VALID] else None
    files = {name: record for split in splits for name, record in split.records.items()}
    return SideRecord(vocabulary=size, tokens=sum(totals), unknown_rate=rate), files


def _ids_of_tokens(codec: Codec, tokens: Mapping[str, int]) -> Ragged:
    """The ids of each distinct token."""
    values, lengths = array("I"), array("I")
    for token in tokens:
        ids = codec.token_ids(token)
        values.extend(ids)
        lengths.append(len(ids))
    return Ragged(values=np.array(values, dtype=np.uint32), offsets=offsets_of(np.array(lengths)))


def _write_block(
    splits: Sequence["_SplitFiles"], block: SideBlock, split_of_pair: NDArray[np.int8], ids_of_token: Ragged
) -> None:
    """Send each pair of a block to the files of its split."""
    for number, split in enumerate(splits):
        chosen = split_of_pair == number
        if not chosen.any():
            continue
        ids = ids_of_token.pick(block.numbers[np.repeat(chosen, block.lengths)])
        # A sentence ends where the last of its tokens ends.
        ends = ids.offsets[offsets_of(block.lengths[chosen])[1:]]
        split.write(ids.values, ends, block.text[np.repeat(chosen, block.sizes)])


class _SplitFiles:
    """One side of one split: its ids, where each sentence begins, and the text."""

    def __init__(self, folder: Path, stem: str, kind: np.dtype[Any], *, ids: int, pairs: int) -> None:
        self._ids = _HashedFile(folder / f"{stem}.npy")
        self._offsets = _HashedFile(folder / f"{stem}.offsets.npy")
        self._text = _HashedFile(folder / f"{stem}.txt")
        self._kind = kind
        self._written = 0
        self._ids.write(_npy_header(kind, ids))
        self._offsets.write(_npy_header(np.dtype("<i8"), pairs + 1) + bytes(8))

    def write(self, ids: NDArray[np.unsignedinteger[Any]], ends: NDArray[np.int64], text: NDArray[np.uint8]) -> None:
        """Add sentences: their ids, where among these each one ends, and their text."""
        self._ids.write(ids.astype(self._kind).tobytes())
        self._offsets.write((ends + self._written).astype("<i8").tobytes())
        self._text.write(text.tobytes())
        self._written += len(ids)

    @property
    def records(self) -> dict[str, FileRecord]:
        """What is to be said of the files, once all is written."""
        return {file.path.name: file.record for file in (self._ids, self._offsets, self._text)}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for file in (self._ids, self._offsets, self._text):
            file.close()


class _HashedFile:
    """A file that is written once, from its start to its end, and knows its hash."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = path.open("wb")
        self._hash = hashlib.sha256()
        self._size = 0

    def write(self, content: bytes) -> None:
        """Add content at the end."""
        self._file.write(content)
        self._hash.update(content)
        self._size += len(content)

    @property
    def record(self) -> FileRecord:
        """Size and hash of what was written so far."""
        return FileRecord(size=self._size, sha256=self._hash.hexdigest())

    def close(self) -> None:
        self._file.close()


def _npy_header(kind: np.dtype[Any], length: int) -> bytes:
    """The start of a ``.npy`` file that holds so many numbers; only then do they come."""
    header = BytesIO()
    description = {"descr": np.lib.format.dtype_to_descr(kind), "fortran_order": False, "shape": (length,)}
    np.lib.format.write_array_header_1_0(header, description)
    return header.getvalue()
