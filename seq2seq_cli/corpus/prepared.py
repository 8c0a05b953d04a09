"""A prepared folder, checked and held: what replaces it or removes it later does not change what is read.

manifest.json                      pair files, options and outcome of the preparation; written last
codec/{src,tgt}.json               from text to ids and back, fitted on train alone
{train,valid,test}.{src,tgt}.npy   the ids of all sentences end to end, without bos and eos
....offsets.npy                    n + 1 numbers: sentence i is ids[offsets[i]:offsets[i + 1]]
{train,valid,test}.{src,tgt}.txt   the normalised plain text, one sentence per line
dropped.tsv                        examples of the lines that were left out
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.held_file import HeldFile, changed_error, numbers_of
from seq2seq_cli.corpus.manifest import CORPUS_FILES, DROPPED_FILE, ENDINGS, FileRecord, Manifest, read_manifest
from seq2seq_cli.corpus.splits import HELD_OUT, SPLITS, SplitName
from seq2seq_cli.errors import ModelFileError, PreparedFolderError
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.sides import SIDES, Codecs, SideName, codec_path, load_codecs


@dataclass(frozen=True, kw_only=True)
class ParallelIds:
    """The ids of sentence pairs, without bos and eos: row i of both sides is pair i."""

    src: Ragged
    tgt: Ragged

    def side(self, side: SideName) -> Ragged:
        """The ids of one side."""
        return self.src if side == "src" else self.tgt

    def pick(self, pairs: NDArray[np.integer[Any]]) -> tuple[Ragged, Ragged]:
        """A copy of the sources and targets of some pairs, in the order given."""
        return self.src.pick(pairs), self.tgt.pick(pairs)

    def __len__(self) -> int:
        return len(self.src)


@dataclass(frozen=True, kw_only=True)
class PreparedCorpus:
    """An opened prepared folder."""

    path: Path
    manifest: Manifest
    src_codec: Codec
    tgt_codec: Codec
    files: Mapping[str, HeldFile] = field(repr=False, compare=False)
    """The open files, by their names in the folder."""
    left_out: Mapping[SplitName, tuple[int, ...]] = field(default_factory=dict)
    """The numbers of the pairs of the folder that are left out of a split."""
    _splits: dict[SplitName, ParallelIds] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def codecs(self) -> Codecs:
        """The codecs of source and target."""
        return self.src_codec, self.tgt_codec

    def codec(self, side: SideName) -> Codec:
        """The codec of one side."""
        return self.src_codec if side == "src" else self.tgt_codec

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a folder that ``s2s prepare`` made, and check all that a training reads.

        From then on it is what it was, whatever becomes of the folder. The texts of ``train`` are checked when they
        are read.

        Raises PreparedFolderError when it is missing, unfinished, damaged, or made by a newer s2s.
        """
        manifest = read_manifest(path)
        files = {name: _hold(path / name, manifest.files.get(name)) for name in CORPUS_FILES}
        codec_files = [codec_path(Path(), side).as_posix() for side in SIDES]
        for name in codec_files:
            if files[name].sha256() != manifest.files[name].sha256:
                raise _damaged_file(files[name])
        try:
            src_codec, tgt_codec = load_codecs(path)
        except ModelFileError as error:
            raise PreparedFolderError(str(error)) from None
        corpus = cls(path=path, manifest=manifest, src_codec=src_codec, tgt_codec=tgt_codec, files=files)
        for split in SPLITS:
            corpus.split(split)
        for split in HELD_OUT:
            corpus.sentences(split)
        # The codecs were read by their paths: of the same folder, unless it was replaced in the meantime.
        if not all(files[name].is_in_place() for name in codec_files):
            raise PreparedFolderError(f"{path}: changed while it was opened: try again")
        return corpus

    def leaving_out(self, pairs: Mapping[SplitName, tuple[int, ...]]) -> Self:
        """The same corpus without the pairs of these numbers."""
        return replace(self, left_out=pairs)

    def changed_files(self) -> list[Path]:
        """The files that were changed, replaced or removed since the folder was opened."""
        return [file.path for file in self.files.values() if not file.is_in_place()]

    def verify(self) -> None:
        """Read every file of the folder; raises PreparedFolderError when one has changed since it was written."""
        for name, record in self.manifest.files.items():
            if not record.describes(self.path / name):
                raise _damaged_path(self.path / name)

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
        """The ids of a split; raises PreparedFolderError when its files contradict each other."""
        if name not in self._splits:
            src, tgt = (self._read_ids(name, side) for side in SIDES)
            if len(src) != len(tgt) or len(src) != self.manifest.splits[name].pairs:
                raise self.damaged(name)
            ids = ParallelIds(src=src, tgt=tgt)
            if numbers := self.left_out.get(name):
                src, tgt = ids.pick(np.delete(np.arange(len(ids)), numbers))
                ids = ParallelIds(src=src, tgt=tgt)
            self._splits[name] = ids
        return self._splits[name]

    def sentences(self, name: SplitName) -> list[tuple[str, str]]:
        """The pairs of a split as normalised plain text; raises PreparedFolderError when it was changed or forged."""
        pairs = zip(*(list(self.texts(name, side)) for side in SIDES), strict=True)
        left_out = frozenset(self.left_out.get(name, ()))
        return [pair for number, pair in enumerate(pairs) if number not in left_out]

    def texts(self, name: SplitName, side: SideName) -> Iterator[str]:
        """The texts of a side of a split, those left out included, read a part at a time.

        Raises PreparedFolderError when they were changed or forged.
        """
        file = self._checked(f"{name}.{side}.txt")
        left = self.manifest.splits[name].pairs
        try:
            for line in file.lines():
                if not left:
                    raise self.damaged(name)
                yield line.decode("utf-8")
                left -= 1
        except UnicodeDecodeError:
            raise self.damaged(name) from None
        if file.was_written_to():
            raise changed_error(file)
        if left:
            raise self.damaged(name)

    def _read_ids(self, name: SplitName, side: SideName) -> Ragged:
        files = [self._checked(f"{name}.{side}{ending}") for ending in ENDINGS[:2]]
        try:
            ids, bounds = map(numbers_of, files)
        except ValueError:
            raise self.damaged(name) from None
        for file in files:
            if file.was_written_to():  # between the check of its content and the reading
                raise _damaged_file(file)
        size = len(self.codec(side).vocabulary)
        if bounds.dtype != np.int64 or ids.dtype.kind != "u" or not len(bounds) or ids.max(initial=0) >= size:
            raise self.damaged(name)
        if bounds[0] != 0 or bounds[-1] != len(ids) or np.any(bounds[1:] < bounds[:-1]):
            raise self.damaged(name)
        return Ragged(values=ids, offsets=bounds)

    def _checked(self, name: str) -> HeldFile:
        """A file that has the recorded content."""
        file = self.files[name]
        if file.sha256() != self.manifest.files[name].sha256:
            raise _damaged_file(file)
        return file

    def damaged(self, name: SplitName) -> PreparedFolderError:
        """The error to raise for a split whose files contradict each other, or are not what s2s writes."""
        return PreparedFolderError(f"{self.path}: the split '{name}' is damaged: prepare again with --overwrite")


def _hold(path: Path, record: FileRecord | None) -> HeldFile:
    try:
        file = HeldFile(path)
    except OSError:
        raise _damaged_path(path) from None
    if record is None or file.size != record.size:
        raise _damaged_path(path)
    return file


def _damaged_file(file: HeldFile) -> PreparedFolderError:
    if file.was_written_to():
        return changed_error(file)
    return PreparedFolderError(f"{file.path}: damaged: prepare again with --overwrite")


def _damaged_path(path: Path) -> PreparedFolderError:
    state = "damaged" if path.exists() else "missing"
    return PreparedFolderError(f"{path}: {state}: prepare again with --overwrite")
