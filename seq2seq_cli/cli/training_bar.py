"""The events of a training on stderr: a bar per epoch, and a line when the epoch is over."""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from seq2seq_cli.cli.terminal.safe_stream import bar_stream
from seq2seq_cli.errors import one_line

if TYPE_CHECKING:
    from seq2seq_cli.training.events import Event, Started, Step, Validated

SMOOTHING = 0.98


class TrainingBar:
    """Shows the events of a training on stderr; the bar only where stderr is a terminal."""

    def __init__(self) -> None:
        self._bar: tqdm[Any] | None = None
        self._loss = 0.0
        self._tokens = 0
        self._seconds = 0.0
        self._warned_of_halves = False

    def show(self, event: "Event") -> None:
        """Show one event."""
        from seq2seq_cli.training.events import Finished, Started, Step, Validated  # not above: torch

        match event:
            case Started():
                sys.stderr.writelines(f"{one_line(line)}\n" for line in _start_lines(event))
            case Step():
                self._step(event)
            case Validated():
                self.close()
                sys.stderr.write(_epoch_line(event) + "\n")
            case Finished():
                sys.stderr.write(event.reason + "\n")

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def _step(self, event: "Step") -> None:
        if event.halved and not self._warned_of_halves:
            self._warned_of_halves = True
            tqdm.write(
                f"s2s: warning: step {event.step}: the batch did not fit in memory and was computed in two halves, as"
                " others may be from now on: a lower training.batch_size is faster",
                file=bar_stream(),
            )
        if event.skipped:
            tqdm.write(f"s2s: warning: step {event.step}: skipped, its gradient is not finite", file=bar_stream())
            return
        if self._bar is None:
            self._bar = tqdm(
                total=event.batches,
                initial=max(0, event.position - 1),
                desc=f"epoch {event.epoch}",
                unit=" batches",
                leave=False,
                file=bar_stream(),
                disable=None,  # no bar unless stderr is a terminal
            )
            self._loss, self._tokens, self._seconds = event.loss, 0, 0.0
        self._loss = SMOOTHING * self._loss + (1 - SMOOTHING) * event.loss
        self._tokens += event.tokens
        self._seconds += event.seconds
        if not self._bar.disable:
            speed = f"{self._tokens / max(self._seconds, 1e-9):,.0f} tokens/s"
            self._bar.set_postfix_str(f"loss {self._loss:.3f}, lr {event.lr:.2g}, {speed}", refresh=False)
            self._bar.update(event.position - self._bar.n)


def _start_lines(event: "Started") -> Iterator[str]:
    yield from event.changes
    yield (
        f"training {event.run} on {event.device}"
        + (f" in each of {event.processes} processes" if event.processes > 1 else "")
        + f", {event.precision}: {event.pairs:,} pairs, {event.parameters:,} parameters"
        + (f", begun with the weights of {event.init_from}" if event.init_from else "")
        + (f", from step {event.step} in epoch {event.epoch}" if event.step else "")
    )
    if event.redraws:
        yield "another number of processes than before: dropout and teacher forcing are drawn anew"


def _epoch_line(event: "Validated") -> str:
    line = f"epoch {event.epoch}: train loss {event.train_loss:.3f}"
    if event.scores:
        scores = event.scores
        line += f", valid loss {scores.loss:.3f}, greedy BLEU {scores.bleu.value:.1f}, chrF {scores.chrf.value:.1f}"
    return line + (" (moving average)" if event.averaged else "") + (" (best)" if event.is_best else "")
