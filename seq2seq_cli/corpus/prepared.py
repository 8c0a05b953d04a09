"""A prepared folder, memory-mapped: it opens in a moment whatever its size.

manifest.json                      pair files, options and outcome of the preparation; written last
codec/{src,tgt}.json               from text to ids and back, fitted on train alone
{train,valid,test}.{src,tgt}.npy   the ids of all sentences end to end, without bos and eos
....offsets.npy                    n + 1 numbers: sentence i is ids[offsets[i]:offsets[i + 1]]
{train,valid,test}.{src,tgt}.txt   the normalised plain text, one sentence per line
dropped.tsv                        examples of the lines that were left out
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from seq2seq_cli.config.schema import Config
from seq2seq_cli.corpus.manifest import DROPPED_FILE, Manifest, read_manifest
from seq2seq_cli.corpus.ragged import Ragged
from seq2seq_cli.corpus.splits import SplitName
from seq2seq_cli.errors import ModelFileError, PreparedFolderError
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.sides import SIDES, Codecs, SideName, codec_path, load_codecs

DEFAULT_FOLDER = Path("data/prepared")
"""The default folder of ``s2s prepare`` and ``s2s train``."""


@dataclass(frozen=True, kw_only=True)
class ParallelIds:
    """The ids of sentence pairs, without bos and eos: row i of both sides is pair i."""

    src: Ragged
    tgt: Ragged

    def pick(self, pairs: NDArray[np.integer[Any]]) -> tuple[Ragged, Ragged]:
        """A copy of the sources and targets of some pairs, in the order given."""
        return self.src.pick(pairs), self.tgt.pick(pairs)

    def __len__(self) -> int:
        return len(self.src)


@dataclass(frozen=True, kw_only=True)
class SplitIds(ParallelIds):
    """The ids of a split on the disk, checked when they are picked."""

    sizes: tuple[int, int]
    """The sizes of both vocabularies."""
    damaged: PreparedFolderError
    """The error to raise for ids beyond them."""

    @override
    def pick(self, pairs: NDArray[np.integer[Any]]) -> tuple[Ragged, Ragged]:
        try:
            picked = super().pick(pairs)
        except IndexError:
            raise self.damaged from None
        if any(side.values.max(initial=0) >= size for side, size in zip(picked, self.sizes, strict=True)):
            raise self.damaged
        return picked


@dataclass(frozen=True, kw_only=True)
class PreparedCorpus:
    """An opened prepared folder."""

    path: Path
    manifest: Manifest
    src_codec: Codec
    tgt_codec: Codec

    @property
    def codecs(self) -> Codecs:
        """The codec of the source and that of the target."""
        return self.src_codec, self.tgt_codec

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a folder that ``s2s prepare`` made.

        The manifest and the codecs are read; of the other files the sizes alone are checked (see ``verify``).

        Raises PreparedFolderError when it is missing, unfinished, damaged, or made by a newer s2s.
        """
        manifest = read_manifest(path)
        codecs = {codec_path(Path(), side).as_posix() for side in SIDES}
        for name, record in manifest.files.items():
            if not (record.describes if name in codecs else record.fits)(path / name):
                raise _damaged_file(path / name)
        try:
            src_codec, tgt_codec = load_codecs(path)
        except ModelFileError as error:
            raise PreparedFolderError(str(error)) from None
        return cls(path=path, manifest=manifest, src_codec=src_codec, tgt_codec=tgt_codec)

    def verify(self) -> None:
        """Read every file of the folder; raises PreparedFolderError when one has changed since it was written."""
        for name, record in self.manifest.files.items():
            if not record.describes(self.path / name):
                raise _damaged_file(self.path / name)

    @property
    def config(self) -> Config:
        """The ``data`` and ``text`` sections of the preparation; other sections have their defaults."""
        return Config(data=self.manifest.data, text=self.manifest.text)

    @property
    def fingerprint(self) -> str:
        """A hash of ids, texts and codecs: equal for equal corpora, whatever their folders."""
        files = sorted((name, record.sha256) for name, record in self.manifest.files.items() if name != DROPPED_FILE)
        return hashlib.sha256(repr(files).encode("utf-8")).hexdigest()

    def split(self, name: SplitName) -> ParallelIds:
        """The ids of a split, memory-mapped; raises PreparedFolderError when its files contradict each other."""
        src, tgt = (self._read_ids(name, side) for side in SIDES)
        if len(src) != len(tgt) or len(src) != self.manifest.splits[name].pairs:
            raise self._damaged(name)
        sizes = len(self.src_codec.vocabulary), len(self.tgt_codec.vocabulary)
        return SplitIds(src=src, tgt=tgt, sizes=sizes, damaged=self._damaged(name))

    def sentences(self, name: SplitName) -> list[tuple[str, str]]:
        """The pairs of a split as normalised plain text."""
        src, tgt = (read_lines(self.path / f"{name}.{side}.txt") for side in SIDES)
        if len(src) != len(tgt) or len(src) != self.manifest.splits[name].pairs:
            raise self._damaged(name)
        return list(zip(src, tgt, strict=True))

    def references(self, name: SplitName) -> list[tuple[str, list[str]]]:
        """The distinct sources of a split, in order, each with all its targets."""
        targets: dict[str, list[str]] = {}
        for source, target in self.sentences(name):
            targets.setdefault(source, []).append(target)
        return list(targets.items())

    def _read_ids(self, name: SplitName, side: SideName) -> Ragged:
        try:
            ids = np.load(self.path / f"{name}.{side}.npy", mmap_mode="r", allow_pickle=False)
            offsets = np.load(self.path / f"{name}.{side}.offsets.npy", mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError):
            raise self._damaged(name) from None
        if offsets.ndim != 1 or ids.ndim != 1 or not len(offsets) or offsets[-1] != len(ids):
            raise self._damaged(name)
        return Ragged(values=ids, offsets=offsets)

    def _damaged(self, name: SplitName) -> PreparedFolderError:
        return PreparedFolderError(f"{self.path}: the split '{name}' is damaged: prepare again with --overwrite")


def read_lines(path: Path) -> list[str]:
    """The lines of a text file that ``s2s prepare`` wrote."""
    return path.read_bytes().decode("utf-8").split("\n")[:-1]


def _damaged_file(file: Path) -> PreparedFolderError:
    state = "damaged" if file.exists() else "missing"
    return PreparedFolderError(f"{file}: {state}: prepare again with --overwrite")
