"""One update of the weights: batch -> loss -> gradient -> step of the optimiser."""

from dataclasses import dataclass
from math import isfinite

import torch
from jaxtyping import Float
from torch import Tensor, nn

from seq2seq_cli.compute.device import computing
from seq2seq_cli.compute.process_group import SINGLE, ProcessGroup
from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.corpus.batches import Batch
from seq2seq_cli.errors import TrainingError
from seq2seq_cli.learning.loss import BatchLoss, batch_loss, forcing_factor, next_baseline
from seq2seq_cli.learning.optimiser import learning_rate
from seq2seq_cli.learning.training_state import TrainingState
from seq2seq_cli.model.seq2seq import Seq2Seq

MAX_SKIPPED_IN_ROW = 3


class NotFiniteError(TrainingError):
    """The loss or its gradient is not finite, several steps in a row."""


@dataclass(frozen=True, kw_only=True)
class Update:
    """The outcome of one update."""

    loss: float
    """Mean negative log-likelihood per target token, in nats."""
    tokens: int
    """Target tokens: EOS counts, padding does not."""
    gradient_norm: float
    """Norm of the gradient of the mean objective, before clipping."""
    lr: float
    skipped: bool
    """Whether the gradient was not finite, so that the weights stayed as they were."""


class Objective(nn.Module):
    """`batch_loss` as a module, which torch's DistributedDataParallel can wrap."""

    def __init__(self, model: Seq2Seq, training: TrainingConfig) -> None:
        super().__init__()
        self.model = model
        self._training = training

    def forward(self, batch: Batch, teacher_forcing: float, baseline: float | None) -> BatchLoss:
        """The loss of a batch; zero, with a zero gradient of all weights, for a batch without target tokens."""
        if batch.tokens:
            return batch_loss(
                self.model, batch, teacher_forcing=teacher_forcing, baseline=baseline, training=self._training
            )
        zero = 0.0 * torch.stack([weight.sum() for weight in self.model.parameters() if weight.requires_grad]).sum()
        return BatchLoss(objective=zero, nll=zero.detach(), tokens=0)


class Updater:
    """Updates the weights of a state, together with the other processes of the group."""

    def __init__(self, state: TrainingState, training: TrainingConfig, group: ProcessGroup = SINGLE) -> None:
        self._state = state
        self._training = training
        self._group = group
        self._objective = group.wrap(Objective(state.model, training))

    def update(self, batch: Batch, *, fraction_done: float) -> Update:
        """Take one step down the gradient of the mean loss over the batches of all processes.

        It is the mean per token or per sentence (`training.loss_unit`). `fraction_done` of the run is over. A step
        whose gradient is not finite is skipped; raises NotFiniteError at the third in a row.
        """
        state, group, training = self._state, self._group, self._training
        tokens, sentences = map(int, group.sum([float(batch.tokens), float(len(batch))]))
        half = training.scheduled_sampling
        teacher_forcing = training.teacher_forcing * (forcing_factor(state.progress.step, half) if half else 1.0)
        state.model.zero_grad()
        with computing(state.precision, batch.src.device):
            of_batch: BatchLoss = self._objective(batch, teacher_forcing, state.progress.baseline)
            torch.autograd.backward(of_batch.objective)
        # Where pairs are joined, a batch can be left without any: its loss and its gradient are 0.
        units = max(1, tokens if training.loss_unit == "token" else sentences)
        # Backward leaves the mean over the processes of the gradients of their summed losses.
        norm = _scale_and_clip(state.model, scale=group.size / units, max_norm=training.clip_norm)
        total = group.sum_tensor(of_batch.nll.detach())
        # One transfer from the device: two would wait for it twice.
        summed_loss, gradient_norm = torch.stack([total, norm]).tolist()
        loss = summed_loss / max(tokens, 1)
        progress = state.progress
        lr = learning_rate(training, step=progress.step, fraction_done=fraction_done, epochs=progress.epochs)
        skipped = not (isfinite(loss) and isfinite(gradient_norm))
        if skipped:
            self._skip(loss, gradient_norm)
        else:
            with computing(state.precision, state.device):  # Muon multiplies matrices
                state.optimiser.step(lr)
            progress.skipped_in_row = 0
            if tokens:  # a batch without any has no likelihood
                progress.baseline = next_baseline(progress.baseline, -loss)
        return Update(loss=loss, tokens=tokens, gradient_norm=gradient_norm, lr=lr, skipped=skipped)

    def _skip(self, loss: float, gradient_norm: float) -> None:
        """Count a step whose gradient is not finite; raise NotFiniteError at the third in a row."""
        progress = self._state.progress
        progress.skipped += 1
        progress.skipped_in_row += 1
        if progress.skipped_in_row == MAX_SKIPPED_IN_ROW:
            clip = ", or set training.clip_norm" if self._training.clip_norm is None else " or training.clip_norm"
            message = (
                f"step {progress.step + 1}: the loss ({loss:.4g}) or its gradient ({gradient_norm:.4g}) is not finite,"
                f" {MAX_SKIPPED_IN_ROW} steps in a row: lower training.lr{clip}"
            )
            raise self._group.agreed(NotFiniteError(message))


def _scale_and_clip(model: Seq2Seq, *, scale: float, max_norm: float | None) -> Float[Tensor, ""]:
    """Multiply the gradient by `scale`, then shorten it to `max_norm` where it is longer; None: leave it.

    Returns the norm of the scaled gradient before it is shortened.
    """
    gradients = [weight.grad for weight in model.parameters() if weight.grad is not None]
    norm = scale * torch.nn.utils.get_total_norm(gradients)
    # Both in one multiplication: each by itself is a pass over all gradients.
    factor = torch.full_like(norm, scale) if max_norm is None else scale * (max_norm / norm).clamp(max=1.0)
    torch._foreach_mul_(gradients, factor)  # one call for all, as in torch's own clipping
    return norm
