"""The units that a model knows, and their ids."""

import math
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Self

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.text.characters import CONTINUING, FINAL_MARKS, SPACING

PAD, UNK, BOS, EOS = 0, 1, 2, 3
PAD_UNIT, UNK_UNIT, BOS_UNIT, EOS_UNIT = SPECIAL_UNITS = ("<pad>", "<unk>", "<bos>", "<eos>")

CHARACTERS_PER_TOKEN = 5
"""About the length of a word in most languages that are written with letters."""

_WORDS = 10_000
_SUBWORDS = range(1_000, 12_001)


def vocabulary_size(unit: Unit, tokens: int, characters: int) -> int:
    """The largest vocabulary for training text of so many tokens, where the config leaves it open.

    Of subwords, as many as grow with the root of the tokens: each must be seen often enough to be learned. Half of them
    come on top of the text's units of single `characters`, of which Japanese has thousands.
    """
    if unit != "bpe":
        return _WORDS
    size = min(max(_SUBWORDS), max(min(_SUBWORDS), 100 * round(0.08 * math.sqrt(tokens))))
    return max(size, characters + size // 2)


@dataclass(frozen=True)
class Vocabulary:
    """Units and ids, one to one: the four special units first, then the words.

    A token of a text that is spelled ``<eos>`` is not the special unit: its id is UNK.
    """

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self._ids) < len(self.words) or not self._ids.keys().isdisjoint(("", *SPECIAL_UNITS)):
            raise ValueError("a word of a vocabulary is empty, or does not differ from the others or the special units")

    @classmethod
    def fit(cls, counts: Mapping[str, int], *, min_count: int = 1, max_size: int | None = None) -> Self:
        """The vocabulary of the ``max_size`` most frequent words that were seen ``min_count`` times or more."""
        seen = [(-count, word) for word, count in counts.items() if count >= min_count and word not in SPECIAL_UNITS]
        return cls(tuple(word for _, word in sorted(seen)[:max_size]))

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {word: id_ for id_, word in enumerate(self.words, start=len(SPECIAL_UNITS))}

    def id(self, unit: str) -> int:
        """The id of a word; UNK for an unknown one."""
        return self._ids.get(unit, UNK)

    @cached_property
    def continuing(self) -> frozenset[int]:
        """The ids of units that are not the first of their token."""
        return self.ids_where(lambda unit: unit.startswith(CONTINUING))

    @cached_property
    def opening_ids(self) -> frozenset[int]:
        """The ids of the marks behind which a word has no space before it: opening brackets and quotation marks."""
        return self.ids_where(_is_opening)

    @cached_property
    def final_ids(self) -> frozenset[int]:
        """The ids of the units that are FINAL_MARKS."""
        return self.ids_where(lambda unit: FINAL_MARKS.issuperset(unit.lstrip(SPACING + CONTINUING) or "-"))

    @cached_property
    def digit_ids(self) -> frozenset[int]:
        """The ids of the units with a digit of ASCII."""
        return self.ids_where(lambda unit: not set("0123456789").isdisjoint(unit))

    def ids_where(self, is_meant: Callable[[str], bool]) -> frozenset[int]:
        """The ids of the words that are meant."""
        return frozenset(id_ for word, id_ in self._ids.items() if is_meant(word))

    def split(self, ids: Sequence[int]) -> list[tuple[int, ...]]:
        """The ids of each token; a special id is a token of its own."""
        starts = [
            i for i, id_ in enumerate(ids) if i == 0 or id_ not in self.continuing or ids[i - 1] < len(SPECIAL_UNITS)
        ]
        return [tuple(ids[start:end]) for start, end in pairwise([*starts, len(ids)])]

    def shared_ids(self, other: "Vocabulary") -> dict[int, int]:
        """The ids of the units that `other` has too, the special ones included, each with the id that it has there."""
        special = {id_: id_ for id_ in range(len(SPECIAL_UNITS))}
        return special | {id_: there for word, id_ in self._ids.items() if (there := other.id(word)) != UNK}

    def unit(self, id_: int) -> str:
        """The unit of an id; raises IndexError for an id outside the vocabulary."""
        if id_ < 0:
            raise IndexError(id_)
        return SPECIAL_UNITS[id_] if id_ < len(SPECIAL_UNITS) else self.words[id_ - len(SPECIAL_UNITS)]

    def __len__(self) -> int:
        return len(SPECIAL_UNITS) + len(self.words)


def _is_opening(unit: str) -> bool:
    """Whether a unit opens a quotation or a bracket; a quotation mark that may close one needs a space before it."""
    marks = unit.lstrip(SPACING + CONTINUING)
    kinds = {"Pi" if mark in "\"'" else unicodedata.category(mark) for mark in marks}
    return kinds == {"Ps"} or (marks != "" and marks != unit and kinds <= {"Ps", "Pi", "Pf"})
