"""A config key by key: all of it, or what it states itself as opposed to what it takes from the defaults."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from seq2seq_cli.config.schema import AUTO, Config, Section


class Difference(NamedTuple):
    """A key on which two configs disagree, such as ``text.src.min_count``, with the value of each."""

    key: str
    ours: object
    theirs: object


def values_by_key(section: Section, prefix: str = "", *, stated_only: bool = False) -> Iterator[tuple[str, object]]:
    """Every dotted key below a section, such as ``text.src.min_count``, with its value, in the order of the schema."""
    for name in type(section).model_fields:
        value = getattr(section, name)
        if stated_only and name not in section.model_fields_set:
            continue
        if isinstance(value, Section):
            yield from values_by_key(value, f"{prefix}{name}.", stated_only=stated_only)
        else:
            yield f"{prefix}{name}", value


def stated_differences(ours: Config, theirs: Config, *, sections: Sequence[str] = ("data", "text")) -> list[Difference]:
    """List where ``ours`` says something other than ``theirs`` does; a default that nobody wrote down says nothing.

    Nor does a language that is ``auto``: whatever it was found to be is right.

    ``theirs`` is taken whole: it is the config that a prepared folder was made with.
    """
    whole = dict(values_by_key(theirs))
    return [
        Difference(key, value, whole[key])
        for key, value in values_by_key(ours, stated_only=True)
        if key.split(".")[0] in sections and value not in (whole[key], AUTO)
    ]
