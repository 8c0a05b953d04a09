"""One update of the weights: from batches to gradients to the optimiser's step."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from seq2seq_cli.config.schema import TrainingConfig
from seq2seq_cli.corpus.batches import Batch, halves
from seq2seq_cli.errors import TrainingError
from seq2seq_cli.training.device import is_out_of_memory
from seq2seq_cli.training.forcing import forcing_probability
from seq2seq_cli.training.loss import BatchLoss, batch_loss
from seq2seq_cli.training.precision import mixed
from seq2seq_cli.training.reinforce import next_baseline
from seq2seq_cli.training.schedule import learning_rate
from seq2seq_cli.training.state import TrainingState

MOST_SKIPPED_IN_ROW = 3


@dataclass(frozen=True, kw_only=True)
class Update:
    """What one update was like."""

    loss: float
    """Summed negative log-likelihood of the target words, in nats."""
    tokens: int
    """Target tokens, EOS counted, padding not."""
    gradient_norm: float
    """Of the mean loss a token, before clipping."""
    lr: float
    """The learning rate."""
    skipped: bool
    """Whether the gradient was not finite, so that the weights stayed as they were."""
    halved: bool
    """Whether the batches did not fit in memory and were taken in halves."""


def update(state: TrainingState, batches: Sequence[Batch], training: TrainingConfig, *, done: float) -> Update:
    """One step of the optimiser down the mean loss a token of all `batches`; `done` is the share of training over.

    A step whose gradient is not finite is skipped. Raises TrainingError at the third such step in a row.
    """
    progress = state.progress
    tokens = sum(batch.tokens for batch in batches)
    halved = False
    try:
        losses = _add_gradients(state, batches, training, tokens)
    except RuntimeError as error:
        if not is_out_of_memory(error) or min(len(batch) for batch in batches) < 2:
            raise
        halved = True
    if halved:  # not in the handler, whose traceback keeps what fills the memory
        losses = _add_gradients(state, [half for batch in batches for half in halves(batch)], training, tokens)
    norm = torch.nn.utils.clip_grad_norm_(state.model.parameters(), training.clip_norm)
    # One number from the device after the other would wait for it twice.
    loss, gradient_norm = torch.stack([torch.stack(losses).sum(), norm]).tolist()
    lr = learning_rate(training, step=progress.step, done=done, factor=progress.lr_factor)
    skipped = not torch.tensor([loss, gradient_norm]).isfinite().all()
    if skipped:
        _count_skipped(state, loss=loss / tokens, gradient_norm=gradient_norm)
    else:
        _step(state, lr)
        progress.baseline = next_baseline(progress.baseline, -loss / tokens)
    return Update(loss=loss, tokens=tokens, gradient_norm=gradient_norm, lr=lr, skipped=bool(skipped), halved=halved)


def _add_gradients(
    state: TrainingState, batches: Sequence[Batch], training: TrainingConfig, tokens: int
) -> list[Float[Tensor, ""]]:
    """Leave the gradient of the mean loss over `tokens` in the weights; the summed loss of each batch."""
    state.optimiser.zero_grad()
    losses = []
    for batch in batches:
        with mixed(state.precision, batch.src.device):
            loss = _loss(state, batch, training)
            torch.autograd.backward(loss.objective / tokens)
        losses.append(loss.nll.detach())
    return losses


def _loss(state: TrainingState, batch: Batch, training: TrainingConfig) -> BatchLoss:
    return batch_loss(
        state.model,
        batch,
        teacher_forcing=forcing_probability(training, state.progress.step),
        unit=training.teacher_forcing_unit,
        baseline=state.progress.baseline,
        label_smoothing=training.label_smoothing,
    )


def _step(state: TrainingState, lr: float) -> None:
    for group in state.optimiser.param_groups:
        group["lr"] = lr
    state.optimiser.step()
    if state.average:
        state.average.update(state.model)
    state.progress.skipped_in_row = 0


def _count_skipped(state: TrainingState, *, loss: float, gradient_norm: float) -> None:
    progress = state.progress
    progress.skipped += 1
    progress.skipped_in_row += 1
    if progress.skipped_in_row == MOST_SKIPPED_IN_ROW:
        raise TrainingError(
            f"step {progress.step + 1}: the loss ({loss:.4g}) or its gradient ({gradient_norm:.4g}) is not finite,"
            f" {MOST_SKIPPED_IN_ROW} steps in a row; what was saved last is kept: go on from it with --resume and a"
            " lower training.lr or training.clip_norm"
        )
