"""Letters: their lower and upper case, by the rules of the language, and their scripts."""

import functools
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Literal, TypeAlias

_NAME = re.compile(r"(?:FULLWIDTH |HALFWIDTH )?([A-Z-]+) .*(?:LETTER|SYLLAB|IDEOGRAPH|CHARACTER)")
"""The name of a character that is a letter of a script; signs such as the micro sign are called otherwise."""
_OF_NAMES = {"CJK": "Han", "HIRAGANA": "Japanese", "KATAKANA": "Japanese"}
"""The scripts by the first words of the names of their characters, where they are called otherwise."""

Case: TypeAlias = Literal["usual", "small", "capitals", "title"]
"""The case of a text: with a capital at its beginning, a small letter there, all in capitals, one in each word."""

WORD_START = re.compile(r"(?<!\S)[^\W\d_]+")
"""The letters that a word begins with."""

DOTTED = frozenset({"az", "tr"})
"""Languages in which I is the upper case of ı, and İ of i."""


def lower(text: str, language: str) -> str:
    """The text in lower case; it can be longer (outside Turkish, İ becomes i and a dot above)."""
    if language in DOTTED:
        text = text.replace("İ", "i").replace("I", "ı")
    return text.lower()


def upper(text: str, language: str) -> str:
    """The text in upper case, in NFC; it can be longer (ß becomes SS)."""
    if language in DOTTED:
        text = text.replace("i", "İ")
    return unicodedata.normalize("NFC", text.upper())


def lowered(character: str) -> str:
    """The character in lower case where that is one character, so that positions stay."""
    lower = character.lower()
    return lower if len(lower) == 1 else character


def capitalise(word: str, language: str) -> str:
    """The word with its first letter as at the start of a sentence (ǆ becomes ǅ), in NFC; it can be longer."""
    if language == "nl" and word.startswith("ij"):  # one letter: IJsland
        return unicodedata.normalize("NFC", "IJ" + word[2:])
    first = "İ" if word[:1] == "i" and language in DOTTED else word[:1].title()
    return unicodedata.normalize("NFC", first + word[1:])


def small_first(text: str, language: str) -> str:
    """The text with its first letter in lower case; Dutch IJ is one letter."""
    if language == "nl" and text.startswith("IJ"):
        return "ij" + text[2:]
    return lower(text[:1], language) + text[1:]


def is_all_upper(text: str) -> bool:
    """Whether a text has two letters or more, all of them upper case: true of ``GO!``, false of ``I.`` and ``A 3``.

    A letter of a script without case is not upper case: false of ``他说OK。``.
    """
    letters = [character for character in text if unicodedata.category(character) in {"Lu", "Ll", "Lt", "Lo"}]
    return len(letters) > 1 and all(letter.isupper() for letter in letters)


def split_like(text: str, parts: Sequence[str], language: str) -> list[str]:
    """Split a text where ``parts`` split its lower-cased form, or the text itself: one piece per part.

    Where several parts are the lower case of one character, the first of them gets the character and the others
    the empty text.
    """
    ends: Iterable[int] = accumulate(map(len, parts), initial=0)
    if sum(map(len, parts)) != len(text):
        begins = list(accumulate((len(lower(character, language)) for character in text), initial=0))[:-1]
        ends = (bisect_left(begins, end) for end in ends)
    return [text[begin:end] for begin, end in pairwise(ends)]


@functools.cache
def script_of_letter(letter: str) -> str | None:
    """The script of a letter, in English: Latin, Cyrillic, Han; both kinds of kana are Japanese.

    None for letters that stand in texts of any script, such as the micro sign, ordinals and letters of formulas.
    """
    found = _NAME.match(unicodedata.name(letter, ""))
    if not found or unicodedata.category(letter) == "Lm":
        return None
    return _OF_NAMES.get(found[1], found[1].capitalize())
