"""How far a training is, as lines: of a terminal of any width, or of a log."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from seq2seq_cli.runs.in_words import loss_in_words

if TYPE_CHECKING:
    from seq2seq_cli.config.schema.training import TrainingConfig

_SHORTEST_BAR = 8


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The progress of a training, as a bar shows it."""

    training: "TrainingConfig"
    epoch: int
    """The running epoch, counted from 1."""
    epochs: float
    """Epochs trained, the finished fraction of the running one included."""
    seconds: float
    """Seconds since the run began, validation included."""
    loss: float | None
    """Training loss, in nats per target token; None when it is not finite."""
    tokens_per_second: float | None

    def lines(self, width: int, *, bar: str = "#-") -> list[str]:
        """Lines of at most `width` characters if it has 30: epoch, training, loss and speed.

        Where there is room for it, the epoch and the training have bars, drawn with the two characters of `bar`.
        """
        rows, notes = list(self._rows()), self._notes()
        labels, lefts = (max(map(len, column)) for column in zip(*((r[0], r[2]) for r in rows), strict=True))
        heads = [f"{label:<{labels}} {math.floor(100 * part):>3}%" for label, part, _ in rows]
        length = width - len(heads[0]) - lefts - max(map(len, notes)) - len("  " * 3)
        if length < _SHORTEST_BAR:
            return [*(f"{head} {left}" for head, (_, _, left) in zip(heads, rows, strict=True)), ", ".join(notes)]
        return [
            f"{head}  {_bar(part, length, bar)}  {left:<{lefts}}  {note}"
            for head, (_, part, left), note in zip(heads, rows, notes, strict=True)
        ]

    def line(self) -> str:
        """The same as one line of a log."""
        rows = (f"{label}: {math.floor(100 * part)}%, {left}" for label, part, left in self._rows())
        return "; ".join([*rows, *self._notes()])

    def _rows(self) -> Iterator[tuple[str, float, str]]:
        """Label, finished fraction and time left, of the epoch and of the training."""
        pace = self.seconds / self.epochs if self.epochs else 0.0
        of_epoch, planned = self.epochs - (self.epoch - 1), self.training.epochs
        yield f"epoch {self.epoch}/{planned}", min(1.0, of_epoch), f"{_clock(pace * max(0.0, 1 - of_epoch))} left"

        seconds = pace * (planned - self.epochs)
        if self.training.max_minutes is not None:
            seconds = min(seconds, max(0.0, 60 * self.training.max_minutes - self.seconds))
        bound = "left" if self.training.patience is None else "at most"
        done = self.seconds / (self.seconds + seconds) if self.seconds else 0.0
        yield "training", done, f"{_clock(seconds)} {bound}"

    def _notes(self) -> list[str]:
        rate = "?" if self.tokens_per_second is None else f"{self.tokens_per_second:,.0f}"
        return [f"loss {loss_in_words(self.loss)}", f"{rate} tokens/s"]


def _bar(part: float, length: int, characters: str) -> str:
    done = math.floor(part * length)
    return characters[0] * done + characters[1] * (length - done)


def _clock(seconds: float) -> str:
    """A time as m:ss or h:mm:ss."""
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
