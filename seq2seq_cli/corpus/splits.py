"""The three splits of a corpus, and the key of a sentence: sentences of one key must all be in one split."""

import unicodedata
from typing import Final, Literal

SplitName = Literal["train", "valid", "test"]
SPLITS: Final[tuple[SplitName, ...]] = ("train", "valid", "test")
TRAIN, VALID, TEST = range(3)
HELD_OUT: Final[tuple[SplitName, ...]] = ("valid", "test")


def sentence_key(text: str) -> bytes:
    """The key of a sentence in UTF-8: its letters, digits and combining marks of every script, case-folded.

    Sentences that differ in case, punctuation, symbols or white space alone have the same key. A sentence without
    letters, digits and marks is its own key.
    """
    if text.isascii():
        whole = text.encode("ascii")
        return whole.translate(_ASCII_LOWER, _ASCII_SIGNS) or whole
    return (text.casefold().translate(_KEPT) or text).encode("utf-8")


class _KeptLetters(dict[int, int | None]):
    """A table for str.translate, filled on demand, that removes all but letters, digits and combining marks."""

    def __missing__(self, code: int) -> int | None:
        kept = self[code] = code if unicodedata.category(chr(code))[0] in "LNM" else None
        return kept


_KEPT = _KeptLetters()
_ASCII_LOWER = bytes(range(256)).lower()
_ASCII_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())
