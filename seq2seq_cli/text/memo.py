"""A function whose results are remembered: the words of a corpus recur, and each is cut and looked up once."""

from collections.abc import Callable, Hashable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MAX_SIZE = 1 << 17
"""Results that are kept; the next one clears the memo, so that memory does not grow with the corpus."""


class Memo(dict[K, V]):
    """A function of one argument as a dictionary: looking up a new key computes its value.

    A look-up of a known key is a plain dictionary access, which is faster than any call in Python.
    """

    def __init__(self, function: Callable[[K], V]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, key: K) -> V:
        if len(self) >= MAX_SIZE:
            self.clear()
        value = self[key] = self._function(key)
        return value
