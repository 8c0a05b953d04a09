"""How a training looks on a terminal: a bar an epoch, and a line when it is over."""

import sys
from typing import Any

from tqdm import tqdm

from seq2seq_cli.training.events import Event, Step, Validated

SMOOTHING = 0.98


class TrainingBar:
    """Shows the events of a training on stderr; the bar only where stderr is a terminal."""

    def __init__(self) -> None:
        self._bar: tqdm[Any] | None = None
        self._loss = 0.0
        self._tokens = 0

    def show(self, event: Event) -> None:
        """Draw one event."""
        match event:
            case Step():
                self._step(event)
            case Validated():
                self.close()
                sys.stderr.write(_epoch_line(event) + "\n")

    def close(self) -> None:
        """Leave the terminal in order."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _step(self, event: Step) -> None:
        if self._bar is None:
            self._bar = _open_bar(event)
            self._loss, self._tokens = event.loss, 0
        self._loss = SMOOTHING * self._loss + (1 - SMOOTHING) * event.loss
        self._tokens += event.tokens
        if not self._bar.disable:
            seconds = self._bar.format_dict["elapsed"] or 1e-9
            self._bar.set_postfix_str(f"loss {self._loss:.3f}, {self._tokens / seconds:,.0f} tokens/s", refresh=False)
            self._bar.update()


def _open_bar(event: Step) -> "tqdm[Any]":
    return tqdm(
        total=event.batches,
        initial=event.position - 1,
        desc=f"epoch {event.epoch}",
        unit=" batches",
        leave=False,
        # No bar unless stderr is a terminal.
        disable=None,
    )


def _epoch_line(event: Validated) -> str:
    line = f"epoch {event.epoch}: train loss {event.train_loss:.3f}"
    if event.valid_loss is not None and event.bleu is not None:
        line += f", valid loss {event.valid_loss:.3f}, BLEU {event.bleu.value:.1f}"
    return line + (" (best)" if event.is_best else "")
