"""A prepared folder: written once, then opened in a moment whatever its size.

manifest.json                      what it was made of and how; written last
codec/{src,tgt}.json               from text to ids and back, fitted on train alone
{train,valid,test}.{src,tgt}.npy   the ids of all sentences, one after the other, without bos and eos
....offsets.npy                    n + 1 numbers: sentence i is ids[offsets[i]:offsets[i + 1]]
{train,valid,test}.{src,tgt}.txt   the normalised plain text, a sentence a line
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.config.schema import Config
from seq2seq_cli.corpus.manifest import Manifest, read_manifest
from seq2seq_cli.corpus.ragged import Ragged
from seq2seq_cli.corpus.splits import SplitName
from seq2seq_cli.errors import ModelFileError, PreparedFolderError
from seq2seq_cli.text.codec import Codec

DEFAULT_FOLDER = Path("data/prepared")
"""Where ``s2s prepare`` writes and ``s2s train`` reads when nothing else is said."""

SideName = Literal["src", "tgt"]
SIDES: tuple[SideName, ...] = ("src", "tgt")


def codec_path(folder: Path, side: SideName) -> Path:
    """Where a side's codec lies in a prepared folder or a run folder."""
    return folder / "codec" / f"{side}.json"


class ParallelIds:
    """The ids of one split: sentence pairs, without bos and eos."""

    def __init__(self, *, src: Ragged, tgt: Ragged) -> None:
        self._src, self._tgt = src, tgt
        self.src_lengths: NDArray[np.int64] = src.lengths
        self.tgt_lengths: NDArray[np.int64] = tgt.lengths

    def src(self, pair: int) -> NDArray[np.unsignedinteger]:
        """The source of a pair, a view of the file."""
        return self._src.row(pair)

    def tgt(self, pair: int) -> NDArray[np.unsignedinteger]:
        """The target of a pair, a view of the file."""
        return self._tgt.row(pair)

    def __len__(self) -> int:
        return len(self.src_lengths)


@dataclass(frozen=True, kw_only=True)
class PreparedCorpus:
    """An opened prepared folder."""

    path: Path
    manifest: Manifest
    src_codec: Codec
    tgt_codec: Codec

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a folder that ``s2s prepare`` made, after a look at its manifest and at the bytes of its files.

        Raises PreparedFolderError when it is missing, unfinished, damaged, or made by a newer s2s.
        """
        manifest = read_manifest(path)
        for name, record in manifest.files.items():
            file = path / name
            if not record.describes(file):
                state = "damaged" if file.exists() else "missing"
                raise PreparedFolderError(f"{file}: {state}: prepare again with --overwrite")
        try:
            src_codec, tgt_codec = (Codec.load(codec_path(path, side)) for side in SIDES)
        except ModelFileError as error:
            raise PreparedFolderError(str(error)) from None
        return cls(path=path, manifest=manifest, src_codec=src_codec, tgt_codec=tgt_codec)

    @property
    def config(self) -> Config:
        """The ``data`` and ``text`` sections that the folder was made with; the others have their defaults."""
        return Config(data=self.manifest.data, text=self.manifest.text)

    @property
    def fingerprint(self) -> str:
        """A hash of all that the folder holds: equal for equal corpora, wherever they lie."""
        files = sorted((name, record.sha256) for name, record in self.manifest.files.items())
        return hashlib.sha256(repr(files).encode("utf-8")).hexdigest()

    def split(self, name: SplitName) -> ParallelIds:
        """The ids of a split, memory-mapped; raises PreparedFolderError when the files do not fit together."""
        src, tgt = (self._read_ids(name, side) for side in SIDES)
        if len(src) != len(tgt) or len(src) != self.manifest.splits[name].pairs:
            raise self._damaged(name)
        return ParallelIds(src=src, tgt=tgt)

    def sentences(self, name: SplitName) -> list[tuple[str, str]]:
        """The pairs of a split as normalised plain text."""
        src, tgt = (read_lines(self.path / f"{name}.{side}.txt") for side in SIDES)
        if len(src) != len(tgt) or len(src) != self.manifest.splits[name].pairs:
            raise self._damaged(name)
        return list(zip(src, tgt, strict=True))

    def _read_ids(self, name: SplitName, side: SideName) -> Ragged:
        try:
            ids = np.load(self.path / f"{name}.{side}.npy", mmap_mode="r", allow_pickle=False)
            offsets = np.load(self.path / f"{name}.{side}.offsets.npy", allow_pickle=False)
        except (OSError, ValueError):
            raise self._damaged(name) from None
        if offsets.ndim != 1 or ids.ndim != 1 or not len(offsets) or offsets[-1] != len(ids):
            raise self._damaged(name)
        return Ragged(values=ids, offsets=offsets)

    def _damaged(self, name: SplitName) -> PreparedFolderError:
        return PreparedFolderError(f"{self.path}: the split '{name}' is damaged: prepare again with --overwrite")


def write_split(folder: Path, name: SplitName, side: SideName, ids: Ragged, sentences: Sequence[str]) -> None:
    """Write one side of a split: its ids and its text."""
    stem = f"{name}.{side}"
    _save(folder / f"{stem}.npy", ids.values)
    _save(folder / f"{stem}.offsets.npy", ids.offsets)
    (folder / f"{stem}.txt").write_bytes("".join(text + "\n" for text in sentences).encode("utf-8"))


def read_lines(path: Path) -> list[str]:
    """The lines of a text file that ``write_split`` wrote."""
    return path.read_bytes().decode("utf-8").split("\n")[:-1]


def _save(path: Path, array: NDArray[Any]) -> None:
    with path.open("wb") as file:
        np.save(file, array, allow_pickle=False)
