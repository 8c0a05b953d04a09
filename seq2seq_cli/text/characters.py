"""Characters: one spelling for each text, the marks of units, scripts, and case by the rules of the language."""

import functools
import re
import string
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate, chain, islice, pairwise
from typing import Literal, TypeAlias

Span: TypeAlias = tuple[int, int]
"""The start and the end of a part of a text."""

SPACING = "\N{LOWER ONE EIGHTH BLOCK}"
"""The mark of a space in the units of a vocabulary; no normalised text holds it."""
CONTINUING = "\N{LEFT ONE EIGHTH BLOCK}"
"""The mark of a unit that is not the first of its token; no normalised text holds it."""
BEGINNING = "\N{RIGHT ONE EIGHTH BLOCK}"
"""The mark of a text's first token, where it has a case; no normalised text holds it."""
HIDDEN = "\ufdd0"
"""Stands for a protected span of a text: one of the code points that Unicode keeps out of texts."""

APOSTROPHES = "'’"
"""The apostrophes inside words; training text mostly has one of them."""

INNER_MARKS = APOSTROPHES + "´`′ʼʻꞌ"
"""These, and the accents, primes and letters that people type in their place."""
_LETTERS, _OTHERS, _SLIPS = 0.1, 0.05, 10
"""Marks per sentence from which on they are a letter; the fraction and the number of others that are no slips."""

FINAL_MARKS = frozenset(".!?…。！？؟।۔։።፧။។")
"""The marks that end a sentence."""

LOUD_STOPS = "!?؟"
"""Marks that end a sentence, whatever follows: unlike full stops, they are in no abbreviation and no number."""

UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0010ffff"
)
"""The members of a class: scripts without spaces between words, Thai, Lao and Tibetan, Burmese, Khmer, Kana, Han."""
UNSPACED_LETTERS = UNSPACED + "\uac00-\ud7af"
"""And Korean, which joins particles: these are no part of a number or an address, ``请看 example.com。谢谢``."""

ACCENTS = (
    r"\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    r"\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711-\u07f3\u0898-\u08e1\u08e3-\u0963\u0981-\u09e3\u09fe-\u0a75"
    r"\u0a81-\u0ae3\u0afa-\u0b63\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83\u0cbc-\u0d4d\u0d57-\u0d63\u0d81-\u0df3"
    r"\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ece\u102b-\u103e\u17b4-\u17d3\u200c"
)
"""Members of a character class: what words have beside ``\\w``, the accents and vowel signs of most scripts."""

INNER_APOSTROPHE = re.compile(rf"[{INNER_MARKS}](?<=(?:[^\W\d_]|[{ACCENTS}]).)(?=[^\W\d_])")
"""One of INNER_MARKS between two letters, of which the first may have an accent of its own: tu̱'un."""

# Control characters that are not white space; the soft hyphen, spaces without width, marks of direction and the byte
# order mark; and halves of surrogate pairs, which no file can hold.
DROPPED = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]"
)

_OTHER_MARKS = str.maketrans({SPACING: "_", CONTINUING: "|", BEGINNING: "|"})


def normalise(text: str) -> str:
    """The text in NFC, stripped, with single spaces, without unseen characters, our marks replaced; idempotent."""
    text = " ".join(without_control_characters(text).split())
    return unicodedata.normalize("NFC", text).translate(_OTHER_MARKS)


def letter_of_marks(sentences: Sequence[str]) -> str:
    """The usual one of INNER_MARKS, in sentences that write a letter with several of them; else empty."""
    counts = Counter(INNER_APOSTROPHE.findall("\n".join(sentences)))
    usual = max(counts, key=counts.__getitem__, default="")
    is_letter = counts.total() > _LETTERS * len(sentences)
    others = counts.total() - counts[usual]
    return usual if is_letter and others > max(_SLIPS, _OTHERS * counts.total()) else ""


def without_control_characters(text: str) -> str:
    """The text without characters that nobody sees and that are not white space: `DROPPED`."""
    return text if text.isprintable() else DROPPED.sub("", text)


def hide(text: str, spans: Sequence[Span]) -> str:
    """The text with HIDDEN in place of each of the spans, in order and apart, and without any of its own."""
    edges = pairwise([0, *chain.from_iterable(spans), len(text)])
    return HIDDEN.join(text[start:end].replace(HIDDEN, "") for start, end in islice(edges, 0, None, 2))


def in_word(character: str) -> bool:
    """Whether it is a letter, a digit, or a mark that belongs to one (an accent, a vowel sign)."""
    return unicodedata.category(character)[0] in "LNM"


def in_spaced_word(character: str) -> bool:
    """Whether a character is in a word, and of a script with spaces between words; the empty text is not."""
    return character != "" and in_word(character) and not is_unspaced(character)


def is_unspaced(character: str) -> bool:
    """Whether a character is of a script without spaces between words."""
    return re.match(f"[{UNSPACED}]", character) is not None


def is_space(character: str) -> bool:
    """Whether it is white space, or the mark of a space."""
    return character.isspace() or character == SPACING


def solid_length(text: str) -> int:
    """The number of characters that are no white space."""
    return sum(not is_space(character) for character in text)


def is_punctuation(token: str) -> bool:
    """Whether every character is a punctuation mark, in any script (or one of ASCII's, such as ``~``), or SPACING."""
    return all(unicodedata.category(c).startswith("P") or c in string.punctuation or c == SPACING for c in token)


# Case and scripts

_NAME = re.compile(r"(?:FULLWIDTH |HALFWIDTH )?([A-Z-]+) .*(?:LETTER|SYLLAB|IDEOGRAPH|CHARACTER)")
"""The name of a character that is a letter of a script; signs such as the micro sign are called otherwise."""
_OF_NAMES = {"CJK": "Han", "HIRAGANA": "Japanese", "KATAKANA": "Japanese"}
"""The scripts by the first words of the names of their characters, where they are called otherwise."""

Case: TypeAlias = Literal["usual", "small", "capitals", "title"]
"""The case of a text: with a capital at its beginning, a small letter there, all in capitals, one in each word."""

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
    """The character in lower case, as one character, so that positions stay: i for İ, σ for ς."""
    return character.lower()[:1].replace("ς", "σ")


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
    """Whether two letters or more are all upper case: true of ``GO!``, false of ``I.``, ``A 3`` and ``他说OK。``."""
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
