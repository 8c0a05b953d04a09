"""Functions whose results are remembered: the words of a corpus recur, and each is cut and looked up once."""

from collections.abc import Callable, Hashable
from functools import cached_property, partial
from typing import Any, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MAX_SIZE = 1 << 17
"""Results that are kept; the next one clears the memo, so that memory does not grow with the corpus."""


class Memo(dict[K, V]):
    """A function as a dictionary, which is faster than any call in Python; a new key is computed when looked up."""

    def __init__(self, function: Callable[[K], V]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, key: K) -> V:
        if len(self) >= MAX_SIZE:
            self.clear()
        value = self[key] = self._function(key)
        return value


def memoised(method: Callable[[Any, K], V]) -> "cached_property[Memo[K, V]]":
    """A method of one argument as a Memo of each instance: ``self.method[argument]``."""
    return cached_property(lambda self: Memo(partial(method, self)))
