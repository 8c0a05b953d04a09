"""The events of a training run on stderr: a bar on a terminal, elsewhere a line per minute; a line per validation."""

import math
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Never

from tqdm import tqdm

from seq2seq_cli.cli.terminal import WARNING, bar_stream, call_before_text
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import one_line
from seq2seq_cli.runs.in_words import loss_in_words

if TYPE_CHECKING:
    from seq2seq_cli.config.schema.training import TrainingConfig
    from seq2seq_cli.training.events import Event, Started, Step, Validated

_SMOOTHING = 0.98
_SECONDS_PER_DRAWING = 0.1
_SECONDS_PER_LINE = 60
"""Least time between a line and the next progress, by the clock of the run."""


class TrainingBar:
    """Shows the events of a training run on stderr."""

    def __init__(self) -> None:
        self._bar: tqdm[Never] | None = None
        """The bar, in per cent; None before the first step and on a stderr that is no terminal."""
        self._training: TrainingConfig | None = None
        self._epoch = 0
        self._drawn_at = 0.0
        self._told_at: float | None = None
        self._loss = 0.0
        self._tokens = 0
        self._seconds = 0.0
        self._warned_of_halves = False

    def show(self, event: "Event") -> None:
        """Show one event."""
        # Not above: torch, which is loaded by the time of the first event; a mistake is told before.
        from seq2seq_cli.training.events import Finished, Report, Started, Step, Validated, Validating

        match event:
            case Started():
                self._training = event.training
                for line in _start_lines(event):
                    self._tell(line)
            case Step():
                self._step(event)
            case Validating():
                self._name_work("scoring the validation split")
            case Validated():
                self._tell(_epoch_line(event))
            case Finished():
                ended = "finished" if event.is_whole else "stopped"
                self._tell(f"{ended}: {event.reason}; best: {event.best}")
                self._name_work("scoring the test split")
            case Report():
                self.close()

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            call_before_text(lambda: None)
            self._bar = None

    def _tell(self, line: str) -> None:
        """Write a line that stays, in place of the bar until its next drawing."""
        if self._bar is not None:
            self._bar.clear()
        self._told_at = None
        sys.stderr.write(f"{one_line(line)}\n")
        sys.stderr.flush()

    def _name_work(self, title: str) -> None:
        """Name the work that is under way, on a terminal alone."""
        if self._bar is not None:
            self._bar.set_postfix_str(title)

    def _step(self, event: "Step") -> None:
        if event.halved and not self._warned_of_halves:
            self._warned_of_halves = True
            self._tell(
                f"{WARNING}step {event.step}: the batch did not fit in memory and was computed in two halves, as"
                " others may be from now on: a lower training.batch_size is faster"
            )
        if event.skipped:
            self._tell(f"{WARNING}step {event.step}: skipped, its gradient is not finite")
            return
        if event.epoch != self._epoch:
            self._epoch, self._loss, self._tokens, self._seconds = event.epoch, event.loss, 0, 0.0
        self._loss = _SMOOTHING * self._loss + (1 - _SMOOTHING) * event.loss
        self._tokens += event.tokens
        self._seconds += event.seconds
        is_due = event.run_seconds - self._drawn_at >= _SECONDS_PER_DRAWING or event.position == event.batches
        if self._training and is_due:
            self._drawn_at = event.run_seconds
            self._show_progress(event, self._training)

    def _show_progress(self, event: "Step", training: "TrainingConfig") -> None:
        """Show how far the run is: on a terminal at once, elsewhere when nothing was shown for a minute."""
        fraction, left = _progress(event, training)
        bound = "left" if training.patience is None else "left at most"
        speed = f"{self._tokens / max(self._seconds, 1e-9):,.0f} tokens/s"
        words = f"{_clock(left)} {bound}, loss {loss_in_words(self._loss)}, {speed}"
        epoch = f"epoch {event.epoch}/{training.epochs}"
        if bar_stream().isatty():
            if self._bar is None:
                self._bar = _new_bar()
                call_before_text(self._bar.clear)
            self._bar.n = 100 * fraction
            self._bar.set_description_str(epoch, refresh=False)
            self._bar.set_postfix_str(words)
            return
        if self._told_at is None:
            self._told_at = event.run_seconds
        if event.run_seconds - self._told_at >= _SECONDS_PER_LINE:
            self._tell(f"{epoch}: {math.floor(100 * fraction)}%, {words}")


def _new_bar() -> "tqdm[Never]":
    form = "{desc} {percentage:3.0f}% {bar}{postfix}"
    return tqdm(total=100, bar_format=form, leave=False, file=bar_stream(), dynamic_ncols=True)


def _progress(event: "Step", training: "TrainingConfig") -> tuple[float, float]:
    """The finished fraction of the run, and the seconds that are left of it."""
    left = event.run_seconds / event.epochs * (training.epochs - event.epochs)
    if training.max_minutes is not None:
        left = min(left, max(0.0, 60 * training.max_minutes - event.run_seconds))
    return event.run_seconds / max(event.run_seconds + left, 1e-9), left


def _clock(seconds: float) -> str:
    """A time as m:ss or h:mm:ss."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


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
    line = f"epoch {event.epoch}: train loss {loss_in_words(event.train_loss)}"
    if scores := event.scores:
        line += f", valid loss {loss_in_words(scores.loss)}"
        line += f", greedy BLEU {scores.bleu.value:.1f}, chrF {scores.chrf.value:.1f}"
    return line + (" (best)" if event.is_best else "")
