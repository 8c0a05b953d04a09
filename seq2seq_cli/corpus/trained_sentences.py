"""The sentences that a model was trained on, as hashes: none of them may count in its test, whatever the corpus."""

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import HELD_OUT, Hashes, SplitName, sentence_key, text_hashes
from seq2seq_cli.errors import RESTORE, ModelFileError
from seq2seq_cli.files.reading import FORMAT, read_json
from seq2seq_cli.text.sides import SIDES

_MOST_BYTES = 2**31
"""Size of the largest file, of 100 million sentence pairs."""


@dataclass(frozen=True, kw_only=True)
class TrainedSentences:
    """The hashes of the keys of all sentences that a run was trained on, each once and in ascending order."""

    src: Hashes
    tgt: Hashes

    @classmethod
    def of(cls, corpus: PreparedCorpus) -> "TrainedSentences":
        """The sentences of training and of what helps it; raises PreparedFolderError when its texts are damaged."""
        return cls.of_texts(*map(corpus.trained_texts, SIDES))

    @classmethod
    def of_texts(cls, src: Iterable[str], tgt: Iterable[str]) -> "TrainedSentences":
        """Sources and targets."""
        return cls(src=np.unique(_hashes(src)), tgt=np.unique(_hashes(tgt)))

    def joined(self, other: "TrainedSentences") -> "TrainedSentences":
        """The sentences of both."""
        return TrainedSentences(src=np.union1d(self.src, other.src), tgt=np.union1d(self.tgt, other.tgt))

    def share_a_side(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.bool_]:
        """Whether each pair has the key of its source among these sources, or of its target among these targets."""
        src, tgt = ([pair[side] for pair in pairs] for side in (0, 1))
        return np.isin(_hashes(src), self.src) | np.isin(_hashes(tgt), self.tgt)

    def held_out_pairs(self, corpus: PreparedCorpus) -> dict[SplitName, tuple[int, ...]]:
        """The numbers of the pairs of each held-out split that share a side with these sentences; none: no entry."""
        found = {name: np.flatnonzero(self.share_a_side(corpus.sentences(name))).tolist() for name in HELD_OUT}
        return {name: tuple(numbers) for name, numbers in found.items() if numbers}

    def to_json(self) -> dict[str, Any]:
        """The content of the file that `read` reads: each side as the bytes of its hashes, in Base64."""
        src, tgt = (base64.b64encode(hashes.astype("<u8").tobytes()).decode("ascii") for hashes in (self.src, self.tgt))
        return {"format": FORMAT, "src": src, "tgt": tgt}

    @classmethod
    def read(cls, path: Path) -> "TrainedSentences":
        """Read a file; raises ModelFileError when it is missing, damaged, or made by a newer s2s."""
        if not path.exists():
            raise ModelFileError(
                f"{path}: missing: it has the sentences that the run was trained on: restore it, or train the run again"
            )
        values = read_json(path, error=ModelFileError, most=_MOST_BYTES)
        try:
            return cls(**{side: _from_base64(values[side]) for side in SIDES})
        except (LookupError, TypeError, ValueError):
            raise ModelFileError(f"{path}: damaged: it does not tell what the run was trained on: {RESTORE}") from None


def _hashes(texts: Iterable[str]) -> Hashes:
    return text_hashes(map(sentence_key, texts))


def _from_base64(text: str) -> Hashes:
    """The hashes in a text; raises ValueError for what is not Base64, or not in ascending order."""
    ordered = np.frombuffer(base64.b64decode(text, validate=True), dtype="<u8").astype(np.uint64)
    if np.any(ordered[1:] <= ordered[:-1]):
        raise ValueError("not in ascending order")
    return ordered
