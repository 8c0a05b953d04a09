"""The statistics of each sentence of a split, kept by a run: from their sums its scores are computed.

With those of two runs it can be tested whether their scores differ by more than chance, without the sentences.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.config.choices import Metric
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.files.json_files import read_json
from seq2seq_cli.files.writing import write_json
from seq2seq_cli.runs.layout import FORMAT

_COLUMNS: Mapping[Metric, int] = {"bleu": 10, "chrf": 18}
"""Counts per sentence. BLEU: both lengths, then the n-grams that match and all of the output, for n from 1 to 4. chrF:
the n-grams of the output, of the reference, and those that match, for n from 1 to 6."""


class MetricStatistics(NamedTuple):
    """The statistics of a metric."""

    signature: str
    counts: NDArray[np.int64]
    """(n sentences, k counts)."""


@dataclass(frozen=True, kw_only=True)
class SentenceStatistics:
    """The statistics of the translations of a split."""

    sentences: str
    """The `digest` of the pairs: two runs with the same one were scored on the same sentences."""
    metrics: Mapping[Metric, MetricStatistics]

    def write(self, path: Path) -> None:
        """Write a file, whole or not at all, with a line of text per sentence."""
        metrics: dict[str, object] = {
            name: {"signature": found.signature, "counts": [" ".join(map(str, row)) for row in found.counts.tolist()]}
            for name, found in self.metrics.items()
        }
        write_json(path, {"format": FORMAT, "sentences": self.sentences, **metrics})

    @classmethod
    def read(cls, path: Path) -> "SentenceStatistics":
        """Read what `write` wrote; raises ModelFileError when it is missing, damaged, or made by a newer s2s."""
        values = read_json(path, newest=FORMAT, error=ModelFileError)
        try:
            metrics = {name: _read_metric(values[name], columns) for name, columns in _COLUMNS.items()}
            if len({len(found.counts) for found in metrics.values()}) > 1:
                raise ValueError("metrics of differently many sentences")  # noqa: TRY301  # as for other damages
            return cls(sentences=str(values["sentences"]), metrics=metrics)
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError):
            raise ModelFileError(f"{path}: damaged: holds no statistics of sentences: remove it") from None


def digest(pairs: Iterable[tuple[str, str]]) -> str:
    """The SHA-256 of sentence pairs, in hexadecimal digits."""
    whole = hashlib.sha256()
    for src, tgt in pairs:
        whole.update(f"{src}\t{tgt}\n".encode())
    return whole.hexdigest()


def _read_metric(values: Mapping[str, object], columns: int) -> MetricStatistics:
    """Raises ValueError, TypeError, LookupError or AttributeError for what `write` does not write."""
    rows = values["counts"]
    if not isinstance(rows, list) or not rows:
        raise ValueError("no counts")
    counts = np.array([[int(count) for count in row.split()] for row in rows], dtype=np.int64)
    if counts.shape != (len(rows), columns) or counts.min() < 0 or counts.max() >= 2**31:
        raise ValueError("other counts")
    return MetricStatistics(str(values["signature"]), counts)
