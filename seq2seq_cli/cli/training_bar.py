"""The events of a run on stderr: a bar on a terminal, elsewhere a line per minute; a line per validation."""

import math
from datetime import timedelta
from typing import TYPE_CHECKING, Never

from tqdm import tqdm

from seq2seq_cli.cli.terminal import bar_stream, tell, warn
from seq2seq_cli.counts import loss_in_words

if TYPE_CHECKING:
    from seq2seq_cli.config.schema.training import TrainingConfig
    from seq2seq_cli.training.events import Event, Step, Validated

_SMOOTHING = 0.98
_SECONDS_PER_DRAWING = 0.1
_SECONDS_PER_LINE = 60
"""By the clock of the run."""


class TrainingBar:
    """Shows the events of a run on stderr."""

    def __init__(self) -> None:
        self._bar: tqdm[Never] | None = None
        """The bar, in per cent; None before the first step and on a stderr that is no terminal."""
        self._training: TrainingConfig | None = None
        self._epoch = self._tokens = 0
        self._loss = self._seconds = self._shown_at = 0.0

    def show(self, event: "Event") -> None:
        """Show one event."""
        # Not above: torch, which is loaded by the time of the first event; a mistake is told before.
        from seq2seq_cli.training.events import Finished, Report, Started, Step, Validated, Validating

        match event:
            case Started():
                self._training, self._epoch, self._shown_at = event.training, 0, 0.0
                for line in event.lines:
                    tell(line, begin="")
            case Step():
                self._step(event)
            case Validating() if self._bar is not None:
                self._bar.set_postfix_str("scoring held-out sentences")
            case Validated():
                tell(_epoch_line(event), begin="")
            case Finished():
                tell(f"{'finished' if event.is_whole else 'stopped'}: {event.reason}; best: {event.best}", begin="")
                if self._bar is not None:
                    self._bar.set_postfix_str("the test, and what translating needs")
            case Report():
                self.close()

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _step(self, event: "Step") -> None:
        if event.skipped:
            warn(f"step {event.step}: skipped, its gradient is not finite")
            return
        if event.epoch != self._epoch:
            self._epoch, self._loss, self._tokens, self._seconds = event.epoch, event.loss, 0, 0.0
        self._loss = _SMOOTHING * self._loss + (1 - _SMOOTHING) * event.loss
        self._tokens += event.tokens
        self._seconds += event.seconds
        period = _SECONDS_PER_DRAWING if bar_stream().isatty() else _SECONDS_PER_LINE
        training = self._training
        if training is None or event.run_seconds - self._shown_at < period:
            return
        self._shown_at = event.run_seconds
        left = event.run_seconds / event.epochs * (training.epochs - event.epochs)
        if training.max_minutes is not None:
            left = min(left, max(0.0, 60 * training.max_minutes - event.run_seconds))
        per_cent = 100 * event.run_seconds / max(event.run_seconds + left, 1e-9)
        clock = timedelta(seconds=round(left))
        bound = "left" if training.patience is None else "left at most"
        speed = f"{self._tokens / max(self._seconds, 1e-9):,.0f} tokens/s"
        words = f"{clock} {bound}, loss {loss_in_words(self._loss)}, {speed}"
        epoch = f"epoch {event.epoch}/{training.epochs}"
        if not bar_stream().isatty():
            tell(f"{epoch}: {math.floor(per_cent)}%, {words}", begin="")
            return
        if self._bar is None:
            form = "{desc} {percentage:3.0f}% {bar}{postfix}"
            self._bar = tqdm(total=100, bar_format=form, leave=False, file=bar_stream(), dynamic_ncols=True)
        self._bar.n = per_cent
        self._bar.set_description_str(epoch, refresh=False)
        self._bar.set_postfix_str(words)


def _epoch_line(event: "Validated") -> str:
    line = f"epoch {event.epoch}: train loss {loss_in_words(event.train_loss)}"
    if scores := event.scores:
        line += f", valid loss {loss_in_words(scores.loss)}"
        line += f", greedy BLEU {scores.bleu.value:.1f}, chrF {scores.chrf.value:.1f}"
    return line + (" (best)" if event.is_best else "")
