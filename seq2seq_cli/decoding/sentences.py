"""A text as sentences to translate, and the text put together again from their translations.

    passage = split_passage(text, ...)             sentences without marks, and all that lies between them
    for piece in passage.pieces:                   each is read, searched and written by itself
        outputs.append(put_back(piece, ...))       marks and kept words
    passage.join(outputs)

Sentences end by rules for many scripts. A full stop does not end one after an abbreviation, an initial (J. Smith), a
word with a full stop inside (e.g.) or, in some languages, a short number (am 3. Mai). No mark ends a sentence before a
word in lower case, unless the whole text is in lower case.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from seq2seq_cli.decoding.keep import Piece, as_read, take_out
from seq2seq_cli.decoding.marks import PICTURES, Mark, find_marks
from seq2seq_cli.text.characters import APOSTROPHES, HIDDEN, LOUD_STOPS, Span, is_unspaced, without_control_characters

_FILLER = "\0"
"""Stands for a character of a mark in a text that is searched for the ends of sentences."""
_EMOJI = "\u263a"
"""Stands for an emoji, _FILLER for its other characters."""
_SPACES = dict.fromkeys(map(ord, "\v\f\x1c\x1d\x1e\x1f"), " ")
"""The control characters that separate words, as spaces do."""

_SPACED_STOPS = ".!?…‽⁇⁈⁉؟۔։።፧।॥܀܁܂᠃᠉꓿᱾᱿჻။។"
"""Marks that end a sentence where white space follows."""
GREEK_STOPS = ";\u037e"
"""The question mark of Greek, which parts sentences in no other language."""
SINGLE_STOPS = (".", "!", "?", *GREEK_STOPS)
"""Those that end a sentence in a text without capitals where they stand alone; not so ... and ?"."""
OTHER_STOPS = "。！？｡．︒"
"""Marks of scripts without spaces."""
_CLOSING_MARKS = "\"'”’»«›‹“)]}）］｝」』】〉》〕＂＇" + _FILLER
_SIGNS = "+±~≈#$€£¥"
"""Marks before a number."""
OPENING_MARKS = "\"'“„‟‚‘«»‹›([{（［｛「『【〈《〔¿¡–—-" + _FILLER

# French has a space before its closing quote, and an encyclopaedia the numbers of notes, [1], behind a sentence. Emoji
# after a stop belong to its sentence.
SENTENCE_END = re.compile(
    rf"(?P<stops>[{re.escape(_SPACED_STOPS + GREEK_STOPS + OTHER_STOPS)}]+)(?:\s»(?=[\s,;:.!?…)]|$))?"
    rf"[{re.escape(_CLOSING_MARKS)}{PICTURES}]*+(?:\[\w{{1,3}}\])*+"
)
FOLLOWING = re.compile(f"[\\s{re.escape(OPENING_MARKS + _SIGNS)}]*+(.)?")
LAST_WORD = re.compile(f"(?:(?<=\\w)[{APOSTROPHES}])?[^\\s{re.escape(OPENING_MARKS)}]*$")
"""The word before a stop; of a word with an apostrophe the end from there on: 't of can't, which is no initial."""
LONGEST_ABBREVIATION = 40
"""Characters before a full stop that are looked at."""
UNITS = "ghlms"
"""Units of one letter."""
_ROMAN = re.compile("[IVX]+")

CUTS = (re.compile(r"[;:—؛](?=[\s\0])|[；：]"), re.compile(r"[,،](?=[\s\0])|[，、]"), re.compile(r"\s"))
"""The places where a sentence that is too long is cut, the best first."""
_INNER = re.compile(f"[^\\s{_FILLER}{_EMOJI}](?:.*[^\\s{_FILLER}{_EMOJI}])?", re.DOTALL)
"""A sentence without the white space, the marks and the emoji at its ends, which stay where they are."""


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A text taken apart."""

    source: str
    """As it was given."""
    text: str
    """Without control characters, which no terminal should see, but for line ends and tabs."""
    pieces: tuple[Piece, ...]
    """In order. A text without a letter has none."""
    was_cut: bool
    """Whether a sentence was cut because it is too long."""

    def join(self, outputs: Sequence[str]) -> str:
        """The text with each piece replaced by its output; what lies between them stays as it is."""
        gaps = _gaps(len(self.text), self.pieces)
        return "".join(self.text[start:end] + output for (start, end), output in zip(gaps, [*outputs, ""], strict=True))


def split_passage(source: str, language: str, fits: Callable[[str], bool]) -> Passage:
    """Take a text apart into its sentences, by the rules of `language`, a code such as ``en``.

    Line breaks, tabs and marks that part the text, such as ``<p>`` and the bullet of a list, lie between pieces. A
    sentence that does not fit, kept words in it as one digit each, is cut after a semicolon or a colon, a comma, at a
    space, or anywhere.
    """
    text = without_control_characters(source).translate(_SPACES)
    marks = find_marks(text)
    masked = _masked(text, marks)
    pieces: list[Piece | None] = []
    was_cut = False
    for start, end in _gaps(len(text), [mark for mark in marks if mark.kind == "break"]):
        ends = (start + position for position in sentence_ends(masked[start:end], language))
        for sentence in pairwise([start, *ends, end]):
            parts = list(_parts(masked, marks, sentence, fits))
            was_cut = was_cut or len(parts) > 1
            pieces += [_piece(text, masked, marks, part) for part in parts]
    return Passage(source=source, text=text, pieces=tuple(filter(None, pieces)), was_cut=was_cut)


def sentence_ends(text: str, language: str) -> Iterator[int]:
    """The positions in a line, behind closing quotes, after which a sentence begins; NUL stands for parts of marks."""
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
            before = text[max(0, match.start() - LONGEST_ABBREVIATION) : match.start()].replace(_FILLER, "")
            if stops != "." or not _is_abbreviation(before, following[1], language):
                yield end


def _is_abbreviation(before: str, following: str, language: str) -> bool:
    """Whether the text before a full stop ends with a word that the stop belongs to, so that it ends no sentence.

    `following` is the next character but for white space, opening marks and signs.
    """
    abbreviations = abbreviations_of(language)
    last = next(LAST_WORD.finditer(before))  # there is one, if an empty one
    previous = "".join(before[: last.start()].split()[-1:]).lstrip(OPENING_MARKS)
    word, has_ordinals = last[0], "0" in abbreviations
    if f"!{word}" in abbreviations:
        return word.isupper() and (not previous or previous[0].isupper())
    if len(word) == 1 and word.isalpha():
        is_unit = word in UNITS and previous[-1:].isdecimal()  # at 15 h. Thank you.
        return not is_unit or following.isdecimal()
    if word.isdecimal():
        return has_ordinals and len(word) <= 2
    if _is_listed(word, following, abbreviations):
        return True
    if f"{word.lower()}~" in abbreviations:
        return False
    if _ROMAN.fullmatch(word):
        return has_ordinals
    return "." in word and any(map(str.isalpha, word)) and not any(map(str.isdecimal, word))


def _is_listed(word: str, following: str, abbreviations: frozenset[str]) -> bool:
    """Whether a word is an abbreviation of the list before a word that begins with this character."""
    name = word.lstrip(APOSTROPHES).lower()
    if name in abbreviations or (following.islower() and f"{name}~" in abbreviations):
        return True
    if not following.isdecimal():
        return False
    return f"{name}#" in abbreviations or any(name.endswith(end[1:-1]) for end in abbreviations if end[0] == "-")


@cache
def abbreviations_of(language: str) -> frozenset[str]:
    """The abbreviations of a language, in lower case but for !LETTER, as abbreviations.txt explains them."""
    table = Path(__file__).with_name("abbreviations.txt").read_text(encoding="utf-8")
    rows = (line.split() for line in table.splitlines() if not line.startswith("#"))
    return next((frozenset(names) for code, *names in rows if code == language), frozenset())


def _masked(text: str, marks: Sequence[Mark]) -> str:
    """The text with _FILLER, HIDDEN, _EMOJI or a space for each character of a mark."""
    masked = list(text)
    for mark in marks:
        length = mark.end - mark.start
        known = {"keep": HIDDEN * length, "emoji": _EMOJI.ljust(length, _FILLER), "gap": " ".rjust(length, _FILLER)}
        masked[mark.start : mark.end] = known.get(mark.kind, as_read(text, mark).ljust(length, _FILLER))
    return "".join(masked)


def _gaps(length: int, spans: Sequence[Mark] | Sequence[Piece]) -> Iterator[Span]:
    """The parts between some spans of a text of this length."""
    return zip([0, *(span.end for span in spans)], [*(span.start for span in spans), length], strict=True)


def _parts(masked: str, marks: Sequence[Mark], sentence: Span, fits: Callable[[str], bool]) -> Iterator[Span]:
    """A sentence in parts that fit: halved as often as needed."""
    left = [sentence]
    while left:
        start, end = left.pop()
        plain = re.sub(f"{HIDDEN}+", "0", masked[start:end].replace(_FILLER, ""))
        place = None if fits(plain) else _cutting_place(masked, marks, start, end)
        if place is None:
            yield start, end
        else:
            left += [(place, end), (start, place)]


def _cutting_place(masked: str, marks: Sequence[Mark], start: int, end: int) -> int | None:
    """The best position to cut a part in two, near its middle and outside of marks; None when there is none."""
    quarter, middle = (end - start) // 4, (start + end) // 2
    first = bisect_right(marks, start, key=lambda mark: mark.end)
    near = marks[first : bisect_left(marks, end, key=lambda mark: mark.start)]
    ends = {place: mark.end for mark in near for place in range(mark.start + 1, mark.end)}  # by places inside
    for cuts in CUTS:
        places = [ends.get(match.end(), match.end()) for match in cuts.finditer(masked, start + quarter, end - quarter)]
        if places := [place for place in places if start < place < end]:
            return min(places, key=lambda place: abs(place - middle))
    for step in (1, -1):
        place = middle
        while start < place < end and (place in ends or unicodedata.category(masked[place])[0] == "M"):
            place += step
        if start < place < end:
            return place
    return None


def _piece(text: str, masked: str, marks: Sequence[Mark], part: Span) -> Piece | None:
    """The piece of a part of the text; None where the part has nothing to translate.

    White space, emoji and marks at the ends of the part are left out, but for marks whose partner stands inside.
    """
    inside = _INNER.search(masked, *part)
    if not (inside and any(map(str.isalpha, inside[0]))):
        return None
    left, right = inside.span()
    first, inner, behind, last = (_first_mark(marks, place) for place in (part[0], left, right, part[1]))
    right = max([right, *(mark.end for mark in marks[inner:behind])])  # of an entity, one character is shown
    partners = range(inner, behind)
    left = next((mark.start for mark in marks[first:inner] if mark.partner in partners), left)
    right = next((mark.end for mark in marks[behind:last][::-1] if mark.partner in partners), right)
    first, last = (_first_mark(marks, place) for place in (left, right))
    return take_out(text, left, right, marks[first:last], first)


def _first_mark(marks: Sequence[Mark], place: int) -> int:
    """The index of the first mark from a place on."""
    return bisect_left(marks, place, key=lambda mark: mark.start)
