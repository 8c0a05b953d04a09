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
    """Whether a text is written in capitals alone: two of them at least (``GO!``, not ``I.``), and no small letter."""
    return not any(c.islower() for c in text) and sum(c.isupper() for c in text) > 1


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
