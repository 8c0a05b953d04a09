"""Words cut into tokens by the rules of a language, as spaCy's tokenizer cuts them, without spaCy.

The algorithm of spaCy's ``Tokenizer`` (spacy/tokenizer.pyx; https://spacy.io/usage/linguistic-features#how-tokenizer-works):
prefixes and suffixes are cut off a word until it is an exception or a match, or until nothing is left to cut off; what
remains is kept whole or cut at its infixes. Each word between two spaces is cut by itself, so that it has the same
tokens in every text and is cut once. spaCy cuts a whole text otherwise where an exception reaches over a space: a few
abbreviations of two words (Russian "и др."), and a smiley with more brackets behind it (":) )").

Compiling spaCy's expressions takes 50 milliseconds, because they spell classes of all letters and all symbols. Here
each class has a number, and is cut down to the blocks of 256 characters that occur in the texts: for such texts the
result is the same, and compiling takes a tenth of the time.
"""

import re
import sys
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, pairwise
from typing import Any, Literal, Self, TypeAlias

from seq2seq_cli.errors import RESTORE, ModelFileError, one_line

LONGEST_WORD = 1000
"""Characters of the longest word that is cut: the time grows with the square of the length."""

Kind: TypeAlias = Literal["prefix", "suffix", "infix", "token_match", "url_match"]
"""The piece of a word that an expression finds. prefix, suffix, infix: at the start, at the end, inside; it is cut off.
token_match, url_match: a whole token."""
KINDS: tuple[Kind, ...] = ("prefix", "suffix", "infix", "token_match", "url_match")
_AFFIXES, _WHOLE = KINDS[:3], KINDS[3:]

_BLOCK = 256
_MOST_BLOCKS = 16
"""Blocks of characters for which expressions are compiled again each time that a word brings in another one."""
_NOTHING = r"[^\s\S]"
"""A class without members."""
_WIDENING = threading.Lock()


@dataclass(frozen=True, kw_only=True)
class TokenizerRules:
    """The rules of one language."""

    is_known: bool
    """Whether spaCy knows the language; else the rules are those for any language."""
    exceptions: Mapping[str, str] = field(hash=False)
    """The tokens of words that no expression cuts rightly, joined by spaces: ``do n't`` of ``don't``."""
    classes: tuple[str, ...]
    """Character classes: the first and the last character of each range, in order."""
    expressions: Mapping[Kind, tuple[str | int, ...]] = field(hash=False)
    """The source of each expression in pieces; a number stands for the class of that index. A kind may be missing."""

    @classmethod
    def parse(cls, value: Any) -> Self:
        """The rules from the content of a JSON file, other keys ignored; raises an error where it has none."""
        return cls(
            is_known=value["is_known"],
            exceptions=value["exceptions"],
            classes=tuple(value["classes"]),
            expressions={kind: tuple(pieces) for kind, pieces in value["expressions"].items()},
        )

    def __post_init__(self) -> None:
        """Raise an error for what is not made of rules: they may be a stranger's."""
        numbers = [piece for pieces in self.expressions.values() for piece in pieces if type(piece) is not str]
        is_sound = (
            type(self.is_known) is bool
            and all(type(tokens) is str and tokens.replace(" ", "") == word for word, tokens in self.exceptions.items())
            and all(type(ranges) is str and len(ranges) % 2 == 0 for ranges in self.classes)
            and self.expressions.keys() <= set(KINDS)
            and all(type(number) is int and 0 <= number < len(self.classes) for number in numbers)
        )
        if not is_sound:
            raise ValueError("not the rules of a tokenizer")

    def pattern(self, kind: Kind, blocks: Collection[int] | None = None) -> re.Pattern[str]:
        """An expression, for texts whose characters lie in these blocks or in any; raises ModelFileError if damaged."""
        pieces = self.expressions.get(kind, (_NOTHING,))
        source = "".join(piece if isinstance(piece, str) else self._bracket(piece, blocks) for piece in pieces)
        try:
            return re.compile(source)
        except (re.error, OverflowError, RecursionError) as error:
            problem = one_line(str(error))
            raise ModelFileError(f"codec: damaged: an expression of the tokenizer: {problem}: {RESTORE}") from None

    def _bracket(self, number: int, blocks: Collection[int] | None) -> str:
        """The members of a class that lie in the blocks, as an expression."""
        firsts, lasts = self.classes[number][::2], self.classes[number][1::2]
        spans, members = [(0, sys.maxunicode)], ""
        if blocks is not None:
            spans = [(block * _BLOCK, (block + 1) * _BLOCK - 1) for block in sorted(blocks)]
        for low, high in (map(chr, span) for span in spans):
            for at in range(bisect_left(lasts, low), bisect_right(firsts, high)):
                members += f"{re.escape(max(firsts[at], low))}-{re.escape(min(lasts[at], high))}"
        return f"[{members}]" if members else _NOTHING


class RuleTokenizer:
    """Cuts words by rules."""

    def __init__(self, rules: TokenizerRules) -> None:
        self._rules = rules
        self._longest_exception = max(map(len, rules.exceptions), default=0)
        self._blocks = frozenset({0})
        self._compiled = cache(rules.pattern)
        self._parts_of_exception = cache(self._parts_of)

    def split(self, word: str) -> tuple[str, ...]:
        """The tokens of a text without white space; joined, they are the text again."""
        if not word.isascii() and not self._blocks.issuperset(blocks := {ord(letter) // _BLOCK for letter in word}):
            with _WIDENING:  # threads share a tokenizer, and what one has made fit must stay fit
                self._blocks |= blocks
        is_whole = word not in self._rules.exceptions and self._is_plain(word)
        tokens = [word] if is_whole else self._join_exceptions(self._cut(word, self._rules.exceptions))
        return tuple(tokens if self._rules.is_known else chain.from_iterable(map(_cut_full_stop, tokens)))

    def _cut(self, word: str, exceptions: Mapping[str, str]) -> list[str]:
        """The tokens of a word before ``_join_exceptions``; the reference is ``_tokenize_affixes``."""
        prefixes, suffixes, rest = self._cut_affixes(word, exceptions)
        if rest in exceptions:
            middle = exceptions[rest].split(" ")
        elif not rest:
            middle = []
        elif self._is_plain(rest) or any(self._pattern(kind).match(rest) for kind in _WHOLE):
            middle = [rest]
        else:
            middle = self._cut_infixes(rest)
        return [*prefixes, *middle, *reversed(suffixes)]

    def _cut_affixes(self, word: str, exceptions: Mapping[str, str]) -> tuple[list[str], list[str], str]:
        """The prefixes of a word, its suffixes, the last first, and the rest; the reference is ``_split_affixes``."""
        prefixes: list[str] = []
        suffixes: list[str] = []
        length = 0
        while word and len(word) != length:
            if word in exceptions or self._is_plain(word) or self._pattern("token_match").match(word):
                break
            length = len(word)
            start, end = self._length("prefix", word), length
            if word[start:] not in exceptions:
                end -= self._length("suffix", word[start:])
                if word[:end] in exceptions:
                    start = 0
            prefixes += [word[:start]] if start else []
            suffixes += [word[end:]] if end < length else []
            word = word[start:end]
        return prefixes, suffixes, word

    def _cut_infixes(self, word: str) -> list[str]:
        """The pieces of a word between its infixes, and the infixes; the reference is ``_attach_tokens``."""
        spans = (infix.span() for infix in self._pattern("infix").finditer(word) if infix.start() > 0)
        edges = pairwise([0, *chain.from_iterable(spans), len(word)])
        return [word[start:end] for start, end in edges if start < end]

    def _join_exceptions(self, tokens: Sequence[str]) -> list[str]:
        """Give the tokens that together spell an exception its tokens; the reference is ``_apply_special_cases``.

        Of two that overlap, the longer one is joined, and of two of a length the first.
        """
        spans = []
        for start in range(len(tokens)):
            text = ""
            for end, token in enumerate(tokens[start:], start=start + 1):
                text += token
                if len(text) > self._longest_exception:
                    break
                if text in self._rules.exceptions and self._parts_of_exception(text) == tuple(tokens[start:end]):
                    spans.append((start - end, start, end))
        seen, chosen, result = set[int](), list[tuple[int, int]](), list(tokens)
        for _, start, end in sorted(spans):
            if seen.isdisjoint((start, end - 1)):
                chosen.append((start, end))
            seen.update(range(start, end))
        for start, end in sorted(chosen, reverse=True):  # the last first: the places of others stay
            result[start:end] = self._rules.exceptions["".join(tokens[start:end])].split(" ")
        return result

    def _parts_of(self, word: str) -> tuple[str, ...] | None:
        """The tokens that expressions alone make of an exception, None of a plain one; see ``add_special_case``."""
        return None if self._is_plain(word) else tuple(self._cut(word, exceptions={}))

    def _is_plain(self, word: str) -> bool:
        """Whether nothing can be cut off a word, which is true of most words."""
        return len(word) == 1 or not any(self._pattern(kind).search(word) for kind in _AFFIXES)

    def _length(self, kind: Kind, word: str) -> int:
        """The length of the piece that an expression finds; 0 for none."""
        found = self._pattern(kind).search(word)
        return found.end() - found.start() if found else 0

    def _pattern(self, kind: Kind) -> re.Pattern[str]:
        """The expression for texts of the blocks that occurred so far, or for any when these are many."""
        return self._compiled(kind, self._blocks if len(self._blocks) <= _MOST_BLOCKS else None)


def _cut_full_stop(token: str) -> tuple[str, ...]:
    """Cut the full stop off a word in a script that spaCy does not know (Georgian), but not off J. or e.g."""
    if len(token) < 2 or token.find(".") < len(token) - 1 or token[-2].isupper():
        return (token,)
    return token[:-1], "."
