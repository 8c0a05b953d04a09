"""What translations lack of their sources: numbers, names and sentences. It is counted, and nothing is changed."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from seq2seq_cli.decoding.sentences import sentence_ends

_WORD = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
_GROUPING = re.compile(r"(?<=\d)(?:[.,'’\u00a0\u202f]|(?<!\d{4}) )(?=\d{3}(?!\d))")
"""The mark or the space before three digits: 5,500 and 5 500 are 5500, but 1990 200 are two numbers."""
_SHORTEST_NAME = 3
"""Letters; shorter words are shared by chance, such as "In" of English and German."""
_LONGEST_ENDING = 3
"""Letters that a language may add to a name, as in Toms and Tomille."""


class Lost(NamedTuple):
    """The number of things of a kind that translations lack, and the number of all of that kind."""

    lost: int
    of: int


def losses_of(
    texts: Mapping[str, str], references: Mapping[str, Sequence[str]], languages: tuple[str, str]
) -> dict[str, Lost]:
    """The losses of the translations `texts` by their kind, each distinct source counted once.

    numbers: numbers in digits that the source shares with a reference, whatever the separators. names: words with a
    capital, of three letters or more, that the source shares with a reference letter by letter. sentences: of the
    sources of several sentences, those whose translation has fewer; the rules of `languages`, source and target, tell
    where sentences end. Translations and references are given by source.
    """
    return {
        "numbers": _total(_lost_numbers(source, texts[source], several) for source, several in references.items()),
        "names": _total(_lost_names(source, texts[source], several) for source, several in references.items()),
        "sentences": _total(_lost_sentence(source, texts[source], languages) for source in references),
    }


def _lost_numbers(source: str, text: str, references: Sequence[str]) -> Lost:
    expected: Counter[str] = Counter()
    for reference in references:
        expected |= numbers_in(reference)
    shared = numbers_in(source) & expected
    return Lost((shared - numbers_in(text)).total(), shared.total())


def numbers_in(text: str) -> Counter[str]:
    """The numbers in digits, each as often as it is there: 12.50 and 12,50 have the same two, 5,500 and 5 500 one."""
    return Counter(_DIGITS.findall(_GROUPING.sub("", text)))


def _lost_names(source: str, text: str, references: Sequence[str]) -> Lost:
    """Each name once; the translation may add an ending to it, and write it in other case."""
    shared = set(_WORD.findall(source)).intersection(_WORD.findall(" ".join(references)))
    names = [word.casefold() for word in shared if word[0].isupper() and len(word) >= _SHORTEST_NAME]
    words = [word.casefold() for word in _WORD.findall(text)]
    kept = sum(
        any(word.startswith(name) and len(word) <= len(name) + _LONGEST_ENDING for word in words) for name in names
    )
    return Lost(len(names) - kept, len(names))


def _lost_sentence(source: str, text: str, languages: tuple[str, str]) -> Lost:
    """One of one for a source of several sentences with a translation of fewer."""
    in_source, in_text = (len(list(ends)) for ends in map(sentence_ends, (source, text), languages))
    return Lost(int(in_text < in_source), int(in_source > 0))


def _total(counts: Iterable[Lost]) -> Lost:
    return Lost(*map(sum, zip(*counts, strict=True)))
