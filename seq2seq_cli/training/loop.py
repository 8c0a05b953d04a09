"""The training loop: a generator of events. It does not print or save: its caller does.

Each epoch goes over all training pairs once, and a share of what helps them, in batches of similar lengths, and ends
with a validation, unless validations would take too much of a run that ends by the clock:

    batches -> update (encode, decode, loss, gradient, step) -> ... -> validation
"""

import time
from collections.abc import Generator, Iterator
from contextlib import closing

from seq2seq_cli.compute.process import FreedMemory
from seq2seq_cli.compute.process_group import SINGLE, ProcessGroup
from seq2seq_cli.config.choices import METRIC_NAMES
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.corpus.augmentation import Augmentation
from seq2seq_cli.corpus.batches import epoch_order
from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.counts import counted
from seq2seq_cli.decoding.load import translator_of
from seq2seq_cli.evaluation.held_out import HeldOutScores, read_pairs, score_split, watched_pairs
from seq2seq_cli.learning.training_state import Progress, TrainingState
from seq2seq_cli.learning.update import Update, Updater
from seq2seq_cli.training.events import Event, Finished, Step, Validated, Validating
from seq2seq_cli.training.feed import Mixture, feed

TRAINING_PER_VALIDATION = 19
"""With `max_minutes`, seconds of training after a validation per second that it took, before the next one: an epoch of
few pairs can be shorter than a validation. Without `max_minutes`, each epoch has one, so that no clock decides."""
STEPS_BETWEEN_LIMITS = 20
"""Updates between two checks of freed memory."""


class TrainingLoop:
    """The events of a run, from where `state` is to the end that the config sets.

    `state` is up to date whenever an event comes. All processes of a `group` have the same events, each with its share
    of every batch. Iterating raises TrainingError when the gradient is not finite several times in a row.
    """

    def __init__(
        self, state: TrainingState, corpus: PreparedCorpus, config: Config, group: ProcessGroup = SINGLE
    ) -> None:
        self._state, self._corpus, self._config, self._group = state, corpus, config, group
        self._now = time.monotonic()
        self._updater = Updater(state, config.training, group)
        attention = config.model.attention
        longest = attention.max_length - 1 if attention.has_places else None  # without EOS
        self._augmentation = Augmentation.of(config.training, corpus, stream=group.rank, longest=longest)
        self._mixture = Mixture.of(config.training, corpus)
        self._watched = watched_pairs(corpus)
        self._freed = FreedMemory()

    def __iter__(self) -> Iterator[Event]:
        progress, training = self._state.progress, self._config.training
        self._state.model.train()
        if end_reason(progress, training) and progress.validated_step < progress.step:
            # The process before this one stopped between two validations, with a later end in its config.
            yield Validating()
            yield self._validate()
        while (reason := end_reason(progress, training)) is None:
            is_over = yield from self._train_epoch()
            validated = None
            if is_validation_due(progress, training):
                yield Validating()
                validated = self._validate()
            if is_over:
                progress.epoch += 1
                progress.position = 0  # its sums stay until the next epoch begins: a validation may ask for them
            if validated:
                yield validated
        is_whole = progress.epoch >= training.epochs
        yield Finished(reason=reason, is_whole=is_whole, best=progress.best_in_words(training.metric))

    def _train_epoch(self) -> Generator[Step, None, bool]:
        """Train on the rest of the running epoch, as far as there is time; return whether the epoch is over."""
        training, progress = self._config.training, self._state.progress
        if not progress.position:
            progress.restart_epoch()
        epoch = progress.epoch
        train = self._mixture.of_epoch(epoch)
        order = epoch_order(train, size=training.batch_size, unit=training.batch_unit, seed=training.seed, epoch=epoch)
        progress.batches, progress.order_settings = len(order), order_of_pairs(training)
        # Every Nth pair: a batch is sorted by length, and all processes should need the same time.
        shares, start = [rows[self._group.rank :: self._group.size] for rows in order], progress.position
        batches = feed(train, shares, self._augmentation, epoch=epoch, start=start, device=self._state.device)
        with closing(batches):
            self._tick()
            for batch in batches:
                updated = self._updater.update(batch, fraction_done=fraction_done(progress, training))
                if progress.step % STEPS_BETWEEN_LIMITS == 0:
                    self._freed.limit()  # before the clock ticks: these seconds belong to the step
                yield self._count(updated)
                self._tick()  # what the caller did meanwhile does not belong to the next step
                if _time_is_over(progress, training):
                    break
        return progress.position >= len(order)

    def _count(self, updated: Update) -> Step:
        """Advance the progress by one update."""
        progress, seconds = self._state.progress, self._tick()
        progress.position += 1
        progress.step += 1
        progress.lr = updated.lr
        if not updated.skipped:
            progress.tokens += updated.tokens
            for tally in (progress.of_epoch, progress.of_record):
                tally.add(mean_loss=updated.loss, tokens=updated.tokens, seconds=seconds)
        return Step(
            epoch=progress.epoch + 1,
            epochs=progress.epochs,
            step=progress.step,
            seconds=seconds,
            run_seconds=progress.seconds,
            **vars(updated),
        )

    def _validate(self) -> Validated:
        """Score the validation split, and decide whether these are the best weights so far."""
        progress, training = self._state.progress, self._config.training
        self._tick()
        self._freed.give_back()
        scores = validate(self._state, self._corpus, self._config, self._group)
        translator = translator_of(self._state.model, self._corpus.codecs, self._config.decoding)
        attention = read_pairs(translator, self._watched)
        self._freed.give_back()
        progress.validation_seconds = self._tick()
        progress.validated_step, progress.validated_seconds = progress.step, progress.seconds
        by_metric = scores.by_metric() if scores else None
        is_best = by_metric is None or progress.improves(by_metric, training.metric)
        progress.validations_since_best = 0 if is_best else progress.validations_since_best + 1
        epoch, train_loss = progress.last_epoch, progress.of_epoch.mean_loss
        if is_best:
            progress.best_epoch, progress.best_scores = epoch, by_metric
        return Validated(
            epoch=epoch, step=progress.step, train_loss=train_loss, scores=scores, attention=attention, is_best=is_best
        )

    def _tick(self) -> float:
        """Add the seconds since the last tick, by the main process's clock, to the progress, and return them."""
        before, self._now = self._now, time.monotonic()
        (passed,) = self._group.sum([self._now - before if self._group.is_main else 0.0])
        self._state.progress.seconds += passed
        return passed


def validate(
    state: TrainingState, corpus: PreparedCorpus, config: Config, group: ProcessGroup = SINGLE
) -> HeldOutScores | None:
    """The scores of the weights by greedy search; None without held-out pairs."""
    if not len(corpus.split("valid")):
        return None
    greedy = config.decoding.model_copy(update={"beam_size": 1, "sampling": False})
    return score_split(state.model, translator_of(state.model, corpus.codecs, greedy), corpus, "valid", group)


def order_of_pairs(training: TrainingConfig) -> tuple[int, str, int, float, float]:
    """The settings that choose the pairs of an epoch and put them in their order."""
    return training.batch_size, training.batch_unit, training.seed, training.help.own_share, training.help.least_covered


def end_reason(progress: Progress, training: TrainingConfig) -> str | None:
    """The reason why the run is over, as a phrase; None when it is not.

    A run that was stopped between its last update and the validation after it does not end when its time is over:
    it would have scores of older weights, or none.
    """
    if progress.epoch >= training.epochs:
        return "the only epoch is done" if training.epochs == 1 else f"all {training.epochs} epochs are done"
    if training.patience is not None and progress.validations_since_best >= training.patience:
        validations = counted(training.patience, "validation")
        return f"no better {METRIC_NAMES[progress.deciding(training.metric)]} in {validations}"
    if _time_is_over(progress, training) and progress.validated_step == progress.step:
        return f"{training.max_minutes:g}-minute limit reached"
    return None


def is_validation_due(progress: Progress, training: TrainingConfig) -> bool:
    """Whether a validation follows the running epoch, whose last update is done."""
    if training.max_minutes is None or _time_is_over(progress, training) or progress.epoch + 1 >= training.epochs:
        return True
    seconds = progress.seconds - progress.validated_seconds
    return seconds >= TRAINING_PER_VALIDATION * progress.validation_seconds


def is_ended_by_time(progress: Progress, training: TrainingConfig) -> bool:
    """Whether the run is over because of `max_minutes` alone."""
    endless = training.model_copy(update={"max_minutes": None})
    return _time_is_over(progress, training) and end_reason(progress, endless) is None


def fraction_done(progress: Progress, training: TrainingConfig) -> float:
    """The fraction of the run that is over, 0 to 1: of its epochs or of its time, whichever is more."""
    of_epochs = progress.epochs / training.epochs
    if training.max_minutes is None:
        return min(1.0, of_epochs)
    seconds = training.max_minutes * 60 - training.seconds_to_choose
    seconds_to_train = max(1e-9, seconds - progress.validation_seconds)
    return min(1.0, max(of_epochs, progress.seconds / seconds_to_train))


def _time_is_over(progress: Progress, training: TrainingConfig) -> bool:
    """Whether no more fits into max_minutes than a validation as long as the last, and the choice of decoding keys."""
    if training.max_minutes is None:
        return False
    return progress.seconds + progress.validation_seconds + training.seconds_to_choose >= training.max_minutes * 60
