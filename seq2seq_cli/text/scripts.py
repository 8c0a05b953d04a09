"""The scripts of letters."""

import functools
import unicodedata
from collections.abc import Iterable

_OF_NAMES = {"CJK": "Han", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "KATAKANA-HIRAGANA": "Japanese"}
"""The scripts by the first words of the names of their characters, where they are called otherwise."""


@functools.cache
def script_of_letter(letter: str) -> str:
    """The script of a letter, in English: Latin, Cyrillic, Han; both kinds of kana are Japanese."""
    first = unicodedata.name(letter, "?").partition(" ")[0]
    return _OF_NAMES.get(first, first.capitalize())


def scripts_of(texts: Iterable[str]) -> set[str]:
    """The scripts of all letters in some texts."""
    return set(map(script_of_letter, filter(str.isalpha, set("".join(texts)))))
