"""The ends of the sentences of a line, by rules for many scripts.

A full stop does not end a sentence after an abbreviation, an initial (J. Smith), a word with a full stop inside (e.g.)
or, in some languages, a short number (am 3. Mai). No mark ends a sentence before a word in lower case, unless the whole
text is in lower case.
"""

import re
from collections.abc import Iterator

from seq2seq_cli.decoding.passages.kept import PICTURES
from seq2seq_cli.decoding.passages.markup import FILLER
from seq2seq_cli.text.languages.abbreviations import has_own_stop
from seq2seq_cli.text.normalise import APOSTROPHES, LOUD_STOPS, is_unspaced

_SPACED_STOPS = ".!?…‽⁇⁈⁉؟۔։።፧।॥܀܁܂᠃᠉꓿᱾᱿჻။"
"""Marks that end a sentence where white space follows."""
GREEK_STOPS = ";\u037e"
"""The question mark of Greek, which parts sentences in no other language."""
SINGLE_STOPS = (".", "!", "?", *GREEK_STOPS)
"""Those that end a sentence in a text without capitals where they stand alone; not so ... and ?"."""
OTHER_STOPS = "。！？｡．︒"
"""Marks of scripts without spaces."""
CLOSING_MARKS = "\"'”’»«›‹“)]}）］｝」』】〉》〕＂＇" + FILLER
_SIGNS = "+±~≈#$€£¥"
"""Marks before a number."""
OPENING_MARKS = "\"'“„‟‚‘«»‹›([{（［｛「『【〈《〔¿¡–—-" + FILLER

# French has a space before its closing quote, and an encyclopaedia the numbers of notes, [1], behind a sentence. Emoji
# after a stop belong to its sentence.
SENTENCE_END = re.compile(
    rf"(?P<stops>[{re.escape(_SPACED_STOPS + GREEK_STOPS + OTHER_STOPS)}]+)(?:\s»(?=[\s,;:.!?…)]|$))?"
    rf"[{re.escape(CLOSING_MARKS)}{PICTURES}]*+(?:\[\w{{1,3}}\])*+"
)
FOLLOWING = re.compile(f"[\\s{re.escape(OPENING_MARKS + _SIGNS)}]*+(.)?", re.DOTALL)
LAST_WORD = re.compile(f"(?:(?<=\\w)[{APOSTROPHES}])?[^\\s{re.escape(OPENING_MARKS)}]*$")
"""The word before a stop; of a word with an apostrophe the end from there on: 't of can't, which is no initial."""
LONGEST_ABBREVIATION = 40
"""Characters before a full stop that are looked at."""


def sentence_ends(text: str, language: str) -> Iterator[int]:
    """The positions in a line after which another sentence begins, closing quotes and brackets before them.

    `language` is a code such as ``en``. FILLER stands for marks, which are no part of the text.
    """
    is_lower = text.islower()
    for match in SENTENCE_END.finditer(text):
        end = match.end()
        following = FOLLOWING.match(text, end)
        if following is None or following[1] is None:
            continue
        if following[1].islower() and not (is_lower and match[0] in SINGLE_STOPS):
            continue
        stops = match["stops"]
        if language != "el" and not set(stops).isdisjoint(GREEK_STOPS):
            continue
        is_loud = stops == match[0] and stops[-1] in LOUD_STOPS and (text[end].isupper() or is_unspaced(text[end]))
        if text[end].isspace() or is_loud or any(stop in OTHER_STOPS for stop in stops):
            before = text[max(0, match.start() - LONGEST_ABBREVIATION) : match.start()].replace(FILLER, "")
            if stops != "." or not _is_abbreviation(before, following[1], language):
                yield end


def _is_abbreviation(before: str, following: str, language: str) -> bool:
    """Whether the text before a full stop ends with an abbreviation; `following` is the next character."""
    word = LAST_WORD.search(before)
    if word is None:
        return False
    previous = "".join(before[: word.start()].split()[-1:]).lstrip(OPENING_MARKS)
    return has_own_stop(word[0], following, language, previous)
