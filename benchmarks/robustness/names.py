"""Names that both sides of a pair share letter by letter: known ones of the training pairs, and rare ones instead."""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

LETTERS = re.compile(r"[^\W\d_]+")
_SHORTEST = 3
"""Letters of a name; shorter words with a capital are shared by chance, such as "In" of English and German."""
_SHARED = 0.9
"""Fraction of the occurrences of a name whose target has it too."""
_AS_FREQUENT = 0.25
"""Occurrences of a known name, at least, per occurrence of the most frequent one."""
_MOST_KNOWN = 5

RARE_NAMES = tuple(re.split(r",\s+", Path(__file__).with_name("rare_names.txt").read_text(encoding="utf-8").strip()))
"""Given and family names of many languages: with an apostrophe, a hyphen, diacritics, of two words, short and long."""


def unseen_names(names: Iterable[str], texts: Iterable[str]) -> list[str]:
    """The names of which no word of three letters or more occurs in the texts, whatever its case.

    A name of shorter words alone is one where none of them occurs.
    """
    seen = {word.casefold() for text in texts for word in LETTERS.findall(text)}

    def is_unseen(name: str) -> bool:
        words = LETTERS.findall(name)
        long = [word for word in words if len(word) >= _SHORTEST]
        return seen.isdisjoint(word.casefold() for word in long or words)

    return [name for name in names if is_unseen(name)]


def known_names(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """The most frequent words with a capital inside sources whose targets nearly always have them too.

    A target has a name also with the s of a genitive, as in Tom's hat and Toms Hut. None where the sides do not share
    names, such as those in two scripts.
    """
    total: Counter[str] = Counter()
    shared: Counter[str] = Counter()
    for source, target in pairs:
        names = {word for word in LETTERS.findall(source)[1:] if word[0].isupper() and len(word) >= _SHORTEST}
        total.update(names)
        on_target = set(LETTERS.findall(target))
        shared.update(name for name in names if not on_target.isdisjoint((name, f"{name}s")))
    found = [name for name, count in total.most_common(100) if shared[name] >= _SHARED * count]
    return [name for name in found[:_MOST_KNOWN] if total[name] >= _AS_FREQUENT * total[found[0]]]


def shared_names(source: str, reference: str) -> list[str]:
    """The words with a capital that both have letter by letter, in alphabetical order."""
    shared = set(LETTERS.findall(source)).intersection(LETTERS.findall(reference))
    return sorted(word for word in shared if word[0].isupper() and len(word) >= _SHORTEST)
