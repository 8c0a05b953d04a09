"""The parts of a corpus, the key of a sentence, and texts as hashes.

The pairs of the two languages are in three splits; what else helps to train is in parts of its own. Sentences of one
key must all be in one split. A hash has 64 bits, so that hashes fit into memory where the corpus itself does not: in a
corpus of a million texts, the probability that two of them share one is about 1 in 37 million.
"""

import hashlib
import unicodedata
from collections.abc import Iterable
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

SplitName = Literal["train", "valid", "test"]
HelpName = Literal["related", "dictionary", "tgt_only", "src_only"]
"""Pairs of which one side is in another language; entries of word lists; texts in one language, as pairs of equal
sides."""
PartName = SplitName | HelpName
SPLITS: Final[tuple[SplitName, ...]] = ("train", "valid", "test")
HELD_OUT: Final[tuple[SplitName, ...]] = ("valid", "test")
HELP: Final[tuple[HelpName, ...]] = ("related", "dictionary", "tgt_only", "src_only")
PARTS: Final[tuple[PartName, ...]] = (*SPLITS, *HELP)
TRAIN, VALID, TEST, RELATED, DICTIONARY, TGT_ONLY, SRC_ONLY = range(len(PARTS))

Hashes = NDArray[np.uint64]


def sentence_key(text: str) -> bytes:
    """The key of a sentence in UTF-8: its letters, digits and combining marks of every script, case-folded.

    Sentences that differ in case, punctuation, symbols or white space alone have the same key; the Turkish ı counts as
    i, and a dot above does not count. A sentence without letters, digits and marks is its own key.
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


_KEPT = _KeptLetters({0x131: ord("i"), 0x307: None})  # Turkish: ı is the small I; casefold makes i and a dot of İ
_ASCII_LOWER = bytes(range(256)).lower()
_ASCII_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())


def text_hashes(texts: Iterable[bytes]) -> NDArray[np.uint64]:
    """The hash of each text, the same on every machine and in every process."""
    blake2b, digests = hashlib.blake2b, bytearray()
    for text in texts:
        digests += blake2b(text, digest_size=8).digest()
    return np.frombuffer(digests, dtype="<u8")


def mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Permute the 64-bit numbers pseudo-randomly: the finaliser of splitmix64 (Steele et al. 2014)."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ mixed >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ mixed >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return mixed ^ mixed >> np.uint64(31)


def first_of_each(numbers: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Whether each number occurs for the first time."""
    is_first = np.zeros(len(numbers), dtype=np.bool_)
    is_first[np.unique(numbers, return_index=True)[1]] = True
    return is_first
