"""The training loop: a generator of events. It neither prints nor saves nor heeds the user: its caller does.

Each epoch goes over all training pairs once, in batches of like length, and ends with a validation:

    encode the sources -> feed the decoder true words or its own -> loss -> clip the gradient -> step down it
"""

import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from seq2seq_cli.compute.memory import FreedMemory
from seq2seq_cli.compute.process_group import SINGLE, ProcessGroup
from seq2seq_cli.config.schema import Config, TrainingConfig
from seq2seq_cli.corpus.batches import Batch, epoch_order
from seq2seq_cli.corpus.noise import Noise
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.learning.schedule import next_factor
from seq2seq_cli.learning.state import Progress, TrainingState
from seq2seq_cli.learning.update import Objective, Update, update
from seq2seq_cli.training.events import Event, Finished, Step, Validated
from seq2seq_cli.training.feed import feed
from seq2seq_cli.training.validation import validate

STEPS_BETWEEN_LIMITS = 20
"""Updates until what was freed is looked at again: returning it costs as much as a fifth of one."""


def train(
    state: TrainingState,
    corpus: PreparedCorpus,
    config: Config,
    device: torch.device,
    group: ProcessGroup = SINGLE,
) -> Iterator[Event]:
    """Train from where `state` is to the end that the config sets; `state` is up to date whenever an event comes.

    The processes of a `group` go through the same events, each with its share of every batch. Raises TrainingError when
    the gradient is not finite again and again.
    """
    clock = _Clock(state.progress, group)
    objective = group.wrap(Objective(state.model))
    loop = _Loop(
        state=state,
        corpus=corpus,
        config=config,
        device=device,
        group=group,
        clock=clock,
        objective=objective,
        freed=FreedMemory(),
    )
    return loop.run()


class _Clock:
    """Keeps `progress.seconds`: of the main process, so that all decide alike what depends on the time."""

    def __init__(self, progress: Progress, group: ProcessGroup) -> None:
        self._progress = progress
        self._group = group
        self._now = time.monotonic()

    def tick(self) -> float:
        """Seconds since the tick before."""
        before, self._now = self._now, time.monotonic()
        (passed,) = self._group.sum([self._now - before if self._group.is_main else 0.0])
        self._progress.seconds += passed
        return passed


@dataclass(frozen=True, kw_only=True)
class _Loop:
    state: TrainingState
    corpus: PreparedCorpus
    config: Config
    device: torch.device
    group: ProcessGroup
    clock: _Clock
    objective: nn.Module
    freed: FreedMemory

    def run(self) -> Iterator[Event]:
        progress, training = self.state.progress, self.config.training
        self.state.model.train()
        while (reason := end_reason(progress, training)) is None:
            is_over = yield from self._epoch()
            validated = self._validate()
            if is_over:
                progress.epoch += 1
                progress.restart_epoch()
            yield validated
        yield Finished(reason=reason)

    def _epoch(self) -> Generator[Step, None, bool]:
        """The rest of the running epoch, or as much of it as there is time for; whether it is over."""
        training, progress = self.config.training, self.state.progress
        order = epoch_order(
            self.corpus.split("train"),
            size=training.batch_size,
            unit=training.batch_unit,
            seed=training.seed,
            epoch=progress.epoch,
        )
        progress.batches = len(order)
        with closing(self._batches(order)) as batches:
            self.clock.tick()
            for group in _groups(batches, training.accumulate):
                done = share_done(progress, training)
                updated = update(self.state, group, training, done=done, group=self.group, objective=self.objective)
                if progress.step % STEPS_BETWEEN_LIMITS == 0:
                    self.freed.limit()  # before the count, whose seconds it belongs to
                yield self._count(updated, batches_done=len(group))
                self.clock.tick()  # what the caller did meanwhile is no part of the next step
                if _time_is_over(progress, training):
                    break
        return progress.position == len(order)

    def _batches(self, order: Sequence[NDArray[np.int64]]) -> Generator[Batch, None, None]:
        """The share of this process in each of the batches that are left."""
        progress, ids = self.state.progress, self.corpus.split("train")
        noise = Noise.of(self.config.training, self.corpus, stream=self.group.rank)
        shares = [share(rows, self.group) for rows in order]
        batches = feed(ids, shares, noise, epoch=progress.epoch, start=progress.position, device=self.device)
        with closing(batches):
            for rows, batch in zip(order[progress.position :], batches, strict=True):
                yield batch if self.group.rank < len(rows) else batch.without_targets()

    def _count(self, updated: Update, *, batches_done: int) -> Step:
        """Move the progress on by one update."""
        progress, seconds = self.state.progress, self.clock.tick()
        progress.position += batches_done
        progress.step += 1
        progress.lr = updated.lr
        if not updated.skipped:
            progress.tokens += updated.tokens
            for tally in (progress.of_epoch, progress.of_record):
                tally.add(loss=updated.loss, tokens=updated.tokens, seconds=seconds)
        return Step(
            epoch=progress.epoch + 1,
            position=progress.position,
            batches=progress.batches,
            step=progress.step,
            loss=updated.loss / updated.tokens,
            tokens=updated.tokens,
            gradient_norm=updated.gradient_norm,
            lr=updated.lr,
            seconds=seconds,
            skipped=updated.skipped,
            halved=updated.halved,
        )

    def _validate(self) -> Validated:
        """Score the held-out pairs, and judge by them whether this is the best model so far."""
        progress, metric = self.state.progress, self.config.training.best_metric
        self.clock.tick()
        with self.freed.other_sizes():
            result = validate(self.state, self.corpus, self.config, self.device, self.group)
        progress.validation_seconds = self.clock.tick()
        progress.validated_step = progress.step
        scores = result.scores.by_metric() if result.scores else None
        is_best = scores is None or progress.improves(scores, metric)
        progress.validations_since_best = 0 if is_best else progress.validations_since_best + 1
        if self.config.training.schedule == "plateau":
            progress.lr_factor = next_factor(progress.lr_factor, improved=is_best)
        if is_best:
            progress.best_epoch, progress.best_scores = progress.epoch + 1, scores
        return Validated(
            epoch=progress.epoch + 1,
            step=progress.step,
            train_loss=progress.of_epoch.mean_loss,
            scores=result.scores,
            averaged=result.averaged,
            is_best=is_best,
        )


def share(rows: NDArray[np.int64], group: ProcessGroup) -> NDArray[np.int64]:
    """The pairs of a batch that fall to this process; the first one where there are fewer pairs than processes.

    Every Nth of them: the pairs of a batch are sorted by length, and all processes should be done at the same time.
    """
    return rows[group.rank :: group.size] if group.rank < len(rows) else rows[:1]


def end_reason(progress: Progress, training: TrainingConfig) -> str | None:
    """Why the training is over, as a phrase; None when it is not.

    What was stopped between its last update and the validation after it is not over when the time is: it would have
    scores of older weights, or none.
    """
    if progress.epoch >= training.epochs:
        return "the only epoch is done" if training.epochs == 1 else f"all {training.epochs} epochs are done"
    if training.patience is not None and progress.validations_since_best >= training.patience:
        count = "1 validation" if training.patience == 1 else f"{training.patience} validations"
        return f"no better {training.best_metric} in {count}"
    if _time_is_over(progress, training) and progress.validated_step == progress.step:
        return f"training.max_minutes ({training.max_minutes:g}) is over"
    return None


def share_done(progress: Progress, training: TrainingConfig) -> float:
    """How much of the training is over, from 0 to 1: of its epochs or of its time, whichever is more."""
    of_epochs = progress.epochs / training.epochs
    if training.max_minutes is None:
        return min(1.0, of_epochs)
    seconds_to_train = max(1e-9, training.max_minutes * 60 - progress.validation_seconds)
    return min(1.0, max(of_epochs, progress.seconds / seconds_to_train))


def _time_is_over(progress: Progress, training: TrainingConfig) -> bool:
    """Whether what is left is needed for the last validation, which may take as long as the one before."""
    if training.max_minutes is None:
        return False
    return progress.seconds + progress.validation_seconds >= training.max_minutes * 60


def _groups(batches: Iterable[Batch], size: int) -> Iterator[list[Batch]]:
    """So many at a time; the last ones may be fewer."""
    iterator = iter(batches)
    while group := list(islice(iterator, size)):
        yield group
