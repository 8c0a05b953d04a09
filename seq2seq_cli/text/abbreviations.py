"""The abbreviations of languages, and which write ordinals as numbers with a full stop."""

import re
from functools import cache
from pathlib import Path

from seq2seq_cli.text.normalise import APOSTROPHES

UNITS = "ghlms"
"""Units of one letter."""
_ROMAN = re.compile("[IVX]+")


def abbreviations_of(language: str) -> frozenset[str]:
    """The abbreviations of a language, in lower case but for !LETTER, as abbreviations.txt explains them."""
    return _abbreviations().get(language, frozenset())


def has_own_stop(word: str, following: str, language: str, previous: str = "") -> bool:
    """Whether a full stop after a word belongs to it and ends no sentence.

    `following` is the next character after white space, or empty, and `previous` the word before.
    """
    has_ordinals = "0" in abbreviations_of(language)
    if f"!{word}" in abbreviations_of(language):
        return word.isupper() and (not previous or previous[0].isupper())
    if len(word) == 1 and word.isalpha():
        is_unit = word in UNITS and previous[-1:].isdigit()  # at 15 h. Thank you.
        return not is_unit or following.isdigit()
    if word.isdigit():
        return has_ordinals and len(word) <= 2
    if _is_listed(word, following, language):
        return True
    if f"{word.casefold()}~" in abbreviations_of(language):
        return False
    if _ROMAN.fullmatch(word):
        return has_ordinals
    return "." in word and any(map(str.isalpha, word)) and not any(map(str.isdigit, word))


def _is_listed(word: str, following: str, language: str) -> bool:
    """Whether a word is an abbreviation of the list before a word that begins with this character."""
    abbreviations, name = abbreviations_of(language), word.lstrip(APOSTROPHES).casefold()
    if name in abbreviations or (following.islower() and f"{name}~" in abbreviations):
        return True
    if not following.isdigit():
        return False
    return f"{name}#" in abbreviations or any(name.endswith(end[1:-1]) for end in abbreviations if end[0] == "-")


@cache
def _abbreviations() -> dict[str, frozenset[str]]:
    table = Path(__file__).with_name("abbreviations.txt").read_text(encoding="utf-8")
    rows = (line.split() for line in table.splitlines() if not line.startswith("#"))
    return {language: frozenset(names) for language, *names in rows}
