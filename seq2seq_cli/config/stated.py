"""What a config states itself, as opposed to what it takes from the defaults."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from seq2seq_cli.config.schema import Config, Section


class Difference(NamedTuple):
    """A key on which two configs disagree, such as ``text.src.min_count``, with the value of each."""

    key: str
    ours: object
    theirs: object


def stated_differences(ours: Config, theirs: Config, *, sections: Sequence[str] = ("data", "text")) -> list[Difference]:
    """List where ``ours`` says something other than ``theirs`` does; a default that nobody wrote down says nothing.

    ``theirs`` is taken whole: it is the config that a prepared folder was made with.
    """
    return [
        Difference(key, value, _value(theirs, key))
        for key, value in _stated(ours, "")
        if key.split(".")[0] in sections and value != _value(theirs, key)
    ]


def _stated(section: Section, prefix: str) -> Iterator[tuple[str, object]]:
    for name in type(section).model_fields:
        value = getattr(section, name)
        if name in section.model_fields_set:
            if isinstance(value, Section):
                yield from _stated(value, f"{prefix}{name}.")
            else:
                yield f"{prefix}{name}", value


def _value(config: Config, key: str) -> object:
    value: object = config
    for name in key.split("."):
        value = getattr(value, name)
    return value
