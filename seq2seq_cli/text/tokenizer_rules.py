"""A language's rules for cutting a word into tokens: what spaCy's blank tokenizer knows, without spaCy.

Compiling spaCy's expressions takes 50 milliseconds, because they spell classes of all letters and all symbols. Here
each class has a number, and is cut down to the blocks of 256 characters that occur in the texts: for such texts the
result is the same, and compiling takes a tenth of the time.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

from seq2seq_cli.errors import RESTORE, ModelFileError, one_line

Kind: TypeAlias = Literal["prefix", "suffix", "infix", "token_match", "url_match"]
"""The piece of a word that an expression finds. prefix, suffix, infix: at the start, at the end, inside; it is cut off.
token_match, url_match: a whole token."""
KINDS: tuple[Kind, ...] = ("prefix", "suffix", "infix", "token_match", "url_match")

_BLOCK = 256
_NOTHING = r"[^\s\S]"
"""A class without members."""


@dataclass(frozen=True, kw_only=True)
class Expression:
    """A regular expression; a number stands for the character class of that index."""

    pieces: tuple[str | int, ...]
    """The source."""
    marks: int | None
    """A class of which a text must have a character for the expression to match; None where there is no such class."""


@dataclass(frozen=True, kw_only=True)
class TokenizerRules:
    """The rules of one language."""

    is_known: bool
    """Whether spaCy knows the language; else the rules are those for any language."""
    exceptions: Mapping[str, str]
    """The tokens of words that no expression cuts rightly, joined by spaces: ``do n't`` of ``don't``."""
    classes: tuple[str, ...]
    """Character classes: the first and the last character of each range, in order."""
    expressions: Mapping[Kind, Expression]
    """Without those kinds that the language lacks."""

    def __hash__(self) -> int:
        return hash((self.is_known, self.classes, len(self.exceptions)))

    @classmethod
    def parse(cls, value: Any) -> Self:
        """The rules from the content of a JSON file; raises ValueError for anything that ``to_json`` did not make."""
        try:
            rules = cls(
                is_known=value["is_known"],
                exceptions=value["exceptions"],
                classes=tuple(value["classes"]),
                expressions={
                    kind: Expression(pieces=tuple(value["expressions"][kind]["pieces"]), marks=expression["marks"])
                    for kind, expression in value["expressions"].items()
                },
            )
            is_sound = rules._is_sound()
        except (AttributeError, KeyError, TypeError):
            is_sound = False
        if not is_sound:
            raise ValueError("not the rules of a tokenizer")
        return rules

    def to_json(self) -> dict[str, Any]:
        """The rules as the content of a JSON file."""
        return {
            "is_known": self.is_known,
            "expressions": {
                kind: {"pieces": expression.pieces, "marks": expression.marks}
                for kind, expression in self.expressions.items()
            },
            "classes": self.classes,
            "exceptions": self.exceptions,
        }

    def _is_sound(self) -> bool:
        expressions = self.expressions.values()
        numbers = [piece for expression in expressions for piece in expression.pieces if type(piece) is not str]
        numbers += [expression.marks for expression in expressions if expression.marks is not None]
        return (
            type(self.is_known) is bool
            and all(type(tokens) is str and tokens.replace(" ", "") == word for word, tokens in self.exceptions.items())
            and all(type(ranges) is str and len(ranges) % 2 == 0 for ranges in self.classes)
            and self.expressions.keys() <= set(KINDS)
            and all(type(number) is int and 0 <= number < len(self.classes) for number in numbers)
        )


class Finder:
    """An expression of some rules, for words whose characters lie in some blocks, or in any.

    Where the rules lack the expression, it never matches.
    """

    def __init__(self, expression: Expression | None, classes: Sequence[str], blocks: Collection[int] | None) -> None:
        self._pieces = (_NOTHING,) if expression is None else expression.pieces
        self._mark = None if expression is None else expression.marks
        self._classes = classes
        self._blocks = blocks

    def may_match(self, word: str) -> bool:
        """Whether the expression may match a word or a part of it: a quick test, false of most words."""
        return self._marks.search(word) is not None

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The expression, compiled when it is first wanted; raises ModelFileError when it is damaged."""
        brackets = {number: self._bracket(number) for number in self._pieces if isinstance(number, int)}
        source = "".join(piece if isinstance(piece, str) else brackets[piece] for piece in self._pieces)
        return _compile(source)

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        return self.pattern if self._mark is None else _compile(self._bracket(self._mark))

    def _bracket(self, number: int) -> str:
        """The members of a class that lie in the blocks, as an expression."""
        ranges = [f"{re.escape(first)}-{re.escape(last)}" for first, last in self._ranges(self._classes[number])]
        return f"[{''.join(ranges)}]" if ranges else _NOTHING

    def _ranges(self, members: str) -> Iterator[tuple[str, str]]:
        firsts, lasts = members[::2], members[1::2]
        if self._blocks is None:
            yield from zip(firsts, lasts, strict=True)
            return
        for block in sorted(self._blocks):
            low, high = chr(block * _BLOCK), chr(block * _BLOCK + _BLOCK - 1)
            at = bisect_left(lasts, low)
            while at < len(firsts) and firsts[at] <= high:
                yield max(firsts[at], low), min(lasts[at], high)
                at += 1


def _compile(source: str) -> re.Pattern[str]:
    try:
        return re.compile(source)
    except (re.error, OverflowError, RecursionError) as error:
        raise ModelFileError(
            f"codec: damaged: an expression of the tokenizer: {one_line(str(error))}: {RESTORE}"
        ) from None


def blocks_of(text: str) -> set[int]:
    """The numbers of the blocks of 256 characters that the characters of a text lie in."""
    return {ord(character) // _BLOCK for character in text}


def characters_of(blocks: Collection[int]) -> set[str]:
    """All characters of some blocks."""
    return {chr(block * _BLOCK + offset) for block in blocks for offset in range(_BLOCK)}
