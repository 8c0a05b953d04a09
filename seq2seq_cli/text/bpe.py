"""Byte pair encoding: parts of tokens, learned by joining the pair of parts that stands side by side most often.

After Sennrich et al. 2016, "Neural machine translation of rare words with subword units". A token is a row of
characters at first: one for the first of them, and one that begins with CONTINUING for each of the others. SPACING,
where it begins a token, is a character like any other.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise, repeat

from seq2seq_cli.text.normalise import CONTINUING, SPACING
from seq2seq_cli.text.tokenizer import LONGEST_WORD
from seq2seq_cli.text.vocabulary import SPECIAL_UNITS

Merge = tuple[str, str]
"""Two parts that become one: the first, then the second without its mark."""

_ALL: Iterator[bool] = repeat(True)

_FIRST_SYMBOL = 0x10000
"""From here on every number is a character to Python and to the library, and none of them is white space."""

_TOLD_AT_ONCE = 500
"""Copies of a word in one text for the library, which counts them twice as fast as so many texts."""


def learn_bpe(
    token_counts: Mapping[str, int], *, min_count: int, max_size: int | None
) -> tuple[list[str], tuple[Merge, ...]]:
    """Learn units and merges: first all characters, then the joined parts, until there are ``max_size`` units.

    Every character that occurs can begin a token and go on with one. The order of the counts does not matter.
    """
    token_counts = {token: count for token, count in token_counts.items() if count > 0}
    alphabet = _alphabet(token_counts)
    # What spells a special unit stays in characters, because a vocabulary cannot hold such a unit.
    words = {
        token: count
        for token, count in token_counts.items()
        if 1 < len(token) <= LONGEST_WORD and not any(special in token for special in SPECIAL_UNITS)
    }
    # A merge makes at least one token shorter, so that there cannot be more of them than characters.
    most = len(alphabet) + sum(map(len, words))
    size = most if max_size is None else min(max_size, most)
    units = dict.fromkeys(alphabet)
    merges: list[Merge] = []
    for merge in _learn_merges(words, alphabet, min_count, size):
        if len(units) >= size:
            break
        merges.append(merge)
        units[joined(merge)] = None
    return list(units), tuple(merges)


def joined(merge: Merge) -> str:
    """The part that a merge makes."""
    return merge[0] + merge[1].removeprefix(CONTINUING)


def characters(token: str) -> list[str]:
    """The parts of a token before any is joined."""
    return [*token[:1], *(CONTINUING + character for character in token[1:])]


class Merges:
    """Cuts tokens into parts by joining their characters, the merges that were learned first going first."""

    def __init__(self, merges: Sequence[Merge]) -> None:
        self._rank = {merge: rank for rank, merge in enumerate(merges)}
        self._never = len(merges)

    def parts(self, token: str, kept: Iterator[bool] = _ALL) -> list[str]:
        """The parts of a token; ``kept`` tells, one after the other, whether a merge that comes up is carried out.

        Provilkov et al. 2020, "BPE-Dropout", algorithm 1: each time, every possible merge is dropped with a
        probability, and of those that remain the first is carried out, until none remains. What has been dropped
        after that first one does not matter, so ``kept`` is asked in their order and no further than to the first.
        """
        parts = characters(token)
        ranks = [self._rank.get(pair, self._never) for pair in pairwise(parts)]
        while ranks:
            for at in sorted(range(len(ranks)), key=ranks.__getitem__):  # stable: of equal ranks, the leftmost
                if ranks[at] == self._never:
                    return parts
                if next(kept):
                    break
            else:
                return parts
            parts[at : at + 2] = [joined((parts[at], parts[at + 1]))]
            del ranks[at]
            for left in range(max(at - 1, 0), min(at + 1, len(ranks))):
                ranks[left] = self._rank.get((parts[left], parts[left + 1]), self._never)
        return parts


def _alphabet(tokens: Iterable[str]) -> list[str]:
    seen = sorted(set().union(*tokens))
    return [*seen, *(CONTINUING + character for character in seen if character != SPACING)]


def _learn_merges(words: Mapping[str, int], alphabet: Sequence[str], min_count: int, size: int) -> list[Merge]:
    """At most as many merges as make ``size`` units, by Hugging Face's trainer.

    It gets a character of its own for each unit of the alphabet: it decides between equally frequent pairs by the
    order of such characters, but by chance when it puts the marks itself.
    """
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    symbols = {unit: chr(number) for number, unit in enumerate(alphabet, start=_FIRST_SYMBOL)}
    units = {symbol: unit for unit, symbol in symbols.items()}
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.CharDelimiterSplit(" ")
    trainer = trainers.BpeTrainer(vocab_size=size, min_frequency=min_count, show_progress=False)
    rows = ("".join(symbols[unit] for unit in characters(word)) for word in words)
    tokenizer.train_from_iterator(chain.from_iterable(map(_copies, rows, words.values())), trainer)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return [(_unit(left, units), _unit(right, units)) for left, right in merges]


def _copies(word: str, count: int) -> Iterator[str]:
    """Texts that hold a word so many times in all."""
    whole, rest = divmod(count, _TOLD_AT_ONCE)
    yield from repeat(f"{word} " * _TOLD_AT_ONCE, whole)
    yield f"{word} " * rest


def _unit(symbols: str, units: Mapping[str, str]) -> str:
    return units[symbols[0]] + "".join(units[symbol].removeprefix(CONTINUING) for symbol in symbols[1:])
