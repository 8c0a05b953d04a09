"""Everything that changes while a model learns, so that stopped and resumed equals never stopped."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypedDict

import torch
from torch import Tensor

from seq2seq_cli.compute.process_group import SINGLE, ProcessGroup
from seq2seq_cli.config.choices import Precision
from seq2seq_cli.config.schema import TrainingConfig
from seq2seq_cli.learning.averaging import Average
from seq2seq_cli.learning.optimiser import make_optimiser
from seq2seq_cli.model.seq2seq import Seq2Seq


class Streams(TypedDict):
    """Random states of one process."""

    cpu: Tensor
    cuda: Tensor | None


@dataclass(kw_only=True)
class Tally:
    """Sums over some updates."""

    loss: float = 0.0
    """Negative log-likelihood, in nats."""
    tokens: int = 0
    """Target tokens."""
    seconds: float = 0.0
    """Time of the updates, validation and saving left out."""

    def add(self, *, loss: float, tokens: int, seconds: float) -> None:
        """Count one update."""
        self.loss += loss
        self.tokens += tokens
        self.seconds += seconds

    @property
    def mean_loss(self) -> float:
        """Negative log-likelihood a target token; nan when there was none."""
        return self.loss / self.tokens if self.tokens else float("nan")


@dataclass(kw_only=True)
class Progress:
    """How far the training is."""

    epoch: int = 0
    """Epochs done."""
    position: int = 0
    """Batches of the running epoch done."""
    batches: int = 0
    """Batches of the running epoch; 0 before the first."""
    step: int = 0
    """Updates done since the run began."""
    of_epoch: Tally = field(default_factory=Tally)
    """The running epoch."""
    of_record: Tally = field(default_factory=Tally)
    """The updates since the last line of the metrics."""
    tokens: int = 0
    """Target tokens since the run began."""
    skipped: int = 0
    """Updates whose gradient was not finite, so that they left the weights alone."""
    skipped_in_row: int = 0
    """Those of them that came last, one after the other."""
    best_scores: dict[str, float] | None = None
    """Scores of the best weights so far by the name of the metric; None before the first validation."""
    best_epoch: int = 0
    """The epoch that `best` holds, counted from 1; 0 before the first."""
    validations_since_best: int = 0
    """Validations that brought nothing better, one after the other."""
    lr: float = 0.0
    """The learning rate of the last update."""
    lr_factor: float = 1.0
    """What the halvings of the plateau schedule have left of the learning rate."""
    baseline: float | None = None
    """Hard attention: moving average of a target word's log-likelihood; None before the first step."""
    seconds: float = 0.0
    """Time spent training, validation included, over all sittings."""
    validated_step: int = 0
    """Updates that were done at the last validation."""
    validation_seconds: float = 0.0
    """How long the last validation took."""

    @property
    def epochs(self) -> float:
        """Epochs done, the finished fraction of the running one included."""
        return self.epoch + (self.position / self.batches if self.batches else 0.0)

    def restart_epoch(self) -> None:
        """Go back to the start of the running epoch."""
        self.position, self.of_epoch = 0, Tally()

    def improves(self, scores: dict[str, float], metric: str) -> bool:
        """Whether these scores beat the best so far: by the metric, or the same by it and with a lower loss."""
        if self.best_scores is None:
            return True
        return _rank(scores, metric) > _rank(self.best_scores, metric)

    @classmethod
    def restore(cls, captured: dict[str, Any]) -> "Progress":
        """What `asdict` made a dict of."""
        tallies = {name: Tally(**captured[name]) for name in ("of_epoch", "of_record")}
        return cls(**{**captured, **tallies})


@dataclass(kw_only=True)
class TrainingState:
    """What a checkpoint to resume from holds.

    1. the weights,
    2. the optimiser's moments and step counts,
    3. the moving average of the weights, where there is one,
    4. the progress: epoch, position in it, sums and counts, clock, best scores, what the schedules go by,
    5. the random states that dropout and teacher forcing draw from, of each process,
    6. the precision, which `auto` has found by a measurement, and the kind of device that it was found for.

    What follows from these and the config alone is left out: the learning rate, the order of the pairs (from the seed
    and the epoch) and their noise. There is no gradient scaler: bf16 has the range of fp32.
    """

    model: Seq2Seq
    optimiser: torch.optim.Optimizer
    average: Average | None
    precision: Precision
    progress: Progress = field(default_factory=Progress)

    def capture(self, random: Sequence[Streams] | None = None) -> dict[str, Any]:
        """The numbered list as tensors and plain values.

        `random` has the random states of all processes that train the model; None: this one is alone.
        """
        return {
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "average": self.average.state_dict() if self.average else None,
            "progress": asdict(self.progress),
            "random": list(random or [self.streams()]),
            "precision": self.precision,
            "device": next(self.model.parameters()).device.type,
        }

    def streams(self) -> Streams:
        """The random states of this process."""
        device = next(self.model.parameters()).device
        return {
            "cpu": torch.get_rng_state(),
            "cuda": torch.cuda.get_rng_state(device) if device.type == "cuda" else None,
        }

    def restore(self, captured: dict[str, Any], group: ProcessGroup = SINGLE) -> None:
        """Take up where `capture` was called; KeyError or RuntimeError when it was called on another model.

        A moving average that the config asks for and the checkpoint has not begins with the weights; other processes
        than before leave the random states as they are.
        """
        self.model.load_state_dict(captured["model"])
        self._restore_optimiser(captured["optimiser"])
        if self.average:
            if captured["average"] is None:
                self.average = Average(self.model, self.average.decay)
            else:
                self.average.load_state_dict(captured["average"])
        self.progress = Progress.restore(captured["progress"])
        self.precision = captured["precision"]
        if len(captured["random"]) == group.size:
            self._restore_streams(captured["random"][group.rank])

    def _restore_streams(self, streams: Streams) -> None:
        torch.set_rng_state(streams["cpu"])
        device = next(self.model.parameters()).device
        if device.type == "cuda" and streams["cuda"] is not None:
            torch.cuda.set_rng_state(streams["cuda"], device)

    def _restore_optimiser(self, captured: dict[str, Any]) -> None:
        settings = [{k: v for k, v in group.items() if k != "params"} for group in self.optimiser.param_groups]
        self.optimiser.load_state_dict(captured)
        # The moments are resumed; weight decay and the like come from the config, which may have been changed.
        for group, setting in zip(self.optimiser.param_groups, settings, strict=True):
            group.update(setting)


def fresh_state(model: Seq2Seq, training: TrainingConfig, precision: Precision) -> TrainingState:
    """The state before the first step."""
    return TrainingState(
        model=model,
        optimiser=make_optimiser(model, training),
        average=Average(model, training.ema_decay) if training.ema_decay else None,
        precision=precision,
    )


def _rank(scores: dict[str, float], metric: str) -> tuple[float, float]:
    """Higher is better."""
    return (-scores["loss"] if metric == "loss" else scores[metric], -scores["loss"])
