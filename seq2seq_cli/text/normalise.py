"""One spelling for each text, in training and in use."""

import re
import unicodedata
from collections.abc import Sequence
from itertools import chain, islice, pairwise

SPACING = "\N{LOWER ONE EIGHTH BLOCK}"
"""The mark of a space in the units of a vocabulary; no normalised text holds it."""
CONTINUING = "\N{LEFT ONE EIGHTH BLOCK}"
"""The mark of a unit that is not the first of its token; no normalised text holds it."""
HIDDEN = "\ufdd0"
"""Stands for a protected span of a text: one of the code points that Unicode keeps out of texts."""

# Control characters that are not white space, the byte order mark, and halves of surrogate pairs, which no file
# can hold.
DROPPED = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff\ud800-\udfff]")


def normalise(text: str) -> str:
    """Compose to NFC, make each run of white space one space, strip, drop control characters, replace our marks.

    Idempotent: normalising a normalised text changes nothing.
    """
    if _is_normal(text):
        return text
    text = " ".join(without_control_characters(text).split())
    return unicodedata.normalize("NFC", text).replace(SPACING, "_").replace(CONTINUING, "|")


def without_control_characters(text: str) -> str:
    """The text without control characters that are not white space, byte order marks, and halves of surrogate pairs."""
    return text if text.isprintable() else DROPPED.sub("", text)


def hide(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with HIDDEN in place of each span ``text[start:end]``, and without any of its own.

    The spans are in order and do not overlap.
    """
    edges = pairwise([0, *chain.from_iterable(spans), len(text)])
    return HIDDEN.join(text[start:end].replace(HIDDEN, "") for start, end in islice(edges, 0, None, 2))


def in_word(character: str) -> bool:
    """Whether it is a letter, a digit, or a mark that belongs to one (an accent, a vowel sign)."""
    return unicodedata.category(character)[0] in "LNM"


def _is_normal(text: str) -> bool:
    """A quick test: true of nearly every line of a corpus, and of no text that normalising would change."""
    return (
        text.isprintable()  # neither control characters nor white space other than " "
        and "  " not in text
        and text.strip() == text
        and SPACING not in text
        and CONTINUING not in text
        and unicodedata.is_normalized("NFC", text)
    )
