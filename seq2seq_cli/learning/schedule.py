"""The learning rate of each update."""

import math

from seq2seq_cli.config.schema.training import TrainingConfig


def learning_rate(training: TrainingConfig, *, step: int, fraction_done: float, epochs: float) -> float:
    """The rate of update `step`, counted from 0; never above `training.lr`.

    For w = `warmup_steps` updates it rises linearly, lr (step + 1) / w, and then is

    constant      lr
    cosine        lr (1 + cos(π p)) / 2; Loshchilov & Hutter 2017, eq. 5, without restarts, down to 0
    halving       lr / 2^n, n the halvings so far: one after `halving_after` epochs, then one every `halving_every`;
                  Sutskever et al. 2014, section 3.4; Luong et al. 2015, section 4.1

    `fraction_done` is the fraction of the whole run, 0 to 1, and p the fraction of the run after the warm-up; `epochs`
    counts the epochs done, with the fraction of the running one.
    """
    warmup = training.warmup_steps
    if step < warmup:
        return training.lr * ((step + 1) / warmup)
    match training.schedule:
        case "constant":
            return training.lr
        case "cosine":
            return training.lr * (1 + math.cos(math.pi * _fraction_after_warmup(step, fraction_done, warmup))) / 2
        case "halving":
            after = epochs - training.halving_after
            halvings = math.floor(after / training.halving_every) + 1 if after >= 0 else 0
            return math.ldexp(training.lr, -halvings)


def _fraction_after_warmup(step: int, fraction_done: float, warmup: int) -> float:
    """The fraction of the run after the warm-up that is done: 0 when the warm-up ends, 1 at the end of training.

    The length of the warm-up is known in updates only; its fraction of the run is estimated as if all updates took
    equally long.
    """
    warmup_fraction = fraction_done * (warmup / step) if step else 0.0
    # A run that ends with its warm-up has nothing after it.
    return min(1.0, (fraction_done - warmup_fraction) / (1 - warmup_fraction)) if warmup_fraction < 1 else 1.0
