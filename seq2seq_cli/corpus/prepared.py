"""A prepared folder, checked and held: what replaces it or removes it later does not change what is read.

manifest.json                      pair files, options and outcome of the preparation; written last
codec/{src,tgt}.json               from text to ids and back, fitted on train alone
{train,valid,test}.{src,tgt}.npy   the ids of all sentences end to end, without bos and eos
....offsets.npy                    n + 1 numbers: sentence i is ids[offsets[i]:offsets[i + 1]]
{train,valid,test}.{src,tgt}.txt   the normalised plain text, one sentence per line
{related,dictionary,...}....       the same for what else helps to train, see ``corpus.splits``
dropped.tsv                        examples of the lines that were left out
"""

import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.compute.ragged import Ragged
from seq2seq_cli.corpus.manifest import DROPPED_FILE, ENDINGS, FileRecord, Manifest, corpus_files, read_manifest
from seq2seq_cli.corpus.splits import HELD_OUT, PartName, SplitName
from seq2seq_cli.errors import ModelFileError, PreparedFolderError
from seq2seq_cli.files.reading import open_regular
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.sides import CODEC_FILES, SIDES, Codecs, SideName, load_codecs


@dataclass(frozen=True, kw_only=True)
class ParallelIds:
    """The ids of sentence pairs, without bos and eos: row i of both sides is pair i."""

    src: Ragged
    tgt: Ragged

    def side(self, side: SideName) -> Ragged:
        """The ids of one side."""
        return self.src if side == "src" else self.tgt

    @property
    def tokens(self) -> NDArray[np.int64]:
        """The tokens of each pair, both sides together."""
        return self.src.lengths + self.tgt.lengths

    def pick(self, pairs: NDArray[np.integer[Any]]) -> "ParallelIds":
        """A copy of some pairs, in the order given."""
        return ParallelIds(src=self.src.pick(pairs), tgt=self.tgt.pick(pairs))

    @classmethod
    def joined(cls, parts: Sequence["ParallelIds"]) -> "ParallelIds":
        """The pairs of several, one after the other."""
        return cls(src=Ragged.joined([part.src for part in parts]), tgt=Ragged.joined([part.tgt for part in parts]))

    def __len__(self) -> int:
        return len(self.src)


@dataclass(frozen=True, kw_only=True)
class PreparedCorpus:
    """An opened prepared folder: its ids and held-out texts are in memory."""

    path: Path
    manifest: Manifest
    codecs: Codecs
    """The codecs of source and target."""
    left_out: Mapping[SplitName, tuple[int, ...]] = field(default_factory=dict)
    """The numbers of the pairs of the folder that are left out of a split."""
    corrections: Mapping[str, str] = field(default_factory=dict)
    """Sources with their right translations, by a user of the run to go on from, which are trained on as well."""
    _ids: dict[PartName, ParallelIds] = field(default_factory=dict, repr=False, compare=False)
    _held_out: dict[SplitName, list[tuple[str, str]]] = field(default_factory=dict, repr=False, compare=False)
    """The texts of the held-out splits, those left out included."""

    def codec(self, side: SideName) -> Codec:
        """The codec of one side."""
        return self.codecs[SIDES.index(side)]

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open a folder that ``s2s prepare`` made, and check all that a training reads.

        From then on it is what it was, whatever becomes of the folder, but for the texts of ``train``: they are read
        from the folder, and checked, each time. Raises PreparedFolderError when it is missing, unfinished, damaged, or
        made by a newer s2s.
        """
        manifest = read_manifest(path)
        for name in corpus_files(manifest.splits):
            if name not in manifest.files or not manifest.files[name].fits(path / name):
                raise _damaged(path / name)
        for file in CODEC_FILES:
            _content(path, file, manifest)
        try:
            codecs = load_codecs(path)
        except ModelFileError as error:
            raise PreparedFolderError(str(error)) from None
        corpus = cls(path=path, manifest=manifest, codecs=codecs)
        for part, record in manifest.splits.items():
            ids = ParallelIds(src=corpus._read_ids(part, "src"), tgt=corpus._read_ids(part, "tgt"))
            if not len(ids.src) == len(ids.tgt) == record.pairs:
                raise _damaged(path / f"{part}.src.npy")
            corpus._ids[part] = ids
        for split in HELD_OUT:
            corpus._held_out[split] = corpus.sentences(split)
        return corpus

    def leaving_out(self, pairs: Mapping[SplitName, tuple[int, ...]]) -> Self:
        """The same corpus without the pairs of these numbers."""
        ids = dict(self._ids)
        for split, numbers in pairs.items():
            ids[split] = ids[split].pick(np.delete(np.arange(len(ids[split])), numbers))
        return replace(self, left_out=pairs, _ids=ids)

    def verify(self) -> None:
        """Read every file of the folder; raises PreparedFolderError when one has changed since it was written."""
        for name, record in self.manifest.files.items():
            if not record.fits(self.path / name) or FileRecord.of(self.path / name) != record:
                raise _damaged(self.path / name)

    @property
    def fingerprint(self) -> str:
        """A hash of ids, texts and codecs: equal for equal corpora, whatever their folders."""
        files = sorted((name, record.sha256) for name, record in self.manifest.files.items() if name != DROPPED_FILE)
        return hashlib.sha256(repr(files).encode("utf-8")).hexdigest()

    def split(self, name: PartName) -> ParallelIds:
        """The ids of a split, or of another part that the folder has."""
        return self._ids[name]

    def sentences(self, name: SplitName) -> list[tuple[str, str]]:
        """The pairs of a split as normalised plain text; raises PreparedFolderError as `texts`."""
        pairs = self._held_out.get(name, zip(*(self.texts(name, side) for side in SIDES), strict=True))
        left_out = frozenset(self.left_out.get(name, ()))
        return [pair for number, pair in enumerate(pairs) if number not in left_out]

    def texts(self, name: PartName, side: SideName) -> Iterator[str]:
        """The texts of a side of a split or another part, those left out included, read line by line from the folder.

        Raises PreparedFolderError, at their end at the latest, when they are not those that were written.
        """
        file = f"{name}.{side}.txt"
        digest, left = hashlib.sha256(), self.manifest.splits[name].pairs
        try:
            with open_regular(self.path / file) as lines:
                for line in islice(lines, left):
                    digest.update(line)
                    left -= 1
                    yield line.removesuffix(b"\n").decode("utf-8")
        except (OSError, UnicodeDecodeError):
            raise _damaged(self.path / file) from None
        if left or digest.hexdigest() != self.manifest.files[file].sha256:
            raise _damaged(self.path / file)

    def trained_texts(self, side: SideName, least_covered: float = 0.0) -> Iterator[str]:
        """The texts of a side, as of `texts`, that are trained on, or by default may be: see `Manifest.trained`."""
        corrected = self.corrections.keys() if side == "src" else self.corrections.values()
        return chain(corrected, *(self.texts(part, side) for part in self.manifest.trained(least_covered)))

    def _read_ids(self, name: PartName, side: SideName) -> Ragged:
        """The ids of a side of a split; raises PreparedFolderError when its files contradict each other."""
        files = [f"{name}.{side}{ending}" for ending in ENDINGS[:2]]
        contents = [_content(self.path, file, self.manifest) for file in files]
        try:
            ids, bounds = (np.load(io.BytesIO(content), allow_pickle=False) for content in contents)
            return Ragged.checked(ids, bounds, len(self.codec(side).vocabulary))
        except MemoryError:
            raise
        except Exception:  # a damaged header of an array can lead to any error
            raise _damaged(self.path / files[0]) from None


def _content(folder: Path, name: str, manifest: Manifest) -> bytes:
    """The content of a file, which is the recorded one."""
    try:
        with open_regular(folder / name) as file:
            content = file.read()
    except OSError:
        raise _damaged(folder / name) from None
    if hashlib.sha256(content).hexdigest() != manifest.files[name].sha256:
        raise _damaged(folder / name)
    return content


def _damaged(path: Path) -> PreparedFolderError:
    state = "damaged" if path.exists() else "missing"
    return PreparedFolderError(f"{path}: {state}: prepare again with --overwrite")
