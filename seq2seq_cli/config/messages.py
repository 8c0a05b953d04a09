"""Pydantic's findings in plain words: what is wrong with a key or a value, and what was probably meant."""

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from types import NoneType
from typing import get_args

from pydantic_core import ErrorDetails

from seq2seq_cli.config.keys import schema_fields
from seq2seq_cli.config.yaml12 import KeyPath
from seq2seq_cli.errors import one_line

_LONGEST_SHOWN = 40


def explain(error: ErrorDetails) -> str:
    """Say what is wrong with the key or value that ``error`` is about, without naming the key or its place."""
    path = tuple(str(part) for part in error["loc"])
    if error["type"] == "extra_forbidden":
        return unknown_key(path)
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    wanted = _WANTED.get(error["type"])
    if wanted is None:
        return one_line(error["msg"])
    nullable = path in schema_fields() and NoneType in get_args(schema_fields()[path].annotation)
    message = f"must be {wanted(error)}{' or null' if nullable else ''}, not {_shown(error['input'])}"
    return message + _nearest_choice(error)


def unknown_key(path: KeyPath) -> str:
    """Say what a key that no config has was probably meant to be; its last part is the unknown one."""
    *parents, name = path
    section = tuple(parents)
    here = [known[-1] for known in schema_fields() if known[:-1] == section]
    elsewhere = [known for known in schema_fields() if known[-1] == name]
    # A key one level too high belongs below its section before it belongs anywhere else.
    below = [known for known in elsewhere if known[: len(section)] == section]
    if elsewhere:
        return f"unknown key, is it {either(['.'.join(known) for known in below or elsewhere])}?"
    near = get_close_matches(name.lower(), here, n=1)
    if near:
        return f"unknown key, did you mean '{near[0]}'?"
    near = get_close_matches(name.lower(), {known[-1] for known in schema_fields()}, n=1, cutoff=0.8)
    if near:
        return f"unknown key, is it {either(['.'.join(known) for known in schema_fields() if known[-1] == near[0]])}?"
    if not here:
        return f"'{'.'.join(section)}' is a value and has no keys"
    owner = f"'{'.'.join(section)}'" if section else "a config"
    return f"unknown key; the keys of {owner} are {', '.join(here)}"


def either(names: Sequence[str]) -> str:
    """List quoted names: 'a', 'b' or 'c'."""
    *head, last = [f"'{name}'" for name in names]
    return f"{', '.join(head)} or {last}" if head else last


def _shown(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "a section"
    if isinstance(value, list):
        return "a list"
    shown = f"'{one_line(value)}'" if isinstance(value, str) else repr(value)
    return shown if len(shown) <= _LONGEST_SHOWN else shown[:_LONGEST_SHOWN] + "..."


def _bound(limit: float) -> str:
    return str(int(limit) if limit == int(limit) else limit)


def _choices(error: ErrorDetails) -> list[str]:
    path = tuple(str(part) for part in error["loc"])
    return [str(choice) for choice in get_args(schema_fields()[path].annotation)]


def _nearest_choice(error: ErrorDetails) -> str:
    if error["type"] != "literal_error":
        return ""
    near = get_close_matches(str(error["input"]).lower(), _choices(error), n=1)
    return f", did you mean '{near[0]}'?" if near else ""


def _example(error: ErrorDetails) -> str:
    path = tuple(str(part) for part in error["loc"])
    examples = schema_fields()[path].examples or [re.sub(r"[\^$]", "", error["ctx"]["pattern"])]
    return f"something like {either([str(example) for example in examples])}"


_WANTED: dict[str, Callable[[ErrorDetails], str]] = {
    "int_type": lambda _: "an integer",
    "float_type": lambda _: "a number",
    "bool_type": lambda _: "true or false",
    "string_type": lambda _: "a word",
    "model_type": lambda _: "a section of 'key: value' lines",
    "finite_number": lambda _: "a finite number",
    "greater_than_equal": lambda error: f"at least {_bound(error['ctx']['ge'])}",
    "greater_than": lambda error: f"more than {_bound(error['ctx']['gt'])}",
    "less_than_equal": lambda error: f"at most {_bound(error['ctx']['le'])}",
    "less_than": lambda error: f"less than {_bound(error['ctx']['lt'])}",
    "literal_error": lambda error: either(_choices(error)),
    "string_pattern_mismatch": _example,
}
