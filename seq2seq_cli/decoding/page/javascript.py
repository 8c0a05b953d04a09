"""Regular expressions of Python as JavaScript's, with the ``v`` flag: they find the same in the same texts.

Possessive repetitions become greedy ones, and a reference to a group that took no part finds the empty text, which in
Python finds nothing; of the flags, only IGNORECASE is known: the expressions of s2s do not depend on the differences.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from re import _parser  # type: ignore[attr-defined]  # the one parser of Python's expressions, without stubs
from typing import Any, TypeAlias

Expression: TypeAlias = tuple[str, str]
"""The source and the flags of an expression, as JavaScript's ``RegExp`` takes them."""

_CATEGORIES: Mapping[str, str] = {
    "DIGIT": r"\p{Nd}",
    "SPACE": r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000",
    "WORD": r"\p{L}\p{N}_",
}
"""Python's classes, as the members of one of JavaScript's."""
_WORD = f"[{_CATEGORIES['WORD']}]"
_PLACES: Mapping[str, str] = {
    "AT_BEGINNING": "^",
    "AT_BEGINNING_STRING": "^",
    "AT_END": r"(?=\n?$)",
    "AT_END_STRING": "$",
    "AT_BOUNDARY": f"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))",
}


def to_javascript(pattern: str | re.Pattern[str], *, finds_all: bool = False) -> Expression:
    """The expression for JavaScript, with the flag that finds all matches one after the other, or the first alone.

    Raises ValueError for an expression with a part that has no counterpart here.
    """
    compiled = re.compile(pattern)
    parsed = _parser.parse(compiled.pattern, compiled.flags)
    named = {number: f"?<{name}>" for name, number in parsed.state.groupdict.items()}
    try:
        source = _source(parsed, {None: "?:", **named})
    except KeyError as missing:
        raise ValueError(f"no counterpart of {missing.args[0]} in JavaScript") from None
    return source, f"{'g' * finds_all}{'i' * bool(compiled.flags & re.IGNORECASE)}v"


def _source(nodes: _parser.SubPattern, heads: Mapping[int | None, str]) -> str:
    """The source of some parsed nodes in a row; `heads` has what the brackets of groups begin with, by number."""
    source = partial(_source, heads=heads)
    repeated = partial(_repeated, source=source)
    translate: Mapping[str, Callable[[Any], str]] = {
        "LITERAL": _character,
        "NOT_LITERAL": lambda code: f"[^{_character(code)}]",
        "ANY": lambda _: r"[^\n]",
        "IN": _class,
        "AT": lambda place: _PLACES[str(place)],
        "BRANCH": lambda branches: f"(?:{'|'.join(map(source, branches[1]))})",
        # Without its flags: a class that turns IGNORECASE off lists all of its members.
        "SUBPATTERN": lambda parts: f"({heads.get(parts[0], '')}{source(parts[-1])})",
        "GROUPREF": lambda number: rf"\k{heads[number][1:]}" if number in heads else rf"(?:\{number})",
        "MAX_REPEAT": lambda parts: repeated(*parts),
        "POSSESSIVE_REPEAT": lambda parts: repeated(*parts),
        "MIN_REPEAT": lambda parts: f"{repeated(*parts)}?",
        "ASSERT": lambda around: f"(?{'=' if around[0] > 0 else '<='}{source(around[1])})",
        "ASSERT_NOT": lambda around: f"(?{'!' if around[0] > 0 else '<!'}{source(around[1])})",
        "FAILURE": lambda _: r"[^\s\S]",
    }
    return "".join(translate[str(kind)](value) for kind, value in nodes)


def _repeated(least: int, most: int, inner: _parser.SubPattern, *, source: Callable[[_parser.SubPattern], str]) -> str:
    upper = "" if most >= _parser.MAXREPEAT else str(most)
    return f"(?:{source(inner)}){{{least},{upper}}}"


def _class(items: Iterable[tuple[Any, Any]]) -> str:
    """A character class."""
    members_of = {**_CATEGORIES, **{f"NOT_{name}": f"[^{those}]" for name, those in _CATEGORIES.items()}}
    members: Mapping[str, Callable[[Any], str]] = {
        "NEGATE": lambda _: "^",  # always the first
        "LITERAL": _character,
        "RANGE": lambda ends: "-".join(map(_character, ends)),
        "CATEGORY": lambda name: members_of[str(name).removeprefix("CATEGORY_")],
    }
    return f"[{''.join(members[str(kind)](value) for kind, value in items)}]"


def _character(code: int) -> str:
    """A character as it stands for itself anywhere in an expression."""
    character = chr(code)
    return character if character.isalnum() or (code >= 0xA0 and character.isprintable()) else f"\\u{{{code:x}}}"
