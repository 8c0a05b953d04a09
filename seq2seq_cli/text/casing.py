"""Small and capital letters, as the language writes them."""

import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, pairwise

_DOTTED = frozenset({"az", "tr"})
"""Languages in which I is the capital of ı, and İ that of i."""


def lower(text: str, language: str) -> str:
    """The text in small letters; it can be longer (outside Turkish, İ becomes i and a dot above)."""
    if language in _DOTTED:
        text = text.replace("İ", "i").replace("I", "ı")
    return text.lower()


def capitals(text: str, language: str) -> str:
    """The text in capital letters, in NFC; it can be longer (ß becomes SS)."""
    if language in _DOTTED:
        text = text.replace("i", "İ")
    return unicodedata.normalize("NFC", text.upper())


def is_all_capitals(text: str) -> bool:
    """Whether every letter is a capital, and there are two at least: ``GO!`` shouts, ``I.`` and ``A 3`` do not.

    A letter of a script without capitals does not shout: ``他说OK。`` is no such text.
    """
    letters = [character for character in text if unicodedata.category(character) in {"Lu", "Ll", "Lt", "Lo"}]
    return len(letters) > 1 and all(letter.isupper() for letter in letters)


def cut_alike(text: str, parts: Sequence[str], language: str) -> list[str]:
    """Cut a text where its lower-cased form is cut into ``parts``: one piece for each of them.

    Of the parts that lie within one character's small form, the first stands for the character, the others are empty.
    """
    if sum(map(len, parts)) == len(text):
        begins: Sequence[int] = range(len(text))
    else:
        begins = list(accumulate((len(lower(character, language)) for character in text), initial=0))[:-1]
    cuts = [bisect_left(begins, end) for end in accumulate(map(len, parts), initial=0)]
    return [text[begin:end] for begin, end in pairwise(cuts)]
