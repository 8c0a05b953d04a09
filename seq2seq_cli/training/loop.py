"""The training loop: a generator of events. It neither prints nor saves nor decides to stop: its caller does.

Each epoch goes over all training pairs once, in batches of like length, and ends with a validation:

    encode the sources -> feed the decoder true words or its own -> loss -> clip the gradient -> Adam
"""

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray

from seq2seq_cli.config.schema import Config, TrainingConfig
from seq2seq_cli.corpus.batches import Batch, collate, epoch_order
from seq2seq_cli.corpus.noise import Noise
from seq2seq_cli.corpus.prepared import ParallelIds, PreparedCorpus
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import TrainingError
from seq2seq_cli.training.events import Event, Step, Validated
from seq2seq_cli.training.forcing import forcing_probability
from seq2seq_cli.training.loss import batch_loss
from seq2seq_cli.training.precision import Precision, choose_precision, computing
from seq2seq_cli.training.reinforce import next_baseline
from seq2seq_cli.training.state import Progress, TrainingState
from seq2seq_cli.training.validation import mean_loss, score_translations


def train(state: TrainingState, corpus: PreparedCorpus, config: Config, device: torch.device) -> Iterator[Event]:
    """Train from where `state` is to the config's last epoch; `state` is up to date whenever an event comes.

    Raises TrainingError when the loss or the gradient is not finite; the weights are then as before that step.
    """
    state.model.train()
    while state.progress.epoch < config.training.epochs:
        yield from _epoch(state, corpus, config, device)
        yield _close_epoch(state, corpus, config, device)


def _epoch(state: TrainingState, corpus: PreparedCorpus, config: Config, device: torch.device) -> Iterator[Step]:
    """The rest of the epoch that `state` is in."""
    ids, training, progress = corpus.split("train"), config.training, state.progress
    precision = choose_precision(training.precision, device)
    order = epoch_order(ids, batch_size=training.batch_size, seed=training.seed, epoch=progress.epoch)
    noise = Noise.of(training, corpus)
    for rows in order[progress.position :]:
        batch = _batch(ids, rows, noise, progress).to(device)
        loss, tokens, gradient_norm = _update(state, batch, training, precision)
        progress.position += 1
        progress.step += 1
        progress.epoch_loss += loss
        progress.epoch_tokens += tokens
        yield Step(
            epoch=progress.epoch + 1,
            position=progress.position,
            batches=len(order),
            step=progress.step,
            loss=loss / tokens,
            tokens=tokens,
            gradient_norm=gradient_norm,
        )


def _batch(ids: ParallelIds, rows: NDArray[np.int64], noise: Noise | None, progress: Progress) -> Batch:
    """The pairs of the given rows, with the noise that training adds."""
    if noise is None:
        return collate(ids, rows)
    noisy = noise.apply(ids, rows, epoch=progress.epoch, position=progress.position)
    return collate(noisy, np.arange(len(noisy)))


def _update(
    state: TrainingState, batch: Batch, training: TrainingConfig, precision: Precision
) -> tuple[float, int, float]:
    """One step of the optimiser: summed loss, target tokens, gradient norm before clipping."""
    state.optimiser.zero_grad()
    progress = state.progress
    with computing(precision, batch.src.device):
        losses = batch_loss(
            state.model,
            batch,
            teacher_forcing=forcing_probability(training, progress.step),
            unit=training.teacher_forcing_unit,
            baseline=progress.baseline,
            label_smoothing=training.label_smoothing,
        )
        torch.autograd.backward(losses.objective / losses.tokens)
    loss, tokens = losses.nll, losses.tokens
    norm = torch.nn.utils.clip_grad_norm_(state.model.parameters(), training.clip_norm)
    if not (loss.isfinite() and norm.isfinite()):
        raise TrainingError(
            f"step {progress.step + 1}: the loss ({loss.item():.4g}) or its gradient ({norm.item():.4g})"
            " is not finite; try a lower training.lr or training.clip_norm"
        )
    state.optimiser.step()
    progress.baseline = next_baseline(progress.baseline, -loss.item() / tokens)
    return loss.item(), tokens, norm.item()


def _close_epoch(state: TrainingState, corpus: PreparedCorpus, config: Config, device: torch.device) -> Validated:
    """Validate, and move `state` to the start of the next epoch."""
    progress = state.progress
    valid_loss, bleu = None, None
    if len(corpus.split("valid")):
        valid_loss = mean_loss(state.model, corpus.split("valid"), device)
        translator = Translator(state.model, corpus.src_codec, corpus.tgt_codec, config.decoding, device)
        bleu = score_translations(translator, corpus.sentences("valid"))
    train_loss = progress.epoch_loss / progress.epoch_tokens
    progress.epoch += 1
    progress.restart_epoch()
    is_best = bleu is None or valid_loss is None or progress.improves(bleu.value, valid_loss)
    if is_best:
        progress.best_epoch = progress.epoch
        progress.best_bleu = bleu.value if bleu else None
        progress.best_loss = valid_loss
    return Validated(
        epoch=progress.epoch,
        step=progress.step,
        train_loss=train_loss,
        valid_loss=valid_loss,
        bleu=bleu,
        is_best=is_best,
    )
