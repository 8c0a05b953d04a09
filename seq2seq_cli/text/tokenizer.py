"""Words cut into tokens by the rules of a language, as spaCy's tokenizer cuts them, without spaCy.

The algorithm is that of spaCy's ``Tokenizer`` (spacy/tokenizer.pyx; https://spacy.io/usage/linguistic-features#how-tokenizer-works):
prefixes and suffixes are cut off a word until it is an exception or a match, or until nothing is left to cut off; what
remains is kept whole or cut at its infixes. Each word between two spaces is cut by itself, so that it has the same
tokens in every text and is cut once. spaCy cuts a whole text otherwise where an exception reaches over a space: a few
abbreviations of two words (Russian "и др."), and a smiley with more brackets behind it (":) )").
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Protocol

from seq2seq_cli.text.memo import memoised
from seq2seq_cli.text.tokenizer_rules import KINDS, Finder, Kind, TokenizerRules, blocks_of, characters_of

LONGEST_WORD = 1000
"""Characters of the longest word that is cut: the time grows with the square of the length."""

_MOST_BLOCKS = 16
"""Blocks of characters for which expressions are compiled again each time that a word brings in another one."""

_WIDENING = threading.Lock()

_AFFIXES: tuple[Kind, ...] = ("prefix", "suffix", "infix")
"""The expressions that cut; the others keep from cutting."""


class Tokenizer(Protocol):
    """Cuts words into tokens."""

    def split(self, word: str) -> tuple[str, ...]:
        """The tokens of a text without white space; joined, they are the text again."""
        ...


class RuleTokenizer:
    """Cuts words by rules."""

    def __init__(self, rules: TokenizerRules) -> None:
        self._rules = rules
        self._exceptions = rules.exceptions
        self._blocks: set[int] | None = set()
        self._widen({0})

    def split(self, word: str) -> tuple[str, ...]:
        """The tokens of a text without white space; joined, they are the text again."""
        if len(word) > LONGEST_WORD:
            return (word,)
        tokens = self._split(word)
        if not self._rules.is_known:
            return tuple(part for token in tokens for part in _cut_full_stop(token))
        return tokens

    def _split(self, word: str) -> tuple[str, ...]:
        if self._blocks is not None and not self._characters.issuperset(word):
            self._widen(blocks_of(word))
        if word not in self._exceptions and self._is_plain(word):
            return (word,)
        return tuple(self._join_exceptions(self._cut(word, with_exceptions=True)))

    def _widen(self, blocks: set[int]) -> None:
        """Make the expressions fit for words with characters of these blocks too; of many, for all words."""
        with _WIDENING:  # threads share a tokenizer, and what one has made fit must stay fit
            known = self._blocks
            if known is None:
                return
            blocks = known | blocks
            fit = blocks if len(blocks) <= _MOST_BLOCKS else None
            # First what cuts: a thread that does not wait here asks for the others before it cuts.
            self._finders = {
                kind: Finder(self._rules.expressions.get(kind), self._rules.classes, fit) for kind in KINDS
            }
            self._characters = characters_of(blocks)
            self._blocks = fit

    def _cut(self, word: str, *, with_exceptions: bool) -> list[str]:
        """The tokens of a word before ``_join_exceptions``; the reference is ``_tokenize_affixes``."""
        is_exception = self._exceptions.__contains__ if with_exceptions else _never
        prefixes, suffixes, rest = self._cut_affixes(word, is_exception)
        if is_exception(rest):
            middle = self._exceptions[rest].split(" ")
        elif not rest:
            middle = []
        elif self._is_plain(rest) or self._matches("token_match", rest) or self._matches("url_match", rest):
            middle = [rest]
        else:
            middle = self._cut_infixes(rest)
        return [*prefixes, *middle, *reversed(suffixes)]

    def _cut_affixes(self, word: str, is_exception: Callable[[str], bool]) -> tuple[list[str], list[str], str]:
        """The prefixes of a word, its suffixes, the last first, and the rest; the reference is ``_split_affixes``."""
        prefixes: list[str] = []
        suffixes: list[str] = []
        length = 0
        while word and len(word) != length:
            if is_exception(word) or self._is_plain(word) or self._matches("token_match", word):
                break
            length = len(word)
            prefix = word[: self._length("prefix", word)]
            without_prefix = word[len(prefix) :]
            if prefix and is_exception(without_prefix):
                prefixes.append(prefix)
                return prefixes, suffixes, without_prefix
            size = self._length("suffix", without_prefix)
            suffix = word[len(word) - size :]
            without_suffix = word[: len(word) - size]
            if suffix and is_exception(without_suffix):
                suffixes.append(suffix)
                return prefixes, suffixes, without_suffix
            if prefix and suffix:
                word = without_prefix[: len(without_prefix) - size]
            elif prefix:
                word = without_prefix
            elif suffix:
                word = without_suffix
            prefixes += [prefix] if prefix else []
            suffixes += [suffix] if suffix else []
        return prefixes, suffixes, word

    def _cut_infixes(self, word: str) -> list[str]:
        """The pieces of a word between its infixes, and the infixes; the reference is ``_attach_tokens``."""
        finder = self._finders["infix"]
        pieces: list[str] = []
        start = 0
        for infix in finder.pattern.finditer(word) if finder.may_match(word) else ():
            if infix.start() == 0:
                continue
            pieces += [word[start : infix.start()], infix.group()]
            start = infix.end()
        return [piece for piece in (*pieces, word[start:]) if piece]

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
                if text in self._exceptions and self._parts_of_exception[text] == tuple(tokens[start:end]):
                    spans.append((start - end, start, end))
        if not spans:
            return list(tokens)
        joined = dict(_apart(sorted(spans)))
        result: list[str] = []
        at = 0
        while at < len(tokens):
            end = joined.get(at, at)
            result += self._exceptions["".join(tokens[at:end])].split(" ") if end > at else [tokens[at]]
            at = max(end, at + 1)
        return result

    @memoised
    def _parts_of_exception(self, word: str) -> tuple[str, ...] | None:
        """The tokens that the expressions alone make of an exception; None where they find nothing to cut off.

        The reference is ``add_special_case``.
        """
        infix = self._finders["infix"]
        found = (
            self._length("prefix", word)
            or self._length("suffix", word)
            or (infix.may_match(word) and infix.pattern.search(word))
        )
        return tuple(self._cut(word, with_exceptions=False)) if found else None

    @cached_property
    def _longest_exception(self) -> int:
        return max(map(len, self._exceptions), default=0)

    def _is_plain(self, word: str) -> bool:
        """Whether nothing can be cut off a word: a quick test, true of most words."""
        return len(word) == 1 or not any(self._finders[kind].may_match(word) for kind in _AFFIXES)

    def _length(self, kind: Kind, word: str) -> int:
        """The length of the piece that an expression finds; 0 for none."""
        finder = self._finders[kind]
        found = finder.pattern.search(word) if finder.may_match(word) else None
        return found.end() - found.start() if found else 0

    def _matches(self, kind: Kind, word: str) -> bool:
        finder = self._finders[kind]
        return finder.may_match(word) and finder.pattern.match(word) is not None


def _never(_word: str) -> bool:
    return False


def _apart(spans: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, int]]:
    """The start and the end of each span whose ends lie in no span before it."""
    seen: set[int] = set()
    for _, start, end in spans:
        if start not in seen and end - 1 not in seen:
            yield start, end
        seen.update(range(start, end))


def _cut_full_stop(token: str) -> tuple[str, ...]:
    """Cut the full stop off a word in a script that spaCy does not know (Georgian), but not off J. or e.g."""
    if len(token) < 2 or token.find(".") < len(token) - 1 or token[-2].isupper():
        return (token,)
    return token[:-1], "."
