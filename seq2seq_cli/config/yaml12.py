"""YAML 1.2, read with the line and column of every key and value.

PyYAML parses; what a plain scalar means is YAML 1.2's core schema and not PyYAML's YAML 1.1: ``1e-3`` is a number,
``no`` is a word, ``1:30`` and ``2024-01-01`` are words. Hexadecimal and octal numbers, infinity and NaN, of
which no config has use, are words as well. A config is a tree that a reader sees whole: aliases and tags are refused.
"""

import json
import re
from collections.abc import Callable
from math import inf
from typing import Any, NamedTuple

import yaml

from seq2seq_cli.errors import one_line

KeyPath = tuple[str, ...]

_TAG = "tag:yaml.org,2002:"
# YAML 1.2.2, section 10.3.2: pattern, and the value of a text that the pattern matches.
_CORE_SCHEMA: dict[str, tuple[str, Callable[[str], object]]] = {
    "null": (r"~|null|Null|NULL|", lambda _: None),
    "bool": (r"true|True|TRUE|false|False|FALSE", lambda text: text.lower() == "true"),
    "int": (r"[-+]?[0-9]+", int),
    "float": (r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", float),
}
_CONSTRUCTORS = {_TAG + name: construct for name, (_, construct) in _CORE_SCHEMA.items()} | {_TAG + "str": str}


class Place(NamedTuple):
    """The place of a key or a value, as messages are sorted by it and show it."""

    override: int
    """The number of an override, whose text names the key, counted from 1; 0 for a place in a file."""
    line: int
    column: int
    shown: str


class Document:
    """A document: plain Python values, the place of each key and value, and the faults of the text.

    A fault has its place, the key that it belongs to, or none, and a message. `name` is the name of the file.
    """

    def __init__(self, text: str, name: object = "") -> None:
        self.name = name
        self.value: object = None
        self.keys: dict[KeyPath, Place] = {}
        self.values: dict[KeyPath, Place] = {}
        self.faults: list[tuple[Place, KeyPath, str]] = []
        try:
            if root := yaml.compose(text, Loader=_Loader):
                self.value = self._build(root, ())
        except yaml.reader.ReaderError as error:
            before = text[: error.position]
            place = self._place(before.count("\n"), len(before) - before.rfind("\n") - 1)
            self.faults.append((place, (), f"not YAML: the control character {text[error.position]!r} is not allowed"))
        except yaml.MarkedYAMLError as error:
            at, problem = error.problem_mark, ", ".join(filter(None, (error.context, error.problem)))
            if not isinstance(error, yaml.composer.ComposerError):
                problem = f"not YAML: {problem}; check each ':' and the indentation"
            self.faults.append((self._place(at.line, at.column) if at else self._place(), (), problem))
        except RecursionError:
            self.faults.append((self._place(), (), "not a config: nested too deeply"))
        except (ValueError, OverflowError):  # of PyYAML's int and chr
            self.faults.append((self._place(), (), "not YAML: the number in an escape or in %YAML is too large"))

    def _place(self, line: int = 0, column: int = 0) -> Place:
        return Place(0, line + 1, column + 1, f"{self.name}:{line + 1}:{column + 1}")

    def _build(self, node: yaml.Node, path: KeyPath) -> object:
        """The value of a node; places and faults are collected."""
        place = self.values[path] = self._place(node.start_mark.line, node.start_mark.column)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self._build(item, (*path, str(index))) for index, item in enumerate(node.value)]
        try:
            return _CONSTRUCTORS[node.tag](node.value)
        except ValueError:  # int() refuses thousands of digits as well
            self.faults.append((place, path, f"{node.value[:40]!r} cannot be read as a value"))
            return None

    def _mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in node.value:
            name, place = (*path, str(key.value)), self._place(key.start_mark.line, key.start_mark.column)
            if not isinstance(key, yaml.ScalarNode) or not key.value:
                self.faults.append((place, path, "a key must be a word"))
            elif name in self.keys:
                self.faults.append((place, name, f"duplicate key, first on line {self.keys[name].line}"))
            else:
                self.keys[name] = place
                found[key.value] = self._build(value, name)
        return found


def write_yaml(values: dict[str, Any]) -> str:
    """Block YAML in the order given, a line per value; words that YAML 1.1 or 1.2 would misread are quoted."""
    return yaml.dump(values, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False, width=inf)


def shown(value: object) -> str:
    """A value of YAML in a message: as a file has it, in one line."""
    return one_line(value) if isinstance(value, str) else json.dumps(value)


class _Loader(yaml.SafeLoader):
    # Without the patterns of YAML 1.1; YAML 1.2's are added below.
    yaml_implicit_resolvers = {}  # noqa: RUF012

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Refuse an alias, which would hide a part of the tree, and a tag, which would hide what a value is."""
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or event.tag:
            what = "an alias ('*' or '<<')" if isinstance(event, yaml.AliasEvent) else "a tag ('!')"
            raise yaml.composer.ComposerError(
                None, None, f"{what} has no place in a config; write the value out", event.start_mark
            )
        return super().compose_node(parent, index)


class _Dumper(yaml.SafeDumper):
    """Knows the patterns of YAML 1.1 (its own) and of 1.2 (added below)."""


for _name, (_pattern, _) in _CORE_SCHEMA.items():
    for _reader_or_writer in (_Loader, _Dumper):
        _reader_or_writer.add_implicit_resolver(_TAG + _name, re.compile(rf"^(?:{_pattern})$"), None)
