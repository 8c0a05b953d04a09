"""Differences of configs: found here, and worded here, for every command that compares two or more of them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from seq2seq_cli.config.keys import values_by_key
from seq2seq_cli.config.schema.config import PREPARED_SECTIONS, Config
from seq2seq_cli.config.schema.text import AUTO
from seq2seq_cli.config.yaml12 import shown

FIRST_WEIGHTS = "model.initialisation."
"""How the keys of the first weights begin."""


class Difference(NamedTuple):
    """A key that has another value in a new config than in an old one, such as that of a run or a prepared folder."""

    key: str
    """With its sections, such as ``text.src.min_count``."""
    old: object
    new: object

    def __str__(self) -> str:
        return f"{self.key}: {shown(self.old)} -> {shown(self.new)}"

    def against(self, owner: str) -> str:
        """The difference as a part of a sentence; ``owner`` names what has the old value, such as "the corpus"."""
        return f"{self.key} is {shown(self.new)}, {owner} has {shown(self.old)}"


def find_differences(old: Config, new: Config, *, sections: Sequence[str] | None = None) -> list[Difference]:
    """The keys whose values differ, in the order of the schema; of the given top-level sections, or of all."""
    return [
        Difference(key, *values)
        for key, values in differing_values([old, new])
        if sections is None or key.split(".")[0] in sections
    ]


def find_stated_differences(
    old: Config, new: Config, *, sections: Sequence[str] = PREPARED_SECTIONS
) -> list[Difference]:
    """The differences of those keys that ``new`` states; a default that nobody wrote down differs from nothing.

    Nor does ``auto``: any value may be what was found.
    """
    stated = {key for key, value in values_by_key(new, stated_only=True) if value != AUTO}
    return [difference for difference in find_differences(old, new, sections=sections) if difference.key in stated]


def find_weight_differences(old: Config, new: Config) -> list[Difference]:
    """The differences that keep the weights of the old model from being those of the new one.

    Dropout does not count, as it acts in training only, nor do the options of the first weights. Nor does an attention
    size that is null in one config and the size that null stands for in the other.
    """
    resolved = find_differences(_size_resolved(old), _size_resolved(new))
    weights = {d.key for d in resolved if not (d.key.endswith("dropout") or d.key.startswith(FIRST_WEIGHTS))}
    return [difference for difference in find_differences(old, new, sections=("model",)) if difference.key in weights]


def differing_values(configs: Sequence[Config]) -> Iterator[tuple[str, list[object]]]:
    """Each key on which the configs do not all agree, with the value of each config, in the order of the schema."""
    for pairs in zip(*(values_by_key(config) for config in configs), strict=True):
        values = [value for _, value in pairs]
        if any(value != values[0] for value in values):
            yield pairs[0][0], values


def _size_resolved(config: Config) -> Config:
    model = config.model
    size = model.attention.size or model.decoder.hidden_size
    attention = model.attention.model_copy(update={"size": size})
    return config.model_copy(update={"model": model.model_copy(update={"attention": attention})})
