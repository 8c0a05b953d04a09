"""One spelling for each text, in training and in use."""

import re
import unicodedata

SPACING = "\N{LOWER ONE EIGHTH BLOCK}"
"""The mark of a space in the units of a vocabulary; no normalised text holds it."""
CONTINUING = "\N{LEFT ONE EIGHTH BLOCK}"
"""The mark of a unit that is not the first of its token; no normalised text holds it."""

# Control characters that are not white space, the byte order mark, and halves of surrogate pairs, which no file
# can hold.
_DROPPED = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ufeff\ud800-\udfff]")


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
    return text if text.isprintable() else _DROPPED.sub("", text)


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
