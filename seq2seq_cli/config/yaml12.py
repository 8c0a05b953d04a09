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


class Position(NamedTuple):
    """A place in the text, counted from 1."""

    line: int
    column: int

    @classmethod
    def of(cls, mark: Any) -> "Position":
        """The place of a mark of PyYAML."""
        return cls(mark.line + 1, mark.column + 1)


class Fault(NamedTuple):
    """An error in the text; ``path`` is empty when it belongs to no key."""

    position: Position
    path: KeyPath
    message: str


class Document:
    """A document: plain Python values, the place of each key and value, and the faults of the text."""

    def __init__(self, text: str) -> None:
        self.value: object = None
        self.keys: dict[KeyPath, Position] = {}
        self.values: dict[KeyPath, Position] = {}
        self.faults: list[Fault] = []
        try:
            if root := yaml.compose(text, Loader=_Loader):
                self.value = self._build(root, ())
        except yaml.reader.ReaderError as error:
            before = text[: error.position]
            position = Position(before.count("\n") + 1, error.position - before.rfind("\n"))
            self._fault(position, (), f"not YAML: the control character {text[error.position]!r} is not allowed")
        except yaml.MarkedYAMLError as error:
            at, problem = error.problem_mark, ", ".join(filter(None, (error.context, error.problem)))
            if not isinstance(error, yaml.composer.ComposerError):
                problem = f"not YAML: {problem}; check each ':' and the indentation"
            self._fault(Position.of(at) if at else Position(1, 1), (), problem)
        except RecursionError:
            self._fault(Position(1, 1), (), "not a config: nested too deeply")
        except (ValueError, OverflowError):  # of PyYAML's int and chr
            self._fault(Position(1, 1), (), "not YAML: the number in an escape or in %YAML is too large")

    def _build(self, node: yaml.Node, path: KeyPath) -> object:
        """The value of a node; places and faults are collected."""
        position = self.values[path] = Position.of(node.start_mark)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self._build(item, (*path, str(index))) for index, item in enumerate(node.value)]
        try:
            return _CONSTRUCTORS[node.tag](node.value)
        except ValueError:  # int() refuses thousands of digits as well
            self._fault(position, path, f"{node.value[:40]!r} cannot be read as a value")
            return None

    def _mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, object]:
        found: dict[str, object] = {}
        for key, value in node.value:
            name, position = (*path, str(key.value)), Position.of(key.start_mark)
            if not isinstance(key, yaml.ScalarNode) or not key.value:
                self._fault(position, path, "a key must be a word")
            elif name in self.keys:
                self._fault(position, name, f"duplicate key, first on line {self.keys[name].line}")
            else:
                self.keys[name] = position
                found[key.value] = self._build(value, name)
        return found

    def _fault(self, position: Position, path: KeyPath, message: str) -> None:
        self.faults.append(Fault(position, path, message))


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
