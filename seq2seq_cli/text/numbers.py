"""Numbers with separators, such as 12.50, 1,000 and 7:30, and the separators that translations have in their place."""

import re
from collections.abc import Mapping
from itertools import product

NUMBER = re.compile(r"\d++(?:[.,:/'’\-\u2009\u202f\xa0]\d++)*+")

_ADDRESS = r"\d{1,3}(?:\.(?:1\d\d|2[0-5]\d)){3}\Z"
"""A network address, as far as it looks like a number with thousands: three more groups from 100 to 255."""
_THOUSANDS = rf"(?!{_ADDRESS}|0)\d{{1,3}}(?P<mark>[.,'’])\d{{3}}(?:(?P=mark)\d{{3}})*(?:(?!(?P=mark))[.,]\d+)?"
SEPARATED = re.compile(rf"{_THOUSANDS}|\d+[.,:]\d+")
"""A number whose separators differ from language to language: of thousands, of decimals, of hours and minutes.

Dates, telephone numbers, network addresses and versions of three parts are none.
"""

BETWEEN = re.compile(r"[-/]")
"""What stands between the two numbers of a range or a ratio."""

STAYING = frozenset({"1.5", "1:5"})
"""The examples of `separators` whose numbers may be of a kind that stays as it is: versions (3.11), scores (3:1)."""


def separators(number: str) -> list[str]:
    """The separators of a number, each as it stands in an example: 1,000 for one of thousands, 1.5 for any other."""
    found = SEPARATED.fullmatch(number)
    marks = re.findall(r"\D", number) if found else []
    return [f"1{mark}000" if found and mark == found["mark"] else f"1{mark}5" for mark in marks]


def number_forms(number: str, forms: Mapping[str, str]) -> list[str]:
    """The ways in which a translation may write a number of the source, the most frequent first.

    `forms` has the ways to write each example of `separators`, with a space between them: "1000 1.000" for 1,000. A
    number with an unknown separator stays as it is. A range of two numbers has the forms of both: 500-1,000.
    """
    parts = BETWEEN.split(number)
    if len(parts) == 2 and any(map(separators, parts)):
        between = number[len(parts[0])]
        return [between.join(written) for written in product(*(number_forms(part, forms) for part in parts))]
    examples = separators(number)
    if not examples or not all(example in forms for example in examples):
        return [number]
    first, *groups = re.split(r"\D", number)
    different = list(dict.fromkeys(examples))
    found = []
    for written in product(*(forms[example].split(" ") for example in different)):
        marks = {example: _mark(example, form) for example, form in zip(different, written, strict=True)}
        found.append(first + "".join(marks[example] + group for example, group in zip(examples, groups, strict=True)))
    return list(dict.fromkeys([*found, number] if STAYING.issuperset(different) else found))


def _mark(example: str, form: str) -> str:
    """The separator of a form of an example; empty where it is left out."""
    return form.removeprefix("1").removesuffix(example[2:])
