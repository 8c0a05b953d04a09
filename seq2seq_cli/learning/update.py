"""One update of the weights: from batches to gradients to the optimiser's step."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from math import isfinite
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from seq2seq_cli.compute.memory import is_out_of_memory
from seq2seq_cli.compute.precision import computing
from seq2seq_cli.compute.process_group import SINGLE, ProcessGroup
from seq2seq_cli.config.schema import TrainingConfig
from seq2seq_cli.corpus.batches import Batch, halves
from seq2seq_cli.errors import TrainingError
from seq2seq_cli.learning.forcing import forcing_probability
from seq2seq_cli.learning.loss import BatchLoss, batch_loss
from seq2seq_cli.learning.reinforce import next_baseline
from seq2seq_cli.learning.schedule import learning_rate
from seq2seq_cli.learning.state import TrainingState
from seq2seq_cli.model.seq2seq import Seq2Seq

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


class Objective(nn.Module):
    """`batch_loss` as a module, which is what torch's DistributedDataParallel wraps."""

    def __init__(self, model: Seq2Seq) -> None:
        super().__init__()
        self.model = model

    def forward(self, batch: Batch, **options: Any) -> BatchLoss:
        """The loss of a batch; without any target tokens it is zero, and so is its gradient, of all weights."""
        if batch.tokens:
            return batch_loss(self.model, batch, **options)
        zero = 0.0 * torch.stack([weight.sum() for weight in self.model.parameters() if weight.requires_grad]).sum()
        return BatchLoss(objective=zero, nll=zero.detach(), tokens=0)


def update(
    state: TrainingState,
    batches: Sequence[Batch],
    training: TrainingConfig,
    *,
    done: float,
    group: ProcessGroup = SINGLE,
    objective: nn.Module | None = None,
) -> Update:
    """One step of the optimiser down the mean loss a token of all `batches`, those of other processes included.

    `done` is the share of training over; `objective` is the Objective of the model, as the `group` has it together. A
    step whose gradient is not finite is skipped. Raises TrainingError at the third such step in a row.
    """
    progress, objective = state.progress, objective or Objective(state.model)
    tokens = int(*group.sum([float(sum(batch.tokens for batch in batches))]))
    halved = False
    try:
        losses = _gradients(state, objective, batches, training)
    except RuntimeError as error:
        # The others of a group cannot be told: they wait for this one's gradients.
        if not is_out_of_memory(error) or group.size > 1 or max(len(batch) for batch in batches) < 2:
            raise
        halved = True
    if halved:  # not in the handler, whose traceback keeps what fills the memory
        batches = [part for batch in batches for part in (halves(batch) if len(batch) > 1 else [batch])]
        losses = _gradients(state, objective, batches, training)
    # What backward leaves is the mean over the processes of the gradients of their sums.
    norm = _scale_and_clip(state.model, scale=group.size / tokens, max_norm=training.clip_norm)
    total = group.sum_tensor(torch.stack(losses).sum())
    # One number from the device after the other would wait for it twice.
    loss, gradient_norm = torch.stack([total, norm]).tolist()
    lr = learning_rate(training, step=progress.step, done=done, factor=progress.lr_factor)
    skipped = not (isfinite(loss) and isfinite(gradient_norm))
    if skipped:
        _count_skipped(state, group, loss=loss / tokens, gradient_norm=gradient_norm)
    else:
        _step(state, lr)
        progress.baseline = next_baseline(progress.baseline, -loss / tokens)
    return Update(loss=loss, tokens=tokens, gradient_norm=gradient_norm, lr=lr, skipped=skipped, halved=halved)


def _gradients(
    state: TrainingState, objective: nn.Module, batches: Sequence[Batch], training: TrainingConfig
) -> list[Float[Tensor, ""]]:
    """Leave the gradient of the summed loss in the weights; the summed loss of each batch."""
    state.optimiser.zero_grad()
    losses = []
    for i, batch in enumerate(batches):
        is_last = i == len(batches) - 1
        with nullcontext() if is_last else _without_sums(objective), computing(state.precision, batch.src.device):
            loss = _loss(state, objective, batch, training)
            torch.autograd.backward(loss.objective)
        losses.append(loss.nll.detach())
    return losses


def _without_sums(objective: nn.Module) -> AbstractContextManager[None]:
    """Inside, gradients stay where they are: they go over the network once, with the last of the batches."""
    return objective.no_sync() if isinstance(objective, DistributedDataParallel) else nullcontext()


def _loss(state: TrainingState, objective: nn.Module, batch: Batch, training: TrainingConfig) -> BatchLoss:
    loss: BatchLoss = objective(
        batch,
        teacher_forcing=forcing_probability(training, state.progress.step),
        unit=training.teacher_forcing_unit,
        baseline=state.progress.baseline,
        label_smoothing=training.label_smoothing,
    )
    return loss


def _scale_and_clip(model: Seq2Seq, *, scale: float, max_norm: float) -> Float[Tensor, ""]:
    """Multiply the gradient by `scale`, and shorten it to `max_norm` where it is longer then.

    Returns the length of the scaled gradient, before it is shortened. Both are done at once: each by itself is a pass
    over all gradients.
    """
    gradients = [weight.grad for weight in model.parameters() if weight.grad is not None]
    norm = scale * torch.nn.utils.get_total_norm(gradients)
    factor = scale * (max_norm / norm).clamp(max=1.0)
    torch._foreach_mul_(gradients, factor)  # one call for all, as in torch's own clipping
    return norm


def _step(state: TrainingState, lr: float) -> None:
    for group in state.optimiser.param_groups:
        group["lr"] = lr
    state.optimiser.step()
    if state.average:
        state.average.update(state.model)
    state.progress.skipped_in_row = 0


def _count_skipped(state: TrainingState, group: ProcessGroup, *, loss: float, gradient_norm: float) -> None:
    progress = state.progress
    progress.skipped += 1
    progress.skipped_in_row += 1
    if progress.skipped_in_row == MOST_SKIPPED_IN_ROW:
        raise group.agreed(
            TrainingError(
                f"step {progress.step + 1}: the loss ({loss:.4g}) or its gradient ({gradient_norm:.4g}) is not finite,"
                f" {MOST_SKIPPED_IN_ROW} steps in a row; what was saved last is kept: go on from it with --resume and a"
                " lower training.lr or training.clip_norm"
            )
        )
