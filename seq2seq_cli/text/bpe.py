"""Byte pair encoding: units that are parts of tokens, learned by joining the most frequent pair of adjacent units.

Sennrich et al. 2016, "Neural machine translation of rare words with subword units", algorithm 1. A token is first
a sequence of characters: the first as it is, each of the others with CONTINUING before it. SPACING at the start of a
token is a character like any other. Digits are never joined to anything: a model then reads and copies every number
digit by digit, whether training had it or not.
"""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise, repeat
from typing import TYPE_CHECKING, TypeAlias

from seq2seq_cli.text.characters import CONTINUING, SPACING
from seq2seq_cli.text.segmenter import memoised
from seq2seq_cli.text.tokenizer import LONGEST_WORD
from seq2seq_cli.text.vocabulary import SPECIAL_UNITS, UNK, Vocabulary

if TYPE_CHECKING:
    import numpy as np

Merge: TypeAlias = str
"""Two adjacent units that are joined into one, with a space between them."""

_GAP = f" {CONTINUING}"
"""The characters between the two units of a merge: the second is never the first of its token."""

_ALL: Iterator[bool] = repeat(True)
_NO_RANK = sys.maxsize

_FIRST_SYMBOL = 0x10000
"""The first of the characters that stand for units: from here on, no code point is white space or a surrogate."""

_WORD_END = " "
"""What ends each word of a text for the library."""

_COPIES_PER_TEXT = 500
"""Copies of a word per text for the library, which counts them twice as fast as in texts of one word."""


def learn_bpe(
    token_counts: Mapping[str, int], *, min_count: int, max_size: int | None
) -> tuple[list[str], tuple[Merge, ...]]:
    """Learn units and merges: first all characters, then the joined units, until there are ``max_size`` units.

    Each character that occurs is a unit twice: at the start of a token and inside one. A pair seen fewer than
    ``min_count`` times is not joined, nor one with a digit. The order of the counts does not matter.
    """
    token_counts = {token: count for token, count in token_counts.items() if count > 0}
    seen = sorted(set().union(*token_counts))
    alphabet = [*seen, *(CONTINUING + character for character in seen if character != SPACING)]
    # A vocabulary cannot hold a unit that spells a special one: a token with such letters teaches no merges.
    words = {
        token: count
        for token, count in token_counts.items()
        if 1 < len(token) <= LONGEST_WORD and not any(special in token for special in SPECIAL_UNITS)
    }
    # Each merge makes at least one token shorter, so that there are fewer merges than characters.
    largest = len(alphabet) + sum(map(len, words))
    size = largest if max_size is None else min(max_size, largest)
    units = dict.fromkeys(alphabet)
    merges: list[Merge] = []
    for merge in _learn_merges(words, alphabet, min_count, size):
        if len(units) >= size:
            break
        merges.append(merge)
        units[joined(merge)] = None
    return list(units), tuple(merges)


def joined(merge: Merge) -> str:
    """The unit that two units, or more, with spaces between them make: the first, and the others without their mark."""
    return merge.replace(_GAP, "")


def characters(token: str) -> list[str]:
    """The units of a token before any merge."""
    return [*token[:1], *(CONTINUING + character for character in token[1:])]


def units_of(token: str, ranks: Mapping[Merge, int], kept: Iterator[bool] = _ALL) -> list[str]:
    """The units of a token: its characters, joined by the merges, the one of the lowest rank before the others.

    BPE-dropout, Provilkov et al. 2020, algorithm 1: at each step every possible merge is dropped with some probability,
    and the first of the others is carried out, until all are dropped. Each draw of ``kept`` says whether the next
    possible merge is carried out or dropped. One is drawn for merge after merge, in their order, up to the first that
    is carried out: draws after that one change nothing.
    """
    units = characters(token)
    found = [ranks.get(f"{left} {right}", _NO_RANK) for left, right in pairwise(units)]
    while found:
        for at in sorted(range(len(found)), key=found.__getitem__):  # stable: of equal ranks, the leftmost
            if found[at] == _NO_RANK:
                return units
            if next(kept):
                break
        else:
            return units
        units[at : at + 2] = [joined(f"{units[at]} {units[at + 1]}")]
        del found[at]
        for left in range(max(at - 1, 0), min(at + 1, len(found))):
            found[left] = ranks.get(f"{units[left]} {units[left + 1]}", _NO_RANK)
    return units


@dataclass(frozen=True)
class Bpe:
    """Tokens as the ids of units that are parts of them."""

    vocabulary: Vocabulary
    ranks: Mapping[Merge, int]
    """The place of each merge in the order in which they are carried out."""

    def ids(self, token: str) -> tuple[int, ...]:
        """The ids of a token; UNK for one with a character that was not seen in training, and for an overlong one."""
        if len(token) > LONGEST_WORD:
            return (UNK,)
        ids = tuple(map(self.vocabulary.id, units_of(token, self.ranks)))  # no merge has an unknown character
        return (UNK,) if UNK in ids else ids

    def resample(self, ids: Sequence[int], dropout: float, random: "np.random.Generator") -> list[int]:
        """The ids of the same text with other parts of words: each merge is left out with probability `dropout`."""
        tokens = list(map(self._merged, self.vocabulary.split(ids)))
        kept = iter((random.random(sum(merges for _, _, merges in tokens)) >= dropout).tolist())
        drawn: list[int] = []
        for text, usual, merges in tokens:
            path = list(islice(kept, merges))
            if all(path):
                drawn += usual
            else:  # other merges become possible where one is dropped, so that more draws are needed
                further = (random.random() >= dropout for _ in repeat(None))
                drawn += map(self.vocabulary.id, units_of(text, self.ranks, chain(path, further)))
        return drawn

    @memoised
    def _merged(self, ids: tuple[int, ...]) -> tuple[str, tuple[int, ...], int]:
        """A token, its ids without BPE-dropout, and the number of merges that lead to them."""
        if ids[0] < len(SPECIAL_UNITS):
            return "", ids, 0
        text = "".join(self.vocabulary.unit(id_).removeprefix(CONTINUING) for id_ in ids)
        usual = self.ids(text)
        return text, usual, len(text) - len(usual)


def _learn_merges(words: Mapping[str, int], alphabet: Sequence[str], min_count: int, size: int) -> list[Merge]:
    """The merges up to ``size`` units, learned by Hugging Face's trainer.

    The trainer gets one character in place of each unit of the alphabet: it then decides between equally frequent
    pairs by the order of these characters; with marks of its own it would decide by chance.
    """
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    # At a digit the word ends for the trainer, so that no merge has one.
    symbols = {
        unit: _WORD_END if unit[-1].isdigit() else chr(number)
        for number, unit in enumerate(alphabet, start=_FIRST_SYMBOL)
    }
    units = str.maketrans({symbol: f" {unit}" for unit, symbol in symbols.items()})
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.CharDelimiterSplit(_WORD_END)
    trainer = trainers.BpeTrainer(vocab_size=size, min_frequency=min_count, show_progress=False)
    rows = ("".join(symbols[unit] for unit in characters(word)) for word in words)
    tokenizer.train_from_iterator(chain.from_iterable(map(_copies, rows, words.values())), trainer)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return [" ".join(joined(side.translate(units).removeprefix(" ")) for side in sides) for sides in merges]


def _copies(word: str, count: int) -> Iterator[str]:
    """Texts that together hold a word ``count`` times."""
    whole, rest = divmod(count, _COPIES_PER_TEXT)
    yield from repeat((word + _WORD_END) * _COPIES_PER_TEXT, whole)
    yield (word + _WORD_END) * rest
