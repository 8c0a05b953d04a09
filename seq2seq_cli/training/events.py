"""What the training loop tells its caller."""

from dataclasses import dataclass
from pathlib import Path

from seq2seq_cli.evaluation.metrics import Score


@dataclass(frozen=True, kw_only=True)
class Step:
    """One update of the weights is done."""

    epoch: int
    """Counted from 1."""
    position: int
    """Batches of this epoch done so far."""
    batches: int
    """Batches of an epoch."""
    step: int
    """Updates since the run began."""
    loss: float
    """Mean negative log-likelihood a target token of this batch, in nats."""
    tokens: int
    """Target tokens of this batch, EOS counted, padding not."""
    gradient_norm: float
    """Before clipping."""


@dataclass(frozen=True, kw_only=True)
class Validated:
    """An epoch is over and the held-out sentences are scored."""

    epoch: int
    """Counted from 1."""
    step: int
    """Updates since the run began."""
    train_loss: float
    """Mean over the epoch's target tokens, in nats, at the teacher forcing of the config."""
    valid_loss: float | None
    """Mean over the validation split's target tokens with true words fed; None when nothing is held out."""
    bleu: Score | None
    """Of greedy translations of the validation split; None when nothing is held out."""
    is_best: bool
    """Whether this is the model to keep: the highest BLEU so far, or the newest when nothing is held out."""


@dataclass(frozen=True, kw_only=True)
class Saved:
    """A checkpoint is on the disk."""

    path: Path
    """The file."""


Event = Step | Validated | Saved
