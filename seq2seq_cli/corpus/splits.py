"""Splits that do not leak: no sentence of a held-out split, on either side, is in another split.

Pairs that share a sentence, case, punctuation and white space aside, form a group, directly or by way of others, and
a group stays whole. Where it goes is decided by a hash of its text, not by its place in the file: when the file grows
or is sorted anew, a sentence stays in its split, and none ever goes from validation to test or back. (Exceptions: a
new pair that joins groups; the last place or two of a split that is full; files of so few groups that a split would
be empty.)
"""

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

SplitName = Literal["train", "valid", "test"]
SPLITS: Final[tuple[SplitName, ...]] = ("train", "valid", "test")
TRAIN, VALID, TEST = range(3)

REGION = 0.08
"""Share of all groups, at either end of the hash's range, that may be held out for validation and for test."""

LARGEST_SHARE = 10
"""A held-out split has at most one in so many of all distinct sources."""

FEWEST_GROUPS = 3
"""With so many groups, no split that was asked for is left empty."""


def sentence_key(text: str) -> str:
    """What two sentences share that differ in case, punctuation, symbols or white space alone.

    Letters, digits and combining marks of every script count; a sentence without any is its own key.
    """
    return text.casefold().translate(_KEPT) or text


def assign_splits(src: Sequence[str], tgt: Sequence[str], *, valid_sources: int, test_sources: int) -> NDArray[np.int8]:
    """The split of each pair (TRAIN, VALID or TEST), for normalised texts.

    ``valid_sources`` and ``test_sources`` are the most distinct source sentences to hold out; 0 for none.
    """
    src_keys = [sentence_key(text) for text in src]
    roots = _group(src_keys, [sentence_key(text) for text in tgt])
    groups = _describe(roots, src, src_keys)
    most = len(set(src)) // LARGEST_SHARE
    by_root = {
        **_choose(groups, lambda place: place < REGION, min(valid_sources, most), VALID),
        **_choose(groups[::-1], lambda place: place >= 1 - REGION, min(test_sources, most), TEST),
    }
    if len(groups) >= FEWEST_GROUPS:
        largest = max(groups, key=lambda group: (group.sources, group.place))
        small = [group.root for group in groups if group is not largest]
        # Where one split has taken all the small groups, the other gets one of them.
        spare = [root for root in small if root not in by_root] or small
        if valid_sources and VALID not in by_root.values():
            by_root[spare.pop(0)] = VALID
        if test_sources and TEST not in by_root.values():
            by_root[spare.pop()] = TEST
    return np.fromiter((by_root.get(root, TRAIN) for root in roots), dtype=np.int8, count=len(roots))


class _Kept(dict[int, int | None]):
    """A table for str.translate that fills itself: what is not a letter, digit or combining mark goes."""

    def __missing__(self, code: int) -> int | None:
        kept = self[code] = code if unicodedata.category(chr(code))[0] in "LNM" else None
        return kept


_KEPT = _Kept()


class _Group(NamedTuple):
    """Pairs that must stay together."""

    root: int
    place: float
    """Where the hash of its smallest source key falls between 0 and 1."""
    sources: int
    """Its distinct source sentences."""


def _group(src_keys: Sequence[str], tgt_keys: Sequence[str]) -> list[int]:
    """The group of each pair, named by its first pair: connected components by union-find."""
    parent = list(range(len(src_keys)))

    def find(pair: int) -> int:
        while parent[pair] != pair:
            parent[pair] = pair = parent[parent[pair]]
        return pair

    for keys in (src_keys, tgt_keys):
        first: dict[str, int] = {}
        for pair, key in enumerate(keys):
            one, other = find(pair), find(first.setdefault(key, pair))
            parent[max(one, other)] = min(one, other)
    return [find(pair) for pair in range(len(parent))]


def _describe(roots: Sequence[int], src: Sequence[str], src_keys: Sequence[str]) -> list[_Group]:
    """The groups in the order of their places."""
    smallest: dict[int, str] = {}
    for root, key in zip(roots, src_keys, strict=True):
        if key < smallest.setdefault(root, key):
            smallest[root] = key
    # The same text has the same key, and so one group.
    sources = Counter(dict(zip(src, roots, strict=True)).values())
    # No two groups have a key in common, so the key decides between equal places.
    ordered = sorted((_place(key), key, root) for root, key in smallest.items())
    return [_Group(root=root, place=place, sources=sources[root]) for place, _, root in ordered]


def _place(key: str) -> float:
    digest = hashlib.blake2b(key.encode("utf-8"), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64


def _choose(
    groups: Sequence[_Group], may_be_held_out: Callable[[float], bool], wanted: int, split: int
) -> dict[int, int]:
    """Take groups in their order as long as they fit; one that is too large is passed over."""
    chosen: dict[int, int] = {}
    for group in groups:
        if not may_be_held_out(group.place) or wanted == 0:
            break
        if group.sources <= wanted:
            wanted -= group.sources
            chosen[group.root] = split
    return chosen
