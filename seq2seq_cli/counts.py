"""Counts, epochs, times and losses in words, the same wherever they are shown."""

import math


def counted(number: int, noun: str) -> str:
    """Such as "1 pair" and "2,000 pairs"; the noun just adds an s."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def shown_epochs(epochs: float) -> str:
    """A number of epochs to one decimal, rounded down: an epoch is done when it is whole."""
    return f"{math.floor(epochs * 10) / 10:g}"


def epochs_in_words(epochs: float) -> str:
    """A number of epochs, such as "7.4 epochs"."""
    shown = shown_epochs(epochs)
    return "1 epoch" if shown == "1" else f"{shown} epochs"


def place_in_words(epochs: float, planned: int) -> str:
    """The place where a run is interrupted after so many epochs: "in epoch 8 of 10" or "after epoch 7 of 10"."""
    done = int(epochs)
    return f"after epoch {done} of {planned}" if done and done == epochs else f"in epoch {done + 1} of {planned}"


def loss_in_words(loss: float | None) -> str:
    """A loss; None stands for one that is not finite, as in a record."""
    return "not finite" if loss is None or not math.isfinite(loss) else f"{loss:.3f}"


def duration(seconds: float) -> str:
    """A time in seconds or minutes, such as 42 s or 17.3 minutes."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.1f} minutes"
