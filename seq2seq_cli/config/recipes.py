"""The recipe that s2s takes when the user names no config, chosen by the number of training pairs."""

from typing import NamedTuple

from seq2seq_cli.config.loader import load_config

_FEWEST_PAIRS = {
    "few": 0,
    "quick": 10_001,
}
"""The recipes chosen by the number of training pairs, each with the fewest that it suits; others are taken by name."""


class Recipe(NamedTuple):
    """A config that suits a number of training pairs."""

    name: str
    minutes: float | None
    """Minutes of a training, ``training.max_minutes``; None where the epochs end it."""


def recipe_for(pairs: int) -> Recipe:
    """The recipe that suits so many training pairs; ConfigError for one of the user's own in its place, with mistakes.

    As with ``--config NAME``, a config of that name in the working directory or its ``configs`` is taken first.
    """
    name = max((name for name in _FEWEST_PAIRS if _FEWEST_PAIRS[name] <= pairs), key=_FEWEST_PAIRS.__getitem__)
    return Recipe(name, load_config(name).training.max_minutes)
