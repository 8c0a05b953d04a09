"""The forms of numbers in translations, learned from the training pairs."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from seq2seq_cli.preparation.training_text import TrainingText
from seq2seq_cli.text.numbers import OR, SPACED_NUMBER, separators

_FEWEST = 5
"""Numbers with a separator, below which its forms are not known."""

_LEAST = 2
_LEAST_SHARE = 0.2
"""Number of times, and share of its forms, from which on one of them is known."""

_SEPARATED = re.compile(rb"\d(?:[^\w\s]{1,3}| (?=\d{3}))\d")
"""Two digits and what may be one separator between them, in UTF-8."""


def learn_number_forms(training: TrainingText) -> dict[str, str]:
    """The forms of numbers in the targets, for `number_forms`."""
    return number_forms_of(training.sample_with(_SEPARATED))


def number_forms_of(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The forms of numbers in the targets of some pairs, the most frequent first; none where all stay as they are.

    The translation of a number has the same digits. Digits that a sentence has twice tell nothing.
    """
    counts: Mapping[str, Counter[str]] = defaultdict(Counter)
    for source, target in pairs:
        numbers, translations = _by_digits(source), _by_digits(target)
        for digits in numbers.keys() & translations.keys():
            # The separators of a number count once, however many there are of one kind.
            for example, form in set(_forms(numbers[digits], translations[digits])):
                counts[example][form] += 1
    forms = {example: _usual(found) for example, found in sorted(counts.items()) if found.total() >= _FEWEST}
    known = {example: OR.join(found) for example, found in forms.items() if found}
    return known if any(example != form for example, form in known.items()) else {}


def _by_digits(text: str) -> dict[str, str]:
    """The numbers of a text by their digits, but for those whose digits it has twice."""
    numbers = [(re.sub(r"\D", "", number), number) for number in SPACED_NUMBER.findall(text)]
    times = Counter(digits for digits, _ in numbers)
    return {digits: number for digits, number in numbers if times[digits] == 1}


def _forms(number: str, translation: str) -> Iterator[tuple[str, str]]:
    """Each separator of a number as an example, with the form of that in a translation with the same digits.

    Only separators of thousands may be left out.
    """
    places, others = _marks(number), _marks(translation)
    for example, place in zip(separators(number), places, strict=False):
        mark = others.get(place, "")
        if others.keys() <= places.keys() and (mark or example.endswith("000")):
            yield example, example[0] + mark + example[2:]


def _marks(number: str) -> dict[int, str]:
    """The separators of a number by the number of digits before them."""
    return {match.start() - i: match[0] for i, match in enumerate(re.finditer(r"\D", number))}


def _usual(found: Counter[str]) -> list[str]:
    least = max(_LEAST, _LEAST_SHARE * found.total())
    # In alphabetical order where two are as frequent: the same pairs always teach the same.
    return sorted((form for form, count in found.items() if count >= least), key=lambda form: (-found[form], form))
