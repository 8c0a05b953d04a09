"""Values in groups of different sizes, side by side in a matrix.

C values in G groups, M members of the largest.
"""

from dataclasses import dataclass

import numpy as np

from seq2seq_cli.shapes import Float, Int


@dataclass(frozen=True)
class Groups:
    """The groups in the order of their numbers, with their members in the order given."""

    numbers: Int[np.ndarray, "G M"]
    """The numbers of the members of each group; 0 after the last."""
    values: Float[np.ndarray, "G M"]
    """Their values; -inf after the last."""


def by_group(groups: Int[np.ndarray, " C"], values: Float[np.ndarray, " C"]) -> Groups:
    """The values of each group, by the number of the group of each value."""
    members = np.argsort(groups, kind="stable")
    sorted_groups = groups[members]
    is_first = np.ones(len(groups), dtype=np.bool_)
    is_first[1:] = sorted_groups[1:] != sorted_groups[:-1]
    group, first = is_first.cumsum() - 1, np.flatnonzero(is_first)
    place = np.arange(len(groups)) - first[group]
    size = (len(first), place.max(initial=0) + 1)
    numbers, matrix = np.zeros(size, dtype=np.int64), np.full(size, -np.inf)
    numbers[group, place], matrix[group, place] = members, values[members]
    return Groups(numbers, matrix)
