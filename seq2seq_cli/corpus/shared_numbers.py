"""Numbers that both sides of a corpus write with the same digits, and others in their places.

A model that has read other digits each time copies digit by digit: it loses no number and invents none.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from seq2seq_cli.text.characters import UNSPACED_LETTERS

_IN_WORD = rf"[^\W_{UNSPACED_LETTERS}]"
_NUMBER = re.compile(rf"(?<!{_IN_WORD})[0-9]++(?:[.,:][0-9]++)*+(?!{_IN_WORD})")
_TIME = re.compile(r"[0-9]{1,2}:[0-9]{2}")
_WITH_SEPARATORS = 0.3
"""Probability that a number without separators becomes one with them, which stand in few pairs of most corpora."""
_NEGATIVE = 0.1
"""Probability that a number without separators becomes a negative one."""


class Written(NamedTuple):
    """A number as the source and as the target writes it, such as 12.50 and 12,50."""

    src: str
    tgt: str


def written_forms(pairs: Iterable[tuple[str, str]]) -> list[Written]:
    """The forms of numbers with separators that occur twice or more in the pairs, with 0 for each digit."""
    counts: Counter[Written] = Counter()
    for src, tgt in pairs:
        of_tgt = {_digits(number): number for number in _NUMBER.findall(tgt)}
        for number in _NUMBER.findall(src):
            form = Written(*(re.sub("[0-9]", "0", each) for each in (number, of_tgt.get(_digits(number), ""))))
            counts[form] += not any(side.isdigit() or not side for side in form)
    return sorted(form for form, count in counts.items() if count > 1)


def with_other_numbers(pair: tuple[str, str], forms: Sequence[Written], random: np.random.Generator) -> tuple[str, str]:
    """Other digits for the numbers that both sides share, in the same forms: 12.50 and 12,50, 7:30 and 7.30.

    One without separators may be longer, negative, or in one of the `forms` of the corpus. 0 and 1 stay, for the sake
    of grammar.
    """
    src, tgt = map(_NUMBER.findall, pair)
    if sorted(map(_digits, src)) != sorted(map(_digits, tgt)):
        return pair
    found = defaultdict[str, set[str]](set)
    for number in src + tgt:
        found[_digits(number)].add(number)
    others = {digits: _other(digits, found[digits], forms, random) for digits in found if digits not in {"0", "1"}}

    def changed(text: str, side: int) -> str:
        def other(match: re.Match[str]) -> str:
            if (number := others.get(_digits(match[0]))) is None:
                return match[0]
            return number[side] if match[0].isdigit() else _in_form(match[0], number[side])

        return _NUMBER.sub(other, text)

    return changed(pair[0], 0), changed(pair[1], 1)


def _other(digits: str, found: Collection[str], forms: Sequence[Written], random: np.random.Generator) -> Written:
    """Another number in place of one with these digits, which is found in these forms."""
    is_plain = all(map(str.isdigit, found))
    if is_plain and forms and random.random() < _WITH_SEPARATORS:
        form = forms[int(random.integers(len(forms)))]
        drawn = _drawn(len(_digits(form.src)), form, random)
        return Written(*(_in_form(side, drawn) for side in form))
    length = int(random.integers(1, 5)) if is_plain and random.random() < 0.5 else len(digits)
    drawn = _drawn(length, found, random)
    if digits.startswith("0") and length > 1:  # 0.5, 030
        drawn = f"0{drawn[1:]}"
    if is_plain and random.random() < _NEGATIVE:
        drawn = f"-{drawn}"
    return Written(drawn, drawn)


def _drawn(length: int, forms: Iterable[str], random: np.random.Generator) -> str:
    """So many digits; those of a time of the day for its form."""
    if any(map(_TIME.fullmatch, forms)):
        hour = random.integers(10, 24) if length == 4 else random.integers(1, 10)
        return f"{hour}{random.integers(60):02}"
    first = random.integers(2 if length == 1 else 1, 10)
    return str(first) + "".join(map(str, random.integers(10, size=length - 1).tolist()))


def _in_form(form: str, digits: str) -> str:
    left = iter(digits)
    return re.sub("[0-9]", lambda _: next(left), form)


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number)
