"""A training on stderr: a bar on a terminal, elsewhere a line per minute, and a line per validation."""

import sys

from seq2seq_cli.cli.terminal.live_lines import LiveLines
from seq2seq_cli.cli.training.standing import Standing
from seq2seq_cli.errors import one_line
from seq2seq_cli.runs.in_words import loss_in_words

VALIDATING = "scoring the validation split"
TESTING = "scoring the test split"
_BAR, _ASCII_BAR = "━─", "#-"
_SECONDS_PER_LINE = 60
"""Least time between a line and the next standing, by the clock of the training."""


class Display:
    """Shows a training on stderr."""

    def __init__(self) -> None:
        self._live = LiveLines()
        self._bar = _BAR if self._live.has(_BAR) else _ASCII_BAR
        self._told_at: float | None = None

    def show(self, standing: Standing) -> None:
        """Show how far the training is: on a terminal at once, elsewhere when nothing was shown for a minute."""
        if self._told_at is None:
            self._told_at = standing.seconds
        if self._live.is_shown:
            self._live.draw(lambda width: standing.lines(width, bar=self._bar))
        elif standing.seconds - self._told_at >= _SECONDS_PER_LINE:
            self.tell(standing.line())

    def work(self, title: str) -> None:
        """Name the work that is under way, on a terminal alone."""
        self._live.draw(lambda _: [title])

    def tell(self, line: str) -> None:
        """Write a line that stays."""
        self._live.clear()
        self._told_at = None
        sys.stderr.write(f"{one_line(line)}\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Remove the bar."""
        self._live.clear()


def epoch_line(
    epoch: int,
    train_loss: float | None,
    *,
    loss: float | None,
    bleu: float | None,
    chrf: float | None,
    averaged: bool,
    is_best: bool,
) -> str:
    """The line of an epoch; BLEU and chrF are None when nothing is held out."""
    line = f"epoch {epoch}: train loss {loss_in_words(train_loss)}"
    if bleu is not None and chrf is not None:
        line += f", valid loss {loss_in_words(loss)}, greedy BLEU {bleu:.1f}, chrF {chrf:.1f}"
    return line + (" (moving average)" if averaged else "") + (" (best)" if is_best else "")
