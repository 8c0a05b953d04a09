"""Numbers with separators, such as 12.50, 1,000 and 7:30, and the separators that translations have in their place."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, product

PLAIN_MARKS = dict(zip("\u2009\u202f\xa0٫．٬’–", "   ..,'-", strict=True))
"""The usual marks for those that mean the same between digits."""

_MARKS = re.escape("".join(PLAIN_MARKS))
NUMBER = re.compile(rf"\d++(?:[.,:/'\-{_MARKS}]\d++)*+")
_SPACED = rf"(?:(?!0)\d{{1,3}}(?:[ \u2009\u202f\xa0]\d{{3}}(?!\d))++(?:[.,]\d++)?|\d++(?:[.,:'{_MARKS}]\d++)*+)"
SPACED_NUMBER = re.compile(rf"{_SPACED}(?:[-–/]{_SPACED})*+")
"""A number as in languages with spaces between thousands: 25 000. Elsewhere, these may be two numbers."""

OR = "|"
"""What stands between the ways to write one separator."""
MOST_FORMS = 5
"""Ways to write one separator: each is at least a fifth of the cases."""

_ADDRESS = r"\d{1,3}(?:\.(?:1\d\d|2[0-5]\d)){3}\Z"
"""A network address, as far as it looks like a number with thousands: three more groups from 100 to 255."""
_THOUSANDS = rf"(?!{_ADDRESS}|0)\d{{1,3}}(?P<mark>[.,' ])\d{{3}}(?:(?P=mark)\d{{3}})*(?:(?!(?P=mark))[.,]\d+)?"
SEPARATED = re.compile(rf"{_THOUSANDS}|\d+[.,:]\d+")
"""A number whose separators differ from language to language: of thousands, of decimals, of hours and minutes.

Dates, telephone numbers, network addresses and versions of three parts are none.
"""

BETWEEN = re.compile(r"[-–/]")
"""What stands between the two numbers of a range or a ratio."""

STAYING = frozenset({"1.5", "1:5", "1 000"})
"""The examples of `separators` whose numbers may be of a kind that stays as it is.

They are versions (3.11), scores (3:1), and numbers in groups of three (555 123).
"""


def separators(number: str) -> list[str]:
    """The separators of a number, each as it stands in an example: 1,000 for one of thousands, 1.5 for any other."""
    number = _with_plain_marks(number)
    found = SEPARATED.fullmatch(number)
    marks = re.findall(r"\D", number) if found else []
    return [f"1{mark}000" if found and mark == found["mark"] else f"1{mark}5" for mark in marks]


def plain_number(number: str) -> str:
    """The number with the digits 0 to 9 of any script and the usual marks: the same for all that mean the same."""
    return "".join(str(unicodedata.decimal(character, character)) for character in _with_plain_marks(number))


def find_numbers(text: str, forms: Iterable[str]) -> list[re.Match[str]]:
    """The numbers of a text, with spaces between thousands if one of the `forms` of its numbers has a space."""
    return list((SPACED_NUMBER if any(" " in form for form in forms) else NUMBER).finditer(text))


def number_forms(number: str, forms: Mapping[str, str]) -> list[str]:
    """The ways in which a translation may write a number of the source, the most frequent first.

    `forms` has the ways to write each example of `separators`, with `OR` between them: "1000|1.000" for 1,000. Where a
    separator of thousands may also be left out, it is in numbers of four digits alone. A range has one way for both
    of its numbers: 500-1,000. A number with an unknown separator stays as it is; its digits may be 0 to 9 in any case.
    """
    numbers = BETWEEN.split(number)
    if len(numbers) > 2 or not all(map(_is_separated, numbers)):
        numbers = [number]
    examples = {each: _examples(each, forms) for each in numbers}
    distinct = list(dict.fromkeys(chain.from_iterable(examples.values())))
    if not distinct or not all(example in forms for example in distinct):
        return list(dict.fromkeys([number, plain_number(number)]))
    between = number[len(numbers[0]) : len(numbers[0]) + 1]
    is_short = all(_is_short(each, of_number) for each, of_number in examples.items())
    ways = [_marks(example, forms[example], is_short=is_short) for example in distinct]
    found = [
        between.join(_with_marks(each, examples[each], dict(zip(distinct, marks, strict=True))) for each in numbers)
        for marks in product(*ways)
    ]
    return list(dict.fromkeys([*found, number] if STAYING.issuperset(distinct) else found))


def _examples(number: str, forms: Mapping[str, str]) -> list[str]:
    """The `separators` of a number; the point of 3.141 is decimal where only another mark parts thousands."""
    found = separators(number)
    if len(found) == 1 and found[0].endswith("000") and found[0] not in forms:
        decimal = found[0].removesuffix("000") + "5"
        if decimal in forms and any(example.endswith("000") for example in forms):
            return [decimal]
    return found


def _with_plain_marks(number: str) -> str:
    return "".join(PLAIN_MARKS.get(character, character) for character in number)


def _is_separated(number: str) -> bool:
    """Whether a number has nothing but digits and `separators`."""
    return len(separators(number)) == len(re.findall(r"\D", number))


def _marks(example: str, written: str, *, is_short: bool) -> list[str]:
    """The separators with which an example is written; empty where it is left out."""
    marks = [form.removeprefix("1").removesuffix(example[2:]) for form in written.split(OR)]
    return marks if is_short else list(filter(None, marks)) or marks


def _is_short(number: str, examples: Sequence[str]) -> bool:
    """Whether a number has four digits before its decimals, if it has separators of thousands."""
    thousands = sum(example.endswith("000") for example in examples)
    return not thousands or (thousands == 1 and len(re.split(r"\D", number)[0]) == 1)


def _with_marks(number: str, examples: Sequence[str], marks: Mapping[str, str]) -> str:
    """A number with other separators, by their examples."""
    first, *groups = re.split(r"\D", number)
    return first + "".join(marks[example] + group for example, group in zip(examples, groups, strict=True))
