"""The scripts of letters."""

import functools
import re
import unicodedata
from collections.abc import Iterable

_NAME = re.compile(r"(?:FULLWIDTH |HALFWIDTH )?([A-Z-]+) .*(?:LETTER|SYLLAB|IDEOGRAPH|CHARACTER)")
"""The name of a character that is a letter of a script; signs such as the micro sign are called otherwise."""
_OF_NAMES = {"CJK": "Han", "HIRAGANA": "Japanese", "KATAKANA": "Japanese"}
"""The scripts by the first words of the names of their characters, where they are called otherwise."""


@functools.cache
def script_of_letter(letter: str) -> str | None:
    """The script of a letter, in English: Latin, Cyrillic, Han; both kinds of kana are Japanese.

    None for letters that stand in texts of any script, such as the micro sign, ordinals and those of formulas.
    """
    found = _NAME.match(unicodedata.name(letter, ""))
    if not found or unicodedata.category(letter) == "Lm":
        return None
    return _OF_NAMES.get(found[1], found[1].capitalize())


def scripts_of(texts: Iterable[str]) -> set[str]:
    """The scripts of all letters in some texts."""
    found = map(script_of_letter, filter(str.isalpha, set("".join(texts))))
    return {script for script in found if script}
