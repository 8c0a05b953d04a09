"""The records of a run: metrics.jsonl, what training measured, and corpus.json, what it trained on."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from statistics import median
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, TypeAdapter, ValidationError

from seq2seq_cli.config.choices import Metric
from seq2seq_cli.counts import counted, loss_in_words
from seq2seq_cli.errors import RESTORE, ModelFileError, unreadable
from seq2seq_cli.files.reading import FORMAT, check_format, parse_json, read_json, read_whole
from seq2seq_cli.files.writing import json_content
from seq2seq_cli.pages.data import AttentionData, FilmData, FrameData
from seq2seq_cli.runs.layout import METRICS, MOST_METRICS_BYTES

logger = logging.getLogger(__name__)

Number: TypeAlias = float | None
"""A measured number; None when it is not known. JSON has no infinity and no NaN: they are written as null."""
Amount: TypeAlias = Annotated[float, Field(ge=0, le=1e12)]
"""A finite number that grows during a run."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, use_attribute_docstrings=True)

    format: int = FORMAT
    """The version of the format; a newer s2s may write a higher one."""
    kind: Literal["step", "epoch", "end", "interrupt", "test"]
    step: NonNegativeInt
    """Updates since the run began."""


class _TimedRecord(_Record):
    epoch: NonNegativeInt
    """The epoch of the last update, counted from 1; 0 before the first."""
    epochs: Amount
    """Epochs trained since the run began, the finished fraction of the running one included."""
    seconds: Amount
    """Time spent since the run began, validation included, in seconds."""
    tokens: NonNegativeInt
    """Target tokens trained on since the run began."""


class _ScoresRecord(_Record):
    loss: Number = None
    """Mean negative log-likelihood of the held-out split, in nats per target token; None when nothing is held out."""
    bleu: Number = None
    """BLEU of the translations, from 0 to 100; None when nothing is held out."""
    chrf: Number = None
    """chrF of the same translations, from 0 to 100; None when nothing is held out."""
    signatures: dict[str, str] = Field(default_factory=dict)
    """SacreBLEU's signature by the name of the metric."""

    def score(self, metric: Metric) -> float | None:
        """The score by the name of its metric."""
        return {"bleu": self.bleu, "chrf": self.chrf, "loss": self.loss}[metric]


class StepRecord(_TimedRecord):
    """The state of the run after every hundredth update, and after each with a checkpoint between validations."""

    kind: Literal["step"] = "step"
    train_loss: Number
    """Mean negative log-likelihood since the step record before, in nats per target token."""
    lr: float
    """Learning rate of this update."""
    gradient_norm: Number
    """Norm of the gradient of this update, before clipping."""
    tokens_per_second: Number
    """Target tokens per second since the step record before, validation and saving left out."""
    skipped: NonNegativeInt
    """Updates skipped since the run began, because their gradient was not finite."""


class EpochRecord(_ScoresRecord, _TimedRecord):
    """A validation: at the end of an epoch, or when the time of the run is over."""

    kind: Literal["epoch"] = "epoch"
    lr: float
    """Learning rate of the last update."""
    train_loss: Number
    """Mean negative log-likelihood of the epoch, in nats per target token, at the teacher forcing of the config."""
    attention_entropy: Number = None
    """Mean entropy of the attention weights of a held-out target token, in nats; None in a model without attention."""
    words_on_marks: Number = None
    """Share of the target words whose heaviest source token is a punctuation mark or ``<eos>``."""
    attention: list[AttentionData] = Field(default_factory=list)
    """While the model reads a few pairs, the same at each validation; none in a model without attention."""
    best: bool
    """Whether these weights became the best ones."""

    @property
    def frame(self) -> FrameData:
        """The attention and the scores, as a film shows them."""
        told = f"loss {loss_in_words(self.train_loss)}"
        if self.bleu is not None:
            told += f", held out {loss_in_words(self.loss)}, BLEU {self.bleu:.1f}"
        return {"epochs": self.epochs, "told": told, "sentences": self.attention}


class EndRecord(_TimedRecord):
    """The end of a run that was not interrupted."""

    kind: Literal["end"] = "end"
    reason: str
    """The reason of the end, a phrase such as "all 10 epochs are done"."""


class InterruptRecord(_TimedRecord):
    """An interruption by the user; a resumed run removes it again."""

    kind: Literal["interrupt"] = "interrupt"


class TestRecord(_ScoresRecord):
    """The scores of the best weights on the test split."""

    __test__ = False  # pytest takes the name for one of a test class

    kind: Literal["test"] = "test"
    epoch: NonNegativeInt
    """The epoch of the best weights, counted from 1."""
    lowercase_bleu: Number = None
    """BLEU against lower-cased references; None unless the model writes lower case alone."""
    verdict: str | None = None
    """A sentence on what the translator is usable for."""
    example: str | None = None
    """A source of the split, to try the translator with."""


Record: TypeAlias = StepRecord | EpochRecord | EndRecord | InterruptRecord | TestRecord

_RECORD: TypeAdapter[Record] = TypeAdapter(Annotated[Record, Field(discriminator="kind")])


def deciding_metric(metric: Metric, score: float | None) -> Metric:
    """The metric that chose the best weights: the loss where their `score` by `metric` is 0, as all scores then are."""
    return "loss" if score == 0 else metric


@dataclass(frozen=True)
class History:
    """The records of a run, in the order in which they were written."""

    records: Sequence[Record] = ()

    @cached_property
    def steps(self) -> list[StepRecord]:
        """The step records."""
        return [record for record in self.records if isinstance(record, StepRecord)]

    @cached_property
    def validations(self) -> list[EpochRecord]:
        """The epoch records."""
        return [record for record in self.records if isinstance(record, EpochRecord)]

    @property
    def best(self) -> EpochRecord | None:
        """The validation of the best weights; None before the first validation."""
        return next((record for record in reversed(self.validations) if record.best), None)

    def best_score(self, metric: Metric) -> tuple[Metric, float | None]:
        """The metric that chose the best weights, and their score by it; None before the first validation."""
        if self.best is None:
            return metric, None
        deciding = deciding_metric(metric, self.best.score(metric))
        return deciding, self.best.score(deciding)

    @property
    def test(self) -> TestRecord | None:
        """The scores on the test split; None when there are none, or when the training went on after them."""
        return next((record for record in self._after_training() if isinstance(record, TestRecord)), None)

    @property
    def reason(self) -> str | None:
        """The reason of the end of the run; None when it has not ended, or went on later."""
        return next((record.reason for record in self._after_training() if isinstance(record, EndRecord)), None)

    @property
    def minutes(self) -> float | None:
        """Minutes from the start of the run to its last record, validation included; None when nothing is recorded."""
        return self._timed[-1].seconds / 60 if self._timed else None

    @property
    def epochs(self) -> float:
        """Epochs trained so far, the finished fraction of the running one included."""
        return self._timed[-1].epochs if self._timed else 0.0

    @property
    def tokens_per_second(self) -> float | None:
        """The median of the step records' target tokens per second; None when no record has a rate."""
        rates = [record.tokens_per_second for record in self.steps if record.tokens_per_second is not None]
        return median(rates) if rates else None

    @cached_property
    def _timed(self) -> list[_TimedRecord]:
        return [record for record in self.records if isinstance(record, _TimedRecord)]

    def _after_training(self) -> Iterator[Record]:
        """The records after the last step and the last validation, the newest first."""
        return takewhile(lambda record: isinstance(record, EndRecord | TestRecord), reversed(self.records))


def read_history(run: Path) -> History:
    """Read metrics.jsonl of a run; the history is empty when nothing is recorded yet.

    Damaged lines are skipped with a warning, except the last one, which a kill may have cut short.
    Raises ModelFileError when the file cannot be read or was written by a newer s2s.
    """
    path = run / METRICS
    try:
        records = [_parse(line, path) for line in read_whole(path, most=MOST_METRICS_BYTES).splitlines()]
    except FileNotFoundError:
        return History()
    except OSError as error:
        raise ModelFileError(unreadable(path, error)) from None
    if damaged := [number for number, record in enumerate(records[:-1], start=1) if record is None]:
        logger.warning("%s:%d: not a record of a run: %s skipped", path, damaged[0], counted(len(damaged), "such line"))
    return History([record for record in records if record])


def films_of(histories: Mapping[str, History]) -> list[FilmData]:
    """The films of runs by their names; none of a run without attention, or before its first validation."""
    frames = {name: [each.frame for each in of.validations if each.attention] for name, of in histories.items()}
    return [{"name": name, "frames": of_run} for name, of_run in frames.items() if of_run]


def _parse(line: bytes, path: Path) -> Record | None:
    """The record on a line; None when the line holds none."""
    try:
        value = parse_json(line)
        if isinstance(value, dict) and "format" in value:
            check_format(value, path, error=ModelFileError)
        return _RECORD.validate_python(value)
    except ValueError:  # pydantic's, too
        return None


class Provenance(BaseModel):
    """The corpus and the origin of a run."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", use_attribute_docstrings=True)

    format: int = FORMAT
    folder: str
    """The prepared folder."""
    fingerprint: str
    """The hash of all that could be trained on in it."""
    pairs: dict[str, NonNegativeInt]
    """Sentence pairs by the name of the split."""
    pair_files: list[str] = Field(default_factory=list)
    """The names of the files that the pairs were read from, without folders."""
    date: str | None = None
    """The day on which the training began, such as 2026-11-25."""
    init_from: str | None = None
    """The run whose best weights this one began with; None when they were drawn."""
    corrections: dict[str, str] = {}
    """Corrections of that run, and of those before it, which this one was trained on."""
    launch: str | None = None
    """The torchrun that began the run; None without torchrun."""
    stated: list[str] = []
    """The keys that overrides stated: training chooses nothing in their place."""

    def for_others(self) -> "Provenance":
        """The record without corrections and the names of the machine and of its folders, for others to read."""
        names = {"folder": Path(self.folder).name, "init_from": self.init_from and Path(self.init_from).name}
        return self.model_copy(update={"launch": None, "corrections": {}, **names})

    @classmethod
    def read(cls, path: Path) -> "Provenance":
        """Read a file of `content`; raises ModelFileError when it is missing, damaged, or made by a newer s2s."""
        try:
            return cls.model_validate(read_json(path, error=ModelFileError))
        except ValidationError:
            raise ModelFileError(f"{path}: damaged: does not name the corpus: {RESTORE}") from None

    @property
    def content(self) -> bytes:
        """The content of the file."""
        return json_content(self.model_dump(exclude_none=True))
