"""Constraints on the translation of a source."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

Form: TypeAlias = tuple[int, ...]
"""The tokens of a term, in one of the forms that it may have."""


class Term(NamedTuple):
    """A term that occurs in a source."""

    forms: tuple[Form, ...]
    """Its translation, in the forms that it may have."""
    positions: tuple[int, ...] = ()
    """The positions of its tokens in the source, whose attention weights tell where the translation goes."""


@dataclass(frozen=True, kw_only=True)
class Constraints:
    """The constraints on the translation of one source, in ids."""

    prefix: tuple[int, ...] = ()
    """Its first tokens."""
    terms: tuple[Term, ...] = ()
    """The terms that occur in it; one that is given twice occurs twice."""
    limits: Mapping[int, int] = field(default_factory=dict)
    """The most occurrences of tokens, 0 for none; only prefix and terms exceed them."""
    continuing: AbstractSet[int] = frozenset()
    """The tokens that continue a word; a form before one of them is the beginning of another word, so not met."""
    opening: AbstractSet[int] = frozenset()
    """The tokens behind which a form may begin with one of `continuing`: its word has no space before it there."""
    after_prefix: AbstractSet[int] = frozenset()
    """The tokens that do not follow the prefix, whose last word they would lengthen."""
    closing: AbstractSet[int] = frozenset()
    """The tokens that end a sentence; they do not come before all terms occur, so that none is added behind the end."""

    @property
    def longest(self) -> int:
        """The most tokens of prefix and terms together."""
        return len(self.prefix) + sum(max(map(len, term.forms)) for term in self.terms)
