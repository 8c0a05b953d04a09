"""What the training loop tells its caller."""

from dataclasses import dataclass
from pathlib import Path

from seq2seq_cli.evaluation.held_out import HeldOutScores


@dataclass(frozen=True, kw_only=True)
class Step:
    """One update of the weights is done, or was skipped because its gradient was not finite."""

    epoch: int
    """Counted from 1."""
    position: int
    """Batches of this epoch done so far."""
    batches: int
    """Batches of an epoch."""
    step: int
    """Updates since the run began."""
    loss: float
    """Mean negative log-likelihood a target token of this update, in nats."""
    tokens: int
    """Target tokens of this update, EOS counted, padding not."""
    gradient_norm: float
    """Before clipping."""
    lr: float
    """The learning rate of this update."""
    seconds: float
    """Of the update and of making its batches; what the caller did in between is no part of it."""
    skipped: bool
    """Whether the weights stayed as they were."""
    halved: bool
    """Whether a batch did not fit in memory, and was taken in two halves."""


@dataclass(frozen=True, kw_only=True)
class Validated:
    """An epoch is over, or the time of the run, and the held-out sentences are scored."""

    epoch: int
    """Counted from 1."""
    step: int
    """Updates since the run began."""
    train_loss: float
    """Mean over the epoch's target tokens, in nats, at the teacher forcing of the config."""
    scores: HeldOutScores | None
    """Of the validation split; None when nothing is held out."""
    averaged: bool
    """Whether the scores are those of the moving average of the weights, which did better than the weights."""
    is_best: bool
    """Whether this is the model to keep: the best score so far, or the newest when nothing is held out."""


@dataclass(frozen=True, kw_only=True)
class Saved:
    """A checkpoint is on the disk."""

    path: Path
    """The file."""


@dataclass(frozen=True, kw_only=True)
class Finished:
    """The training is over."""

    reason: str
    """A phrase, such as "all 10 epochs are done"."""


Event = Step | Validated | Saved | Finished
