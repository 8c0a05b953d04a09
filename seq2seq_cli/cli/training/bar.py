"""The events of a training on stderr."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from seq2seq_cli.cli.terminal.notices import WARNING
from seq2seq_cli.cli.training.display import TESTING, VALIDATING, Display, epoch_line
from seq2seq_cli.cli.training.standing import Standing
from seq2seq_cli.counts import counted

if TYPE_CHECKING:
    from seq2seq_cli.config.schema.training import TrainingConfig
    from seq2seq_cli.training.events import Event, Started, Step, Validated

SMOOTHING = 0.98
_SECONDS_PER_DRAWING = 0.1


class TrainingBar:
    """Shows the events of a training on stderr."""

    def __init__(self) -> None:
        self._display = Display()
        self._training: TrainingConfig | None = None
        self._epoch = 0
        self._drawn_at = 0.0
        self._loss = 0.0
        self._tokens = 0
        self._seconds = 0.0
        self._warned_of_halves = False

    def show(self, event: "Event") -> None:
        """Show one event."""
        from seq2seq_cli.training.events import (
            Finished,
            Report,
            Started,
            Step,
            Validated,
            Validating,
        )  # not above: torch

        match event:
            case Started():
                self._training = event.training
                for line in _start_lines(event):
                    self._display.tell(line)
            case Step():
                self._step(event)
            case Validating():
                self._display.work(VALIDATING)
            case Validated():
                self._display.tell(_epoch_line(event))
            case Finished():
                ended = "finished" if event.is_whole else "stopped"
                self._display.tell(f"{ended}: {event.reason}; best: {event.best}")
                self._display.work(TESTING)
            case Report():
                self.close()

    def close(self) -> None:
        """Remove the bar."""
        self._display.close()

    def _step(self, event: "Step") -> None:
        if event.halved and not self._warned_of_halves:
            self._warned_of_halves = True
            self._display.tell(
                f"{WARNING}step {event.step}: the batch did not fit in memory and was computed in two halves, as"
                " others may be from now on: a lower training.batch_size is faster"
            )
        if event.skipped:
            self._display.tell(f"{WARNING}step {event.step}: skipped, its gradient is not finite")
            return
        if event.epoch != self._epoch:
            self._epoch, self._loss, self._tokens, self._seconds = event.epoch, event.loss, 0, 0.0
        self._loss = SMOOTHING * self._loss + (1 - SMOOTHING) * event.loss
        self._tokens += event.tokens
        self._seconds += event.seconds
        is_due = event.run_seconds - self._drawn_at >= _SECONDS_PER_DRAWING or event.position == event.batches
        if self._training and is_due:
            self._drawn_at = event.run_seconds
            self._display.show(
                Standing(
                    training=self._training,
                    epoch=event.epoch,
                    epochs=event.epochs,
                    seconds=event.run_seconds,
                    loss=self._loss,
                    tokens_per_second=self._tokens / max(self._seconds, 1e-9),
                )
            )


def _start_lines(event: "Started") -> Iterator[str]:
    yield from event.changes
    yield (
        f"training {event.run} on {event.device}"
        + (f" in each of {event.processes} processes" if event.processes > 1 else "")
        + f", {event.precision}: {counted(event.pairs, 'pair')}, {event.parameters:,} parameters"
        + (f", begun with the weights of {event.init_from}" if event.init_from else "")
        + (f", from step {event.step} in epoch {event.epoch}" if event.step else "")
    )
    if event.redraws:
        yield "another number of processes than before: dropout and teacher forcing are drawn again"


def _epoch_line(event: "Validated") -> str:
    scores = event.scores
    return epoch_line(
        event.epoch,
        event.train_loss,
        loss=scores.loss if scores else None,
        bleu=scores.bleu.value if scores else None,
        chrf=scores.chrf.value if scores else None,
        averaged=event.averaged,
        is_best=event.is_best,
    )
