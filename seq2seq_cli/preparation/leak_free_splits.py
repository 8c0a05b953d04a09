"""Splits that do not leak: no sentence of a held-out split, on either side, is in another split.

Pairs that share a sentence, directly or through other pairs, form a group; case, punctuation and white space do not
count. A group is never divided. A hash of its text decides its split, not its place in the file: sorting the file
changes no split, and when the file grows, no sentence moves from validation to test or back. (Exceptions: a new pair
that joins two groups; files of so few groups that a split would be empty.) A full split has the groups whose hashes are
the lowest, or for the test split the highest. New groups among them push others of them into training.

Sentences are represented by their hashes alone (see ``corpus.splits``), a few bytes per pair.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from seq2seq_cli.corpus.splits import TEST, TRAIN, VALID, Hashes, mix

REGION = 0.08
"""Fraction of the hash's range at its lower end for validation, and at its upper end for test."""

SOURCES_PER_HELD_OUT = 10
"""Distinct sources of the corpus for each one that a held-out split may have."""

FEWEST_GROUPS = 3
"""Groups from which on no split that was asked for is left empty, if it may have as many sources as one of them."""


def assign_splits(
    src_key: Hashes, tgt_key: Hashes, is_new_source: NDArray[np.bool_], wanted: Mapping[int, int]
) -> NDArray[np.int8]:
    """The split of each pair (TRAIN, VALID or TEST), from the hashes of the keys of both sides.

    ``is_new_source`` marks the pairs whose source no earlier pair has. ``wanted`` has the largest number of distinct
    source sentences to hold out for VALID and for TEST; 0 for none.
    """
    keys, key_of_pair = np.unique(src_key, return_inverse=True)
    positions, group_of_key = _group(keys, key_of_pair, tgt_key)
    group_of_pair = group_of_key[key_of_pair]
    sources = np.zeros(len(positions), dtype=np.int32)
    # The same text has the same key, and so one group.
    np.add.at(sources, group_of_pair[is_new_source], 1)
    split_of_group = np.full(len(positions), TRAIN, dtype=np.int8)
    most = int(sources.sum()) // SOURCES_PER_HELD_OUT
    region = np.uint64(int(REGION * 2**64))
    in_order = np.argsort(positions)
    first = in_order[positions[in_order] < region]
    last = in_order[positions[in_order] >= ~region][::-1]
    split_of_group[_choose(sources, first, min(wanted[VALID], most))] = VALID
    split_of_group[_choose(sources, last, min(wanted[TEST], most))] = TEST
    if len(positions) >= FEWEST_GROUPS:
        for split in [split for split, size in wanted.items() if size and split not in split_of_group]:
            *small, _largest = in_order[np.argsort(sources[in_order], kind="stable")].tolist()
            # If one split has taken all the small groups, the other gets one of them.
            spare = next((group for group in small if split_of_group[group] == TRAIN), small[0])
            if sources[spare] <= min(wanted[split], max(1, most)):
                split_of_group[spare] = split
    return split_of_group[group_of_pair]


def _group(keys: Hashes, key_of_pair: NDArray[np.int64], tgt_key: Hashes) -> tuple[Hashes, NDArray[np.int32]]:
    """The position of each group, and the group of each source key; ``keys`` are distinct and in ascending order.

    The position in the range of the hash is the smallest source key of a group, mixed once more because the smallest of
    many keys is small. Groups have no key in common, so that all positions differ.
    """
    targets, target_of_pair = np.unique(tgt_key, return_inverse=True)
    edges = key_of_pair, target_of_pair + len(keys)
    size = len(keys) + len(targets)
    graph = coo_array((np.ones(len(key_of_pair), dtype=np.bool_), edges), shape=(size, size))
    count, groups = connected_components(graph.tocsr(), directed=False)
    group_of_key = groups[: len(keys)]
    smallest = np.full(count, len(keys), dtype=np.int32)
    np.minimum.at(smallest, group_of_key, np.arange(len(keys), dtype=np.int32))
    return mix(keys[smallest]), group_of_key


def _choose(sources: NDArray[np.int32], candidates: NDArray[np.intp], wanted: int) -> list[int]:
    """The first candidates that fit into ``wanted`` sources; one that is too large is skipped."""
    chosen = []
    for group, size in zip(candidates.tolist(), sources[candidates].tolist(), strict=True):
        if size <= wanted:
            wanted -= size
            chosen.append(group)
    return chosen
