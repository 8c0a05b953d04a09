"""Messages for what pydantic finds wrong with a config: what a key or value must be, and what was probably meant."""

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic_core import ErrorDetails

from seq2seq_cli.config.keys import schema_fields, section_at
from seq2seq_cli.config.yaml12 import KeyPath, shown
from seq2seq_cli.errors import one_line

_LONGEST_SHOWN = 40


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
    if error["type"] not in _WANTED:
        return one_line(error["msg"])
    wanted = [words for each in errors if each["type"] in _WANTED for words in _WANTED[each["type"]](each)]
    if NoneType in get_args(_annotation(error)):
        wanted.append("null")
    return f"must be {either(wanted)}, not {_given(error['input'])}{_nearest_choice(errors)}"


def unknown_key(path: KeyPath) -> str:
    """The message for a key that no config has: the keys that were probably meant, or all keys of its section."""
    *parents, name = path
    section = tuple(parents)
    if same := [known for known in schema_fields() if known[-1] == name]:
        # A key that is written one level too high belongs below its section rather than anywhere else.
        below = [known for known in same if known[: len(section)] == section]
        return f"unknown key, is it {_either_key(below or same)}?"
    here = [known[-1] for known in schema_fields() if known[:-1] == section]
    if near := get_close_matches(name.lower(), here, n=1):
        return f"unknown key, did you mean '{near[0]}'?"
    if near := get_close_matches(name.lower(), {known[-1] for known in schema_fields()}, n=1, cutoff=0.8):
        return f"unknown key, is it {_either_key(known for known in schema_fields() if known[-1] == near[0])}?"
    owner = f"'{'.'.join(section)}'" if section else "a config"
    return f"unknown key; the keys of {owner} are {', '.join(here)}" if here else f"{owner} is a value and has no keys"


def either(words: Sequence[str]) -> str:
    """Alternatives in a sentence: "a, b or c"."""
    *head, last = words
    return f"{', '.join(head)} or {last}" if head else last


def _quoted(words: Iterable[str]) -> list[str]:
    return [f"'{word}'" for word in words]


def _either_key(paths: Iterable[KeyPath]) -> str:
    return either(_quoted(".".join(path) for path in paths))


def _given(value: object) -> str:
    """A value that was refused, cut to the length that a message allows."""
    match value:
        case dict():
            return "a section"
        case list():
            return "a list"
        case None | bool():
            return shown(value)
    text = f"'{one_line(value)}'" if isinstance(value, str) else repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "..."


def _annotation(error: ErrorDetails) -> Any:
    field = schema_fields().get(key_of(error))
    return field.annotation if field else None


def _choices(annotation: Any) -> list[str]:
    """The words among the values of a type, such as those of ``bool | Literal["auto"]``."""
    if get_origin(annotation) is Literal:
        return [str(choice) for choice in get_args(annotation)]
    return [choice for part in get_args(annotation) for choice in _choices(part)]


def _nearest_choice(errors: Sequence[ErrorDetails]) -> str:
    error = errors[-1]
    if error["type"] != "literal_error":
        return ""
    near = get_close_matches(str(error["input"]).lower(), _choices(_annotation(error)), n=1)
    return f", did you mean '{near[0]}'?" if near else ""


def _example(error: ErrorDetails) -> str:
    examples = schema_fields()[key_of(error)].examples or [re.sub(r"[\^$]", "", error["ctx"]["pattern"])]
    return f"something like {either(_quoted(map(str, examples)))}"


_WANTED: dict[str, Callable[[ErrorDetails], list[str]]] = {
    "int_type": lambda _: ["an integer"],
    "float_type": lambda _: ["a number"],
    "bool_type": lambda _: ["true", "false"],
    "string_type": lambda _: ["a word"],
    "model_type": lambda _: ["a section of 'key: value' lines"],
    "finite_number": lambda _: ["a finite number"],
    "greater_than_equal": lambda error: [f"at least {error['ctx']['ge']:.10g}"],
    "greater_than": lambda error: [f"more than {error['ctx']['gt']:.10g}"],
    "less_than_equal": lambda error: [f"at most {error['ctx']['le']:.10g}"],
    "less_than": lambda error: [f"less than {error['ctx']['lt']:.10g}"],
    "literal_error": lambda error: _quoted(_choices(_annotation(error))),
    "string_pattern_mismatch": lambda error: [_example(error)],
}
"""The words for valid values, by the type of pydantic's error."""
