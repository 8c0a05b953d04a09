"""The keys of a config: their values, their differences, and what is wrong with them, worded here for all commands."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any, NamedTuple

from pydantic_core import ErrorDetails

from seq2seq_cli.config.choices import LARGEST_INTEGER
from seq2seq_cli.config.schema import Section
from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.config.schema.text import AUTO
from seq2seq_cli.config.yaml12 import KeyPath, shown
from seq2seq_cli.errors import one_line


@cache
def schema_fields() -> dict[KeyPath, type[Section] | None]:
    """Every key and section that a config can have, in the order of the schema, with the class of a section."""
    return dict(_fields(Config, ()))


def values_by_key(section: Section, prefix: str = "", *, stated_only: bool = False) -> Iterator[tuple[str, object]]:
    """Each key of a section, such as ``text.src.min_count``, and its value, in the order of the schema.

    ``stated_only`` leaves out the keys that neither the file nor an override states.
    """
    for name, value in section:
        if stated_only and name not in section.model_fields_set:
            continue
        if isinstance(value, Section):
            yield from values_by_key(value, f"{prefix}{name}.", stated_only=stated_only)
        else:
            yield f"{prefix}{name}", value


class ChangedKey(NamedTuple):
    """A key that has another value in a new config than in an old one, such as the config of a run."""

    key: str
    """With its sections, such as ``text.src.min_count``."""
    old: object
    new: object

    def __str__(self) -> str:
        return f"{self.key}: {shown(self.old)} -> {shown(self.new)}"

    def against(self, owner: str) -> str:
        """The difference as a part of a sentence; ``owner`` names what has the old value, such as "the corpus"."""
        return f"{self.key} is {shown(self.new)}, {owner} has {shown(self.old)}"


def find_differences(old: Config, new: Config, *, sections: Sequence[str]) -> list[ChangedKey]:
    """The keys of these top-level sections whose values differ, in the order of the schema."""
    return [ChangedKey(key, *values) for key, values in differing_values([old, new]) if key.split(".")[0] in sections]


def find_stated_differences(old: Config, new: Config, *, sections: Sequence[str]) -> list[ChangedKey]:
    """The differences of the keys that ``new`` states, but for those that it states as ``auto``: any value fits it."""
    stated = {key for key, value in values_by_key(new, stated_only=True) if value != AUTO}
    return [difference for difference in find_differences(old, new, sections=sections) if difference.key in stated]


def find_weight_differences(old: Config, new: Config, *, with_first: bool = False) -> list[ChangedKey]:
    """The differences with which the weights of the old model do not fit the new one.

    Dropout does not count, as it acts in training only, nor do the options of the first weights, unless `with_first`.
    Nor does an attention size that is null in one config and the size that null stands for in the other.
    """
    ignored: tuple[str, ...] = () if with_first else ("model.initialisation.",)
    before, now = (config.model.attention.size or config.model.decoder.hidden_size for config in (old, new))
    if before == now:
        ignored = (*ignored, "model.attention.size")
    found = find_differences(old, new, sections=("model",))
    return [each for each in found if not each.key.startswith(ignored) and not each.key.endswith("dropout")]


def differing_values(configs: Sequence[Config]) -> Iterator[tuple[str, list[object]]]:
    """Each key on which the configs do not all agree, with the value of each config, in the order of the schema."""
    for pairs in zip(*(values_by_key(config) for config in configs), strict=True):
        values = [value for _, value in pairs]
        if any(value != values[0] for value in values):
            yield pairs[0][0], values


def _fields(section: type[Section], path: KeyPath) -> Iterator[tuple[KeyPath, type[Section] | None]]:
    for name, field in section.model_fields.items():
        kind = field.annotation
        below = kind if isinstance(kind, type) and issubclass(kind, Section) else None
        yield (*path, name), below
        if below:
            yield from _fields(below, (*path, name))


# What is wrong with a key or a value

_LONGEST_SHOWN = 40
_TYPES = {"boolean": "true or false", "null": "null", "string": "a word", "integer": "an integer", "number": "a number"}
"""Values that have no other limit than their type, in words."""


def key_of(error: ErrorDetails) -> KeyPath:
    """The key that an error is about; pydantic adds the alternative where a key has values of several types."""
    path, known = tuple(map(str, error["loc"])), schema_fields()
    starts = (path[:end] for end in range(1, len(path)))
    return next((start for start in starts if start in known and not known[start]), path)


def explain(error: ErrorDetails) -> str:
    """The message for an error, without the key and its place in the file."""
    path, known = key_of(error), schema_fields()
    if error["type"] == "extra_forbidden":
        return unknown_key(path)
    wanted = "a section of 'key: value' lines"
    if known.get(path) is None:
        wanted = allowed((known.get(path[:-1]) or Config).model_json_schema()["properties"][path[-1]])
    limits = error.get("ctx", {})
    if error["type"] == "float_type":
        wanted = f"a number, {wanted}"
    if limits.get("le") == LARGEST_INTEGER:
        wanted += f", at most {LARGEST_INTEGER}"
    if "max_length" in limits:
        wanted += f", of at most {limits['max_length']} characters"
    return f"must be {wanted}, not {_given(error['input'])}"


def allowed(schema: dict[str, Any]) -> str:
    """The choices or the range of a key in words, such as "0 to below 1", from its JSON schema."""
    integer = "an integer, " if schema.get("type") == "integer" else ""
    match schema:
        case {"anyOf": choices}:
            return ", or ".join(map(allowed, choices))
        case {"const": value}:
            return str(value)
        case {"enum": choices}:
            return either([str(choice) for choice in choices])
        case {"type": "string", "examples": examples}:
            return f"something like {either(examples)}"
        case {"minimum": low, "maximum": high} if high != LARGEST_INTEGER:  # which nobody need be told
            return f"{integer}{low:.10g} to {high:.10g}"
        case {"minimum": low, "exclusiveMaximum": end}:
            return f"{integer}{low} to {end - 1}" if integer else f"{low:.10g} to below {end:.10g}"
        case {"minimum": low}:
            return f"{integer}{low:.10g} or more"
        case {"exclusiveMinimum": end}:
            return f"above {end:.10g}"
    return _TYPES[schema["type"]]


def unknown_key(path: KeyPath, below: KeyPath = ()) -> str:
    """The message for an unknown key with the names `below` it: the keys probably meant, or all of its section."""
    section, name = path[:-1], path[-1].lower()
    known = schema_fields()
    here = {key[-1]: key for key in known if key[:-1] == section}
    same = [key for key in known if key[-1] == name]
    # A key that is written one level too high belongs below its section rather than anywhere else.
    inside = [key for key in same if key[: len(section)] == section]
    near = [here[close] for close in get_close_matches(name, here, n=1)]
    if meant := inside or same or near:
        whole = [full if (full := (*key, *map(str.lower, below))) in known else key for key in meant]
        return f"unknown key, did you mean {either([repr('.'.join(key)) for key in whole])}?"
    owner = f"'{'.'.join(section)}'" if section else "a config"
    return f"unknown key; the keys of {owner} are {', '.join(here)}" if here else f"{owner} is a value and has no keys"


def either(words: Sequence[str]) -> str:
    """Alternatives in a sentence: "a, b or c"."""
    *head, last = words
    return f"{', '.join(head)} or {last}" if head else last


def _given(value: object) -> str:
    """A value that was refused, cut to the length that a message allows."""
    if isinstance(value, dict | list):
        return "a section" if isinstance(value, dict) else "a list"
    text = f"'{one_line(value)}'" if isinstance(value, str) else shown(value)
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."
