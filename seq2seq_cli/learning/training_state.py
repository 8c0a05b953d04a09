"""The state of a run: everything that changes while a model learns."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeAlias, get_args

import torch
from pydantic import BaseModel, Field
from torch import Tensor

from seq2seq_cli.compute.process_group import SINGLE, ProcessGroup
from seq2seq_cli.config.choices import METRIC_NAMES, Metric, Precision
from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.counts import loss_in_words
from seq2seq_cli.learning.optimiser import Optimiser, make_optimiser
from seq2seq_cli.model.seq2seq import Seq2Seq
from seq2seq_cli.runs.records import Amount, deciding_metric

Count: TypeAlias = Annotated[int, Field(ge=0, lt=10**15)]


class Tally(BaseModel, extra="forbid", strict=True):
    """Sums over some updates."""

    loss: float = 0.0
    """Summed negative log-likelihood, in nats."""
    tokens: Count = 0
    """Target tokens."""
    seconds: Amount = 0.0
    """Seconds spent on the updates, without validation and saving."""

    def add(self, *, mean_loss: float, tokens: int, seconds: float) -> None:
        """Count one update, of this mean loss per token."""
        self.loss += mean_loss * tokens
        self.tokens += tokens
        self.seconds += seconds

    @property
    def mean_loss(self) -> float:
        """Mean negative log-likelihood per target token, in nats; nan without tokens."""
        return self.loss / self.tokens if self.tokens else float("nan")


class Progress(BaseModel, extra="forbid", strict=True):
    """The position in a run: counts, clock, scores."""

    epoch: Count = 0
    """Epochs done."""
    position: Count = 0
    """Batches done in the running epoch."""
    batches: Count = 0
    """Batches per epoch; 0 before the first."""
    order_settings: tuple[Count, str, int, float, float] | None = None
    """The settings that put the pairs of the running epoch in their order; None before the first."""
    step: Count = 0
    """Updates done since the run began."""
    of_epoch: Tally = Field(default_factory=Tally)
    """Sums over the running epoch."""
    of_record: Tally = Field(default_factory=Tally)
    """Sums since the last step record of the metrics."""
    tokens: Count = 0
    """Target tokens since the run began."""
    skipped: Count = 0
    """Updates skipped because their gradient was not finite."""
    skipped_in_row: Count = 0
    """Skipped updates since the last one that was not."""
    best_scores: Annotated[dict[Metric, float], Field(min_length=len(get_args(Metric)))] | None = None
    """Scores of the best weights so far, by metric; None before the first validation."""
    best_epoch: Count = 0
    """Epoch of the best weights, counted from 1; 0 before the first validation."""
    validations_since_best: Count = 0
    """Validations since the best scores."""
    lr: Annotated[float, Field(ge=0)] = 0.0
    """Learning rate of the last update."""
    baseline: float | None = None
    """Hard attention: moving average of the log-likelihood per target word; None before the first update."""
    seconds: Amount = 0.0
    """Seconds of training, validation included, before and after each resume."""
    validated_step: Count = 0
    """Updates done at the last validation."""
    validated_seconds: Amount = 0.0
    """`seconds` at the end of the last validation."""
    validation_seconds: Amount = 0.0
    """Seconds of the last validation."""

    @property
    def epochs(self) -> float:
        """Epochs done, the finished fraction of the running one included."""
        return self.epoch + (self.position / self.batches if self.batches else 0.0)

    @property
    def last_epoch(self) -> int:
        """The epoch of the last update, counted from 1; 0 before the first."""
        return self.epoch + (1 if self.position else 0)

    def restart_epoch(self) -> None:
        """Go back to the start of the running epoch."""
        self.position, self.of_epoch = 0, Tally()

    def improves(self, scores: Mapping[Metric, float], metric: Metric) -> bool:
        """Whether scores are better than the best so far: by the metric or, equal by it, by a lower loss."""
        return self.best_scores is None or _rank(scores, metric) > _rank(self.best_scores, metric)

    def deciding(self, metric: Metric) -> Metric:
        """The metric that chose the best weights."""
        return deciding_metric(metric, self.best_scores[metric]) if self.best_scores else metric

    def best_in_words(self, metric: Metric) -> str:
        """The epoch of the best weights and the score that chose them, such as "epoch 3 with BLEU 36.0"."""
        if self.best_scores is None:  # nothing is held out to choose by
            return f"epoch {self.best_epoch}, the newest: no validation pairs"
        deciding = self.deciding(metric)
        score = self.best_scores[deciding]
        shown = loss_in_words(score) if deciding == "loss" else f"{score:.1f}"
        return f"epoch {self.best_epoch} with {METRIC_NAMES[deciding]} {shown}"


@dataclass(kw_only=True)
class TrainingState:
    """The content of a checkpoint, so that a resumed training equals one that never stopped.

    1. the weights,
    2. the optimiser's moments and step counts,
    3. the progress: epoch, position in it, sums, counts, clock, best scores,
    4. the random state of each process, from which dropout and teacher forcing draw.

    Whatever follows from these, the config and the device is left out: the precision, the learning rate, the order of
    the pairs (from seed and epoch) and their noise. There is no gradient scaler: bf16 has the range of fp32.
    """

    model: Seq2Seq
    optimiser: Optimiser
    precision: Precision
    progress: Progress = field(default_factory=Progress)

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return next(self.model.parameters()).device

    def checkpoint(self, random: Sequence[Mapping[str, Tensor | None]] | None = None) -> dict[str, Any]:
        """The numbered list as tensors and plain values.

        `random` has the random states of all processes by rank; None stands for this process alone.
        """
        return {
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "progress": self.progress.model_dump(),
            "random": list(random or [self.random_state()]),
        }

    def random_state(self) -> dict[str, Tensor | None]:
        """The states of the random number generators of this process: ``cpu`` and, None without a GPU, ``gpu``."""
        gpu = None if self.device.type == "cpu" else torch.get_device_module(self.device).get_rng_state()
        return {"cpu": torch.get_rng_state(), "gpu": gpu}

    def restore(self, checkpoint: dict[str, Any], group: ProcessGroup = SINGLE) -> None:
        """Return to the state in which `checkpoint` was made; the random state only if as many processes made it.

        Raises KeyError, TypeError, ValueError or RuntimeError for a checkpoint of another model, and for one with
        values that no training has.
        """
        self.progress = Progress.model_validate(checkpoint["progress"])
        self.model.load_state_dict(checkpoint["model"])
        self.optimiser.load_state_dict(checkpoint["optimiser"])
        if not all(weight.isfinite().all() for weight in self.model.parameters()):
            raise ValueError("NaN or infinite numbers")
        if len(checkpoint["random"]) == group.size:
            random = checkpoint["random"][group.rank]
            torch.set_rng_state(random["cpu"])
            if self.device.type != "cpu" and random["gpu"] is not None:
                torch.get_device_module(self.device).set_rng_state(random["gpu"])


def fresh_state(model: Seq2Seq, training: TrainingConfig, precision: Precision) -> TrainingState:
    """The state before the first update."""
    return TrainingState(model=model, optimiser=make_optimiser(model, training), precision=precision)


def _rank(scores: Mapping[Metric, float], metric: Metric) -> tuple[float, float]:
    """The rank of scores: higher is better; a loss that is not a number is the worst."""
    loss = math.inf if math.isnan(scores["loss"]) else scores["loss"]
    return (-loss if metric == "loss" else scores[metric], -loss)
