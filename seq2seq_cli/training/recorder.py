"""The recorder of a session: checkpoints, weights and metrics in the run folder."""

import logging
from collections.abc import Callable
from typing import Any

from seq2seq_cli.errors import ExportError
from seq2seq_cli.learning.training_state import Tally
from seq2seq_cli.runs.layout import CARD, write_latest
from seq2seq_cli.runs.records import EndRecord, EpochRecord, InterruptRecord, Record, StepRecord
from seq2seq_cli.training.events import Event, Finished, Step, Validated
from seq2seq_cli.training.report import model_card
from seq2seq_cli.training.session import Session

STEPS_PER_RECORD = 100

logger = logging.getLogger(__name__)


class Recorder:
    """Writes what a session must not lose: the main process writes, and the others learn whether it could."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._run, self._state, self._group = session.run, session.state, session.group
        self._training = session.config.training
        self._saved_at = session.state.progress.seconds
        self._has_best = False
        """Whether weights were the best ones since this start or resume."""

    def record(self, event: Event) -> None:
        """Write the metrics of an event and, after a validation, the weights."""
        progress = self._state.progress
        match event:
            case Step() if event.step % STEPS_PER_RECORD == 0:
                tally, progress.of_record = progress.of_record, Tally()
                self._write(
                    StepRecord,
                    train_loss=tally.mean_loss,
                    lr=event.lr,
                    gradient_norm=event.gradient_norm,
                    tokens_per_second=round(tally.tokens / tally.seconds) if tally.seconds else None,
                    skipped=progress.skipped,
                )
            case Validated(scores=scores):
                self._group.on_main(lambda: self._keep_weights(event))
                attention = scores.attention if scores else None
                self._write(
                    EpochRecord,
                    lr=progress.lr,
                    train_loss=event.train_loss,
                    attention_entropy=attention.entropy if attention else None,
                    words_on_marks=attention.words_on_marks if attention else None,
                    attention=event.attention,
                    best=event.is_best,
                    **(scores.recorded() if scores else {}),
                )
            case Finished():
                self._write(EndRecord, reason=event.reason)

    def is_save_due(self, event: Event) -> bool:
        """Whether a checkpoint is to be saved after an event."""
        seconds = self._state.progress.seconds - self._saved_at
        is_late = isinstance(event, Step) and seconds >= self._training.save_minutes * 60
        return is_late or isinstance(event, Validated)

    def save(self) -> None:
        """Write the checkpoint to resume from."""
        random = self._group.gather(self._state.random_state())
        self._group.on_main(lambda: self._run.save_last(self._state.checkpoint(random)))
        self._saved_at = self._state.progress.seconds

    def interrupt(self) -> None:
        """Record an interruption, after the checkpoint: a resumed run has the records up to its checkpoint alone."""
        self._write(InterruptRecord)
        if self._state.progress.best_epoch:
            self._group.on_main(lambda: self._run.write_text(CARD, model_card(self._session)))

    def _write(self, kind: Callable[..., Record], **values: Any) -> None:
        """Append a record of a kind, with the position of the run, to the metrics."""
        progress = self._state.progress
        record = kind(
            step=progress.step,
            epoch=progress.last_epoch,
            epochs=progress.epochs,
            seconds=round(progress.seconds, 1),
            tokens=progress.tokens,
            **values,
        )
        self._group.on_main(lambda: self._run.append_metrics(record))

    def _keep_weights(self, event: Validated) -> None:
        """Save the weights, and the card as far as it is known: the best weights have one whatever comes later.

        The first best ones name the run in runs/latest and are exported: the graphs serve all that follow.
        """
        model, run = self._state.model, self._run
        if event.is_best:
            run.save_best(model.weights())
            if not self._has_best:
                self._has_best = True
                if problem := write_latest(run.path):
                    logger.warning(problem)
                from seq2seq_cli.decoding.engines.graphs import export_best  # not above: ONNX takes time to load

                try:
                    export_best(run.path, model, self._session.config)
                except (ExportError, OSError) as error:
                    logger.warning("%s: the run translates with torch alone", error)
        run.save_epoch(model.weights(), event.epoch, self._training.keep)
        run.write_text(CARD, model_card(self._session))
