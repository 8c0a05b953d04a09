"""Names that both sides of a corpus share, letter by letter, and others in their places.

A model that has read "Tom" in a quarter of its pairs translates "Xochitl" badly. One that has read another name there
each time copies whatever stands in such a place.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from seq2seq_cli.text.characters import ACCENTS, CONTINUING, SPACING

_PART = rf"[^\W\d_](?:[^\W\d_]|[{ACCENTS}])*"
WORD = re.compile(rf"{_PART}(?:['’-]{_PART})*")
"""A word of letters and their accents: Tom, O'Brien, Jean-Luc."""
_FEWEST = 20
"""Distinct names below which a corpus shows too little of their shape."""
_SMALL_PARTS = re.compile(r"['’-]\w{1,2}$")
"""The ending of Tom's, which is no part of the name."""
_LETTERS = {True: "aeiouy", False: "bcdfghjklmnpqrstvwxz"}
_MARKED = {True: "áàâãäåæéèêëíîïóôöøúûüýœ", False: "çčćďđğłñňřśšşťžż"}
"""Vowels and consonants with a mark, in one of six made-up names: those that the vocabularies have."""
_CODES = (
    *("00", "000", "0000", "0/0", "-0", "A00", "A0", "000-0000", "000-000-0000", "0.0.0", "0000 000000"),
    *("AA", "AAA", "AAAA"),
)
"""Shapes of numbers, codes and acronyms, which stand in few training pairs of most corpora; 0 is any digit, A any
letter."""
_ANY = {"0": "0123456789", "A": "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_LONGEST = 10
_MOST_PARTS, _LONGEST_PART = 3, 5
"""Parts of words in a name, after its first one, and letters of each."""
_DOUBLED = 0.1
"""Probability per letter that it is doubled, as in Anneliese: a model that has not read that leaves one out."""
_BEYOND_LATIN = "\u0250"
"""The first letter behind the usual Latin alphabets."""
_DRAWN = 6_000


@dataclass(frozen=True, kw_only=True)
class Names:
    """The names of the training pairs, and the common words."""

    common: frozenset[str] = frozenset()
    """The words that begin with a small letter somewhere: no name, even where one begins a sentence."""
    units: tuple[str, ...] = ()
    """The units that both vocabularies have."""
    known: tuple[str, ...] = ()
    """The distinct names of the sample; empty where the sides share too few, as in two different scripts."""

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], units: Iterable[str]) -> "Names":
        """The names of a sample of pairs."""
        shared: list[str] = []
        common: set[str] = set()
        for src, tgt in pairs:
            words = set(WORD.findall(src)), set(WORD.findall(tgt))
            common.update(word for side in words for word in side if word[0].islower())
            shared += filter(_is_capitalised, map(_stem, words[0] & words[1]))
        known = sorted({word for word in shared if word.lower() not in common})
        return cls(
            common=frozenset(common), units=tuple(sorted(units)), known=tuple(known) if len(known) >= _FEWEST else ()
        )

    def find(self, src: str, tgt: str) -> list[str]:
        """The names that a source and its translation share, each as often in both: Tom, with Tom's and Toms."""
        if not self.known:
            return []
        words = WORD.findall(src)
        found = [name for name in map(_stem, words) if _is_capitalised(name) and name.lower() not in self.common]
        if not found:
            return []
        of_tgt = WORD.findall(tgt)
        return [name for name in dict.fromkeys(found) if _count(name, words) == _count(name, of_tgt) > 0]

    def draw(self, random: np.random.Generator) -> str:
        """A name of a word or two: from the corpus, like its names, of any letters, of parts of words; or a code."""
        count = 1 + (random.random() < 0.1)
        return " ".join(self.drawn[i] for i in random.integers(len(self.drawn), size=count).tolist())

    @cached_property
    def drawn(self) -> list[str]:
        """The names that are drawn from: so few that each is cut once, so many that none is learned by heart."""
        random = np.random.default_rng(len(self.known))
        return [self._word(random) for _ in range(_DRAWN)]

    def _word(self, random: np.random.Generator) -> str:
        kind = random.random()
        if kind > 0.92:
            shape = _CODES[random.integers(len(_CODES))]
            return "".join(_ANY[each][random.integers(len(_ANY[each]))] if each in _ANY else each for each in shape)
        if kind < 0.2:
            return self.known[random.integers(len(self.known))]
        name, mark = self._made_up(random), random.random()
        if not self._are_latin or mark > 0.2:
            return name
        if mark > 0.15:
            return f"{self._made_up(random)[: random.integers(1, 3)]}. {name}"
        return f"{name}-{self._made_up(random)}" if mark < 0.1 else f"{'OD'[random.integers(2)]}'{name}"

    def _made_up(self, random: np.random.Generator) -> str:
        kind = random.random()
        if kind < 0.5 and all(self._parts):
            return self._of_parts(random)
        letters = self._like_known(random) if kind < 0.75 or not self._are_latin else self._syllables(random)
        return letters.capitalize()

    @cached_property
    def _are_latin(self) -> bool:
        """Whether most names of the corpus have Latin letters, as made-up syllables do."""
        return 2 * sum("a" <= name[0].lower() <= "z" for name in self.known) > len(self.known)

    def _like_known(self, random: np.random.Generator) -> str:
        """A name in which each letter follows the one or two before it as in a name of the corpus."""
        chain, name = self._chain, ""
        while len(name) < _LONGEST:
            followers = chain[name[-2:] if random.random() < 0.7 else name[-1:]]
            letter = followers[random.integers(len(followers))] if followers else ""
            if not letter and len(name) > 1:
                break
            name = name + letter if letter else ""
        return name

    def _of_parts(self, random: np.random.Generator) -> str:
        """A name of parts of words, so that each is copied in some: Balthasar's "alth" is not the one of "health"."""
        first, inner = self._parts
        count = random.integers(1, _MOST_PARTS + 1)
        return first[random.integers(len(first))] + "".join(inner[i] for i in random.integers(len(inner), size=count))

    @cached_property
    def _parts(self) -> tuple[list[str], list[str]]:
        """The short units of letters that begin a name, and those that continue it, in the script of the names."""
        units = [unit.removeprefix(SPACING) for unit in self.units]
        inner = [unit.removeprefix(CONTINUING) for unit in units if unit.startswith(CONTINUING)]

        def fits(part: str) -> bool:
            return len(part) <= _LONGEST_PART and part.isalpha() and (part < _BEYOND_LATIN) == self._are_latin

        return [unit for unit in units if unit.istitle() and fits(unit)], [p for p in inner if p.islower() and fits(p)]

    @cached_property
    def _letters(self) -> frozenset[str]:
        """The letters that both vocabularies have."""
        return frozenset(unit[-1] for unit in self.units)

    def _syllables(self, random: np.random.Generator) -> str:
        """Two to eight letters, vowels and consonants mostly in turn."""
        is_vowel, has_marks = (random.random(2) < (0.3, 0.15)).tolist()
        name = ""
        for _ in range(random.integers(2, 9)):
            letters = _LETTERS[is_vowel]
            if has_marks and random.random() < 0.3:
                letters = "".join(sorted(self._letters.intersection(_MARKED[is_vowel]))) or letters
            name += letters[random.integers(len(letters))] * (1 + (random.random() < _DOUBLED))
            is_vowel = is_vowel != (random.random() < 0.85)
        return name

    @cached_property
    def _chain(self) -> dict[str, list[str]]:
        """The letters that follow one or two letters in the names of the corpus, "" for the end."""
        chain = defaultdict[str, list[str]](list)
        for name in self.known:
            letters = name.lower()
            for place, letter in enumerate((*letters, "")):
                for order in {min(place, 1), min(place, 2)}:
                    chain[letters[place - order : place]].append(letter)
        return chain


def _count(name: str, words: Iterable[str]) -> int:
    """The number of times that a name is a word, with an s or without; -1 where it is inside another word."""
    holding = [_stem(word) for word in words if name in word]
    return len(holding) if {name, f"{name}s"}.issuperset(holding) else -1


def _stem(word: str) -> str:
    return _SMALL_PARTS.sub("", word)


def _is_capitalised(word: str) -> bool:
    return len(word) > 1 and word[0].isupper() and not word.isupper()
