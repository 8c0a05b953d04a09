"""The ends of the sentences of a line, by rules for many scripts.

A full stop does not end a sentence after an abbreviation, an initial (J. Smith), a word with a full stop inside (e.g.)
or, in some languages, a short number (am 3. Mai); no mark does where the next word is in lower case.
"""

import re
from collections.abc import Iterator

from seq2seq_cli.decoding.passages.markup import FILLER
from seq2seq_cli.text.conventions import APOSTROPHES
from seq2seq_cli.text.languages.abbreviations import abbreviations_of, has_ordinals

_SPACED_STOPS = ".!?…‽⁇⁈⁉؟۔։።፧।॥܀܁܂᠃᠉꓿᱾᱿჻။"
"""Marks that end a sentence where white space follows."""
OTHER_STOPS = "。！？｡．︒"
"""Marks of scripts without spaces."""
CLOSING_MARKS = "\"'”’»«›‹“)]}）］｝」』】〉》〕＂＇" + FILLER
_OPENING = "\"'“„‟‚‘«»‹›([{（［｛「『【〈《〔¿¡–—-" + FILLER

# French has a space before its closing quote.
SENTENCE_END = re.compile(rf"[{re.escape(_SPACED_STOPS + OTHER_STOPS)}]+(?:\s»(?=\s|$))?[{re.escape(CLOSING_MARKS)}]*+")
FOLLOWING = re.compile(f"[\\s{re.escape(_OPENING)}]*+(.)?", re.DOTALL)
LAST_WORD = re.compile(f"(?:(?<=\\w)[{APOSTROPHES}])?[^\\s{re.escape(_OPENING)}]*$")
"""The word before a stop; of a word with an apostrophe the end from there on: 't of can't, which is no initial."""
LONGEST_ABBREVIATION = 40
"""Characters before a full stop that are looked at."""
_ROMAN = re.compile("[IVXLCDM]+")


def sentence_ends(text: str, language: str) -> Iterator[int]:
    """The positions in a line after which another sentence begins, closing quotes and brackets before them.

    `language` is a code such as ``en``. FILLER stands for marks, which are no part of the text.
    """
    for match in SENTENCE_END.finditer(text):
        end = match.end()
        following = FOLLOWING.match(text, end)
        if following is None or following[1] is None or following[1].islower():
            continue
        stops = match[0].rstrip(CLOSING_MARKS).rstrip()
        if text[end].isspace() or any(stop in OTHER_STOPS for stop in stops):
            before = text[max(0, match.start() - LONGEST_ABBREVIATION) : match.start()]
            word = LAST_WORD.search(before)
            if stops != "." or word is None or not _goes_on(word[0].replace(FILLER, ""), following[1], language):
                yield end


def _goes_on(word: str, following: str, language: str) -> bool:
    """Whether a full stop after this word, with this character next, belongs to the word."""
    abbreviations = abbreviations_of(language)
    if len(word) == 1 and word.isalpha():
        return True
    if word.isdigit() or _ROMAN.fullmatch(word):
        return has_ordinals(language) and (len(word) <= 2 or not word.isdigit())
    if "." in word and any(letter.isalpha() for letter in word):
        return True
    folded = word.lstrip(APOSTROPHES).casefold()
    return folded in abbreviations or (following.isdigit() and f"{folded}#" in abbreviations)
