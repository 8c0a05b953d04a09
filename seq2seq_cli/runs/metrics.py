"""The way of a training: metrics.jsonl read back, without torch.

Runs of all ages are read: what an older s2s did not record is None, and what a kill cut short is passed over.
"""

import json
import logging
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seq2seq_cli.config.choices import Metric
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.runs.layout import FORMAT, METRICS

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """Some updates of the weights, up to ``step``: a line of kind ``step``."""

    step: int
    epoch: int
    loss: float | None
    """Mean negative log-likelihood a target token, in nats."""
    tokens: int | None
    """Target tokens since the line before; None where an older s2s counted those of one batch."""
    tokens_per_second: float | None
    memory_mb: float | None
    skipped: int | None
    """Updates skipped since the run began."""


@dataclass(frozen=True, kw_only=True)
class RecordedScores:
    """The scores of a held-out split: a line of kind ``epoch``, or of kind ``test`` with what it has."""

    step: int
    epoch: int
    seconds: float | None
    """Since the run began."""
    train_loss: float | None
    loss: float | None
    bleu: float | None
    chrf: float | None
    best: bool
    """Whether these weights became the best."""
    signatures: Mapping[str, str]
    """How the scores were computed, by their names."""

    def value(self, metric: Metric) -> float | None:
        """The score of that name."""
        return {"bleu": self.bleu, "chrf": self.chrf, "loss": self.loss}[metric]


@dataclass(kw_only=True)
class History:
    """All that was recorded, in order."""

    stretches: list[Stretch] = field(default_factory=list)
    validations: list[RecordedScores] = field(default_factory=list)
    test: RecordedScores | None = None
    """Of the test split, when nothing was trained after it."""
    reason: str | None = None
    """Why the training ended; None when it has not, or when it went on later."""
    seconds: float | None = None
    """From the start to the last line that tells the time."""

    @property
    def epoch(self) -> int:
        """The epoch that the last line is about, counted from 1; 0 before any line."""
        lasts: list[Stretch | RecordedScores] = [*self.stretches[-1:], *self.validations[-1:]]
        return max((line.epoch for line in lasts), default=0)

    def best(self, metric: Metric) -> RecordedScores | None:
        """The validation of the weights that are kept as the best."""
        kept = [validation for validation in self.validations if validation.best]
        if kept:
            return kept[-1]
        scored = [validation for validation in self.validations if validation.value(metric) is not None]
        sign = -1.0 if metric == "loss" else 1.0
        return max(scored, key=lambda validation: sign * (validation.value(metric) or 0.0), default=None)

    def tokens_per_second(self) -> float | None:
        """Target tokens a second of training, over all lines that tell it; validation does not count."""
        timed = [(line.tokens, line.tokens_per_second) for line in self.stretches]
        known = [(tokens, rate) for tokens, rate in timed if tokens and rate]
        return sum(tokens for tokens, _ in known) / sum(tokens / rate for tokens, rate in known) if known else None


def read_history(run: Path) -> History:
    """Read metrics.jsonl of a run; empty when nothing is recorded yet.

    Raises ModelFileError when it cannot be read, or was written by a newer s2s.
    """
    history = History()
    for record in _records(run / METRICS):
        step, epoch = _whole(record, "step"), _whole(record, "epoch")
        if step is None or epoch is None:
            continue
        match record.get("kind"):
            case "step":
                history.stretches.append(_stretch(record, step, epoch))
                history.reason = history.test = None
            case "epoch":
                history.validations.append(_validation(record, step, epoch))
                history.reason = history.test = None
            case "end":
                history.reason = str(record.get("reason") or "it is done")
            case "test":
                history.test = _validation(record, step, epoch)
        history.seconds = _number(record, "seconds") or history.seconds
    return history


def _records(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of the file; a line that is none is told in the log, unless it is the last: a kill cut it short."""
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return
    except OSError as error:
        raise ModelFileError(f"{path}: cannot be read: {error.strerror}") from None
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError):
            record = None
        if isinstance(record, dict):
            _check_format(record.get("format"), path)
            yield record
        elif number < len(lines):
            logger.warning("%s:%d: not a JSON object: passed over", path, number)


def _check_format(found: object, path: Path) -> None:
    if isinstance(found, int) and found > FORMAT:
        raise ModelFileError(f"{path}: made by a newer s2s (format {found}, known up to {FORMAT}): upgrade s2s")


def _stretch(record: Mapping[str, Any], step: int, epoch: int) -> Stretch:
    rate = _number(record, "tokens_per_second")
    return Stretch(
        step=step,
        epoch=epoch,
        loss=_number(record, "loss"),
        tokens=None if rate is None else _whole(record, "tokens"),
        tokens_per_second=rate,
        memory_mb=_number(record, "memory_mb"),
        skipped=_whole(record, "skipped"),
    )


def _validation(record: Mapping[str, Any], step: int, epoch: int) -> RecordedScores:
    signatures = record.get("signatures")
    if signatures is None and record.get("signature"):
        signatures = {"bleu": record["signature"]}  # before there was chrF
    return RecordedScores(
        step=step,
        epoch=epoch,
        seconds=_number(record, "seconds"),
        train_loss=_number(record, "train_loss"),
        loss=_number(record, "valid_loss"),
        bleu=_number(record, "bleu"),
        chrf=_number(record, "chrf"),
        best=record.get("best") is True,
        signatures={str(k): str(v) for k, v in signatures.items()} if isinstance(signatures, dict) else {},
    )


def _number(record: Mapping[str, Any], key: str) -> float | None:
    """A finite number; None for anything else."""
    value = record.get(key)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return float(value) if math.isfinite(value) else None


def _whole(record: Mapping[str, Any], key: str) -> int | None:
    value = record.get(key)
    return value if type(value) is int and value >= 0 else None
