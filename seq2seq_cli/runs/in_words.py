"""Epochs, times and losses in words, the same wherever they are shown: bar, list, model card, report."""

import math

from seq2seq_cli.config.choices import Metric


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


def deciding_metric(metric: Metric, score: float | None) -> Metric:
    """The metric that chose the best weights, of which `score` is the score by `metric`.

    It is the loss where that is 0, as it then is in every validation.
    """
    return "loss" if score == 0 else metric


def duration(seconds: float) -> str:
    """A time in seconds or minutes, such as 42 s or 17.3 minutes."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.1f} minutes"
