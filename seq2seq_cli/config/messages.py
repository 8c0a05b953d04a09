"""Messages for what pydantic finds wrong with a config: what a key or value must be, and what was probably meant."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from types import NoneType
from typing import get_args

from pydantic_core import ErrorDetails

from seq2seq_cli.config.keys import schema_fields, section_at
from seq2seq_cli.config.yaml12 import KeyPath, shown
from seq2seq_cli.errors import one_line

_LONGEST_SHOWN = 40
_WANTED = {
    "bool_type": "true or false",
    "int_type": "an integer",
    "float_type": "a number",
    "string_type": "a word",
    "model_type": "a section of 'key: value' lines",
}
"""The words for valid values where pydantic's do not fit YAML, by the type of its error."""


def key_of(error: ErrorDetails) -> KeyPath:
    """The key that an error is about; pydantic adds the alternative where a key has values of several types."""
    path = tuple(str(part) for part in error["loc"])
    return next(
        (path[:end] for end in range(1, len(path)) if path[:end] in schema_fields() and not section_at(path[:end])),
        path,
    )


def explain(errors: Sequence[ErrorDetails]) -> str:
    """The message for the errors of one key, one per type of its values, without the key and its place in the file."""
    error = errors[0]
    if error["type"] == "extra_forbidden":
        return unknown_key(tuple(str(part) for part in error["loc"]))
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    field = schema_fields().get(key_of(error))
    wanted = list(map(_wanted, errors))
    if field and NoneType in get_args(field.annotation):
        wanted.append("null")
    return f"must be {either(wanted)}, not {_given(error['input'])}"


def unknown_key(path: KeyPath) -> str:
    """The message for a key that no config has: the keys that were probably meant, or all keys of its section."""
    section, name = path[:-1], path[-1]
    known = list(schema_fields())
    here = {key[-1]: key for key in known if key[:-1] == section}
    same = [key for key in known if key[-1] == name]
    # A key that is written one level too high belongs below its section rather than anywhere else.
    below = [key for key in same if key[: len(section)] == section]
    near = [here[close] for close in get_close_matches(name.lower(), here, n=1)]
    if meant := below or same or near:
        return f"unknown key, did you mean {either([repr('.'.join(key)) for key in meant])}?"
    owner = f"'{'.'.join(section)}'" if section else "a config"
    return f"unknown key; the keys of {owner} are {', '.join(here)}" if here else f"{owner} is a value and has no keys"


def either(words: Sequence[str]) -> str:
    """Alternatives in a sentence: "a, b or c"."""
    *head, last = words
    return f"{', '.join(head)} or {last}" if head else last


def _wanted(error: ErrorDetails) -> str:
    if error["type"] == "string_pattern_mismatch":
        examples = schema_fields()[key_of(error)].examples or [re.sub(r"[\^$]", "", error["ctx"]["pattern"])]
        return f"something like {either([repr(example) for example in examples])}"
    return _WANTED.get(error["type"]) or one_line(error["msg"].removeprefix("Input should be "))


def _given(value: object) -> str:
    """A value that was refused, cut to the length that a message allows."""
    if isinstance(value, dict | list):
        return "a section" if isinstance(value, dict) else "a list"
    text = f"'{one_line(value)}'" if isinstance(value, str) else shown(value)
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."
