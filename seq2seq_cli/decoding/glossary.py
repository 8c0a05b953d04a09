"""Glossaries: the translations that a user demands for terms of the source."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from seq2seq_cli.decoding.lines import read_lines
from seq2seq_cli.errors import InputError
from seq2seq_cli.text.casing import lowered
from seq2seq_cli.text.normalise import APOSTROPHES, Span, are_in_one_word, normalise

_APOSTROPHE = re.compile(f"[{APOSTROPHES}]")


@dataclass(frozen=True)
class Glossary:
    """Terms of the source, each with its translations, of which one must be used."""

    terms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "Glossary":
        """Read a file with a term, a tab and its translation per line; several lines of a term are alternatives.

        Blank lines are skipped. Raises InputError for a file that cannot be read and for a line of another form.
        """
        terms: dict[str, dict[str, None]] = {}
        for number, line in enumerate(read_lines(path), start=1):
            if not line.strip():
                continue
            columns = [normalise(column) for column in line.split("\t")]
            if len(columns) != 2 or not all(columns):
                raise InputError(f"{path}:{number}: needs a term, a tab and its translation, and nothing else")
            terms.setdefault(columns[0], {})[columns[1]] = None
        return cls({term: tuple(translations) for term, translations in terms.items()})

    def demanded(self, text: str) -> list[tuple[Span, tuple[str, ...]]]:
        """The span of each term that occurs in a normalised text, in its order, and the translations of the term.

        A term occurs as whole words, with either apostrophe; one in lower case occurs in any case. Where terms overlap,
        the longer one counts.
        """
        if not self.terms:
            return []
        text = _with_straight_apostrophes(text)
        in_lower_case = "".join(map(lowered, text))
        found: dict[int, str] = {}
        taken: set[int] = set()
        for term in self._longest_first:
            straight = _with_straight_apostrophes(term)
            for start in _occurrences(straight, in_lower_case if term == term.lower() else text):
                span = range(start, start + len(term))
                if taken.isdisjoint(span):
                    taken.update(span)
                    found[start] = term
        return [((start, start + len(found[start])), self.terms[found[start]]) for start in sorted(found)]

    @cached_property
    def _longest_first(self) -> list[str]:
        return sorted(self.terms, key=len, reverse=True)


def _with_straight_apostrophes(text: str) -> str:
    return _APOSTROPHE.sub("'", text)


def _occurrences(term: str, text: str) -> Iterator[int]:
    """The positions at which a term begins in a text, as whole words."""
    start = text.find(term)
    while start >= 0:
        if _is_boundary(text, start) and _is_boundary(text, start + len(term)):
            yield start
        start = text.find(term, start + 1)


def _is_boundary(text: str, position: int) -> bool:
    """Whether a word can begin or end there: not between two letters, digits or marks of a script with spaces."""
    around = text[max(position - 1, 0) : position + 1]
    return len(around) < 2 or not are_in_one_word(*around)
