"""Answers that are remembered, because in a corpus the same words come again and again."""

from collections.abc import Callable, Hashable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MOST = 1 << 17
"""Answers; before there are more, all are forgotten, so that memory does not grow with the file."""


class Memo(dict[K, V]):
    """A function as a dictionary, which is quicker to ask than any call: a new key is computed when it is looked up."""

    def __init__(self, find: Callable[[K], V]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, key: K) -> V:
        if len(self) >= MOST:
            self.clear()
        value = self[key] = self._find(key)
        return value
