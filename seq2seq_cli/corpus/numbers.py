"""Numbers and dates that both sides of a corpus share, and others in their places.

A model that has read other digits each time copies digit by digit: it loses no number and invents none.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import product
from typing import NamedTuple

import numpy as np

from seq2seq_cli.text.characters import UNSPACED_LETTERS

_IN_WORD = rf"[^\W_{UNSPACED_LETTERS}]"
_NUMBER = re.compile(rf"(?<!{_IN_WORD})[0-9]++(?:[.,:][0-9]++)*+(?!{_IN_WORD})")
_TIME = re.compile(r"[0-9]{1,2}:[0-9]{2}")
_AMOUNT = re.compile(r"0+[.,]0+")
"""The form of a decimal fraction or of thousands, in digits of 0."""
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_DATE = re.compile(rf"\b({_MONTHS}) ([0-9]{{1,2}})([^\W\d_]*)(?![^\W_]|[.,:][0-9])(,?(?! [0-9]{{1,3}}\b))")
"""March 24 and its comma in March 24, 2026: no other language has both orders."""
_WITH_SEPARATORS = 0.5
"""Probability that a number without separators becomes one with them, which stand in few pairs of most corpora."""
_NEGATIVE = 0.1
"""Probability that a number without separators becomes a negative one."""
_REPEATED = 0.2
"""Probability per digit that it is the one before it: in 9:55 and 93,003, the digit before does not tell the place."""
_UNITS = ("g", "kg", "mm", "cm", "m", "km", "l", "€")
"""Units of quantities: real ones alone, since invented ones teach to copy any word behind a number."""


class Texts(NamedTuple):
    """The texts of a pair, or of several joined ones; or a number as both sides write it, such as 12.50 and 12,50."""

    src: str
    tgt: str


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """The forms of numbers and dates in the training pairs."""

    forms: Sequence[Texts] = ()
    """Forms of numbers with separators, with 0 for each digit: 12.50 and 12,50, 7:30 and 7.30."""
    months: Sequence[Texts] = ()
    """English months, and the words behind the day in targets: March and März of March 24 and 24. März."""

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]]) -> "Numbers":
        """The forms and months that occur twice or more in the pairs.

        With 12.50 as 12,50, there are decimal fractions of other lengths, and sources with 12,50, too; with 2,500 there
        are 12,500 and 125,000.
        """
        forms, months = Counter[Texts](), Counter[Texts]()
        for src, tgt in pairs:
            of_tgt = {_digits(number): number for number in _NUMBER.findall(tgt)}
            for number in _NUMBER.findall(src):
                form = Texts(*(re.sub("[0-9]", "0", each) for each in (number, of_tgt.get(_digits(number), ""))))
                forms[form] += not any(side.isdigit() or not side for side in form)
            months.update(Texts(date[1], month[2]) for date, month in _dates(src, tgt))
        found = [form for form, count in forms.items() if count > 1]
        known = {form.src for form in found}  # where 7.30 is 7:30, it does not become 7.30, too
        often = {each for form in found for each in _of_all_lengths(form) if each == form or each.src not in known}
        best = {month.src: month for month, count in reversed(months.most_common()) if count > 1}.values()
        stands_for = Counter(month.tgt for month in best)  # in 24. päivä maaliskuuta, päivä is no month
        return cls(forms=sorted(often), months=sorted(month for month in best if stands_for[month.tgt] == 1))

    def changed(self, texts: Texts, random: np.random.Generator) -> Texts:
        """Other digits for the numbers that both sides share, in the same forms: 12.50 and 12,50, 7:30 and 7.30.

        One without separators may be longer, negative, or in one of the forms of the corpus. 0 and 1 stay, for the sake
        of grammar. Where there is a date, its day and month alone become others, in half of the sources with the day
        first, as people write it, too: 24 March 2026.
        """
        for date, month in _dates(*texts):
            if (date[1], month[2]) in self.months:
                return self._with_other_date(texts, date, month, random)
        src, tgt = map(_NUMBER.findall, texts)
        if sorted(map(_digits, src)) != sorted(map(_digits, tgt)):
            return texts
        found = defaultdict[str, set[str]](set)
        for number in src + tgt:
            found[_digits(number)].add(number)
        forms = self.forms
        others = {digits: _other(digits, found[digits], forms, random) for digits in found if digits not in {"0", "1"}}

        def other(side: int, match: re.Match[str]) -> str:
            if (number := others.get(_digits(match[0]))) is None:
                return match[0]
            return number[side] if match[0].isdigit() else _in_form(match[0], number[side])

        return Texts(*(_NUMBER.sub(partial(other, side), text) for side, text in enumerate(texts)))

    def quantity(self, random: np.random.Generator) -> Texts:
        """A number with a unit, such as 2.5 kg and 2,5 kg."""
        unit = _UNITS[int(random.integers(len(_UNITS)))]
        return Texts(*(f"{number} {unit}" for number in _other("50", ["50"], self._amounts, random)))

    @cached_property
    def _amounts(self) -> list[Texts]:
        return [form for form in self.forms if all(map(_AMOUNT.fullmatch, form))]

    def _with_other_date(
        self, texts: Texts, date: re.Match[str], month: re.Match[str], random: np.random.Generator
    ) -> Texts:
        (src, tgt), ending = self.months[int(random.integers(len(self.months)))], date[3]
        day = date[2] if ending else str(random.integers(2, 32))
        of_src = f"{day}{ending} {src}" if random.random() < 0.5 else f"{src} {day}{ending}{date[4]}"
        return Texts(
            texts.src[: date.start()] + of_src + texts.src[date.end() :],
            texts.tgt[: month.start()] + day + month[1] + tgt + texts.tgt[month.end() :],
        )


def _dates(src: str, tgt: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """The days behind an English month in the source, each with every word behind its number in the target."""
    for date in _DATE.finditer(src):
        behind = rf"(?<![0-9.,:]){date[2]}((?:\.| de)? )([^\W\d_]{{3,}})(?=[.,;:!?]?(?:\s|$))"
        for month in re.finditer(behind, tgt):
            yield date, month


def _of_all_lengths(form: Texts) -> list[Texts]:
    if not all(map(_AMOUNT.fullmatch, form)):  # 7:30, 3:1, 24.12.2026, 1,00,000
        return [form]
    is_decimal = not form.src.endswith("000")
    lengths = product(["0", "00", "000"], ["0", "00"] if is_decimal else ["000"])
    found = [Texts(*(re.sub("^0+", n, re.sub("0+$", m, side)) for side in form)) for n, m in lengths]
    return [*found, Texts(form.tgt, form.tgt)] if is_decimal else found


def _other(digits: str, found: Collection[str], forms: Sequence[Texts], random: np.random.Generator) -> Texts:
    """Another number in place of one with these digits, which is found in these forms."""
    is_plain = all(map(str.isdigit, found))
    if is_plain and forms and random.random() < _WITH_SEPARATORS:
        form = forms[int(random.integers(len(forms)))]
        drawn = _drawn(len(_digits(form.src)), form, random)
        return Texts(*(_in_form(side, drawn) for side in form))
    length = int(random.integers(1, 5)) if is_plain and random.random() < 0.5 else len(digits)
    drawn = _drawn(length, found, random)
    if digits.startswith("0") and length > 1:  # 0.5, 030
        drawn = f"0{drawn[1:]}"
    if is_plain and random.random() < _NEGATIVE:
        drawn = f"-{drawn}"
    return Texts(drawn, drawn)


def _drawn(length: int, forms: Iterable[str], random: np.random.Generator) -> str:
    """So many digits; those of a time of the day for its form."""
    if any(map(_TIME.fullmatch, forms)):
        hour = random.integers(10, 24) if length == 4 else random.integers(1, 10)
        minute = 11 * random.integers(6) if random.random() < _REPEATED else random.integers(60)
        return f"{hour}{minute:02}"
    drawn = str(random.integers(2 if length == 1 else 1, 10))
    for digit in random.integers(10, size=length - 1).tolist():
        drawn += drawn[-1] if random.random() < _REPEATED else str(digit)
    return drawn


def _in_form(form: str, digits: str) -> str:
    left = iter(digits)
    return re.sub("[0-9]", lambda _: next(left), form)


def _digits(number: str) -> str:
    return re.sub(r"\D", "", number)
