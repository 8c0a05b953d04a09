"""The dresses of a test pair: each a function of a pair and a random generator, None where it does not apply.

Both sides are changed alike, so that the reference is right for the changed source.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from benchmarks.robustness.names import shared_names

FINAL_MARKS = ".!?…。！？"
LONG = "12 words and more"
LONG_SOURCE = 12
"""Words of a long source."""
_DIGITS = re.compile(r"\d+")
_ORDINAL = re.compile(r"\d(?:st|nd|rd|th)\b")
_EMOJI = ("😀", "❤️", "👍🏽", "🎉", "😂", "🇩🇪", "👨‍👩‍👧", "☀️", "🙏", "🤷‍♀️")
_BULLETS = ("- ", "• ", "1. ")
_SWAPPABLE = re.compile(r"(?<=[^\W\d_])(?=[^\W\d_]{2})")
"""Where two letters follow a letter of the same word."""

Pair: TypeAlias = tuple[str, str]
TextDress: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class Dressed:
    """A test pair in a dress."""

    source: str
    reference: str
    names: tuple[str, ...]
    """Names that the translation is to keep."""
    of_text: TextDress | None = None
    """Dresses any text alike, so that the translation of the plain source can be dressed, too; None where none can."""
    parts: tuple[str, ...]
    """The plain sources: one, or those that are joined."""


Dress: TypeAlias = Callable[[Pair, Random], Dressed | None]


def generator() -> Random:
    """The source of all that is drawn, always the same."""
    return Random(1)  # noqa: S311  # no secret


def alike(choose: Callable[[Pair, Random], TextDress | None]) -> Dress:
    """The dress that changes both sides by one function of a text, which is chosen for each pair."""

    def dress(pair: Pair, random: Random) -> Dressed | None:
        of_text = choose(pair, random)
        if of_text is None:
            return None
        source, reference = map(of_text, pair)
        return Dressed(
            source=source, reference=reference, names=tuple(shared_names(*pair)), of_text=of_text, parts=pair[:1]
        )

    return dress


def _without(pair: Pair, source: str, reference: str, *names: str) -> Dressed:
    """A dressed pair whose plain translation cannot be dressed."""
    names = names or tuple(name for name in shared_names(*pair) if name in source)  # without a typo
    return Dressed(source=source, reference=reference, names=names, parts=pair[:1])


def as_it_is(is_meant: Callable[[Pair], bool]) -> Dress:
    """The dress that leaves the pairs that are meant as they are."""
    return lambda pair, _: _without(pair, *pair) if is_meant(pair) else None


def renaming(known: Sequence[str], rare: Sequence[str]) -> Dress:
    """The dress with a rare name in place of a known one; the s of a genitive stays, as in Tom's hat and Toms Hut."""
    forms = {name: re.compile(rf"(?<!\w){name}(?=(?:['’]?s)?(?!\w))") for name in known}

    def dress(pair: Pair, random: Random) -> Dressed | None:
        for form in forms.values():
            counts = [len(form.findall(text)) for text in pair]
            if counts[0] and counts[0] == counts[1]:
                name = random.choice(rare)
                source, reference = (form.sub(name, text) for text in pair)
                return _without(pair, source, reference, name)
        return None

    return dress


def numbers(pair: Pair, random: Random) -> Dressed | None:
    """Other digits in both sides, equal ones for equal numbers, where both have the same; no 2nd, which became 4nd."""
    if not _has_same_numbers(pair) or any(map(_ORDINAL.search, pair)):
        return None
    others: dict[str, str] = {}
    for number in _DIGITS.findall(pair[0]):
        first = "0" if number[0] == "0" else str(random.randint(1, 9))
        others.setdefault(number, first + "".join(str(random.randint(0, 9)) for _ in number[1:]))
    source, reference = (_DIGITS.sub(lambda match: others[match[0]], text) for text in pair)
    return _without(pair, source, reference)


def _has_same_numbers(pair: Pair) -> bool:
    """Whether the sides have the same numbers in digits, one at least, with any separators (12.50 and 12,50)."""
    source, target = (sorted(_DIGITS.findall(text)) for text in pair)
    return bool(source) and source == target


def typos(pair: Pair, random: Random) -> Dressed | None:
    """Two neighbouring letters of a word of the source exchanged, neither of them its first."""
    letters = pair[0]
    places = [match.start() for match in _SWAPPABLE.finditer(letters)]
    places = [at for at in places if letters[at] != letters[at + 1]]
    if not places:
        return None
    at = random.choice(places)
    return _without(pair, letters[:at] + letters[at + 1] + letters[at] + letters[at + 2 :], pair[1])


def _no_final_mark(pair: Pair, _: Random) -> TextDress | None:
    return (lambda text: text.rstrip(FINAL_MARKS)) if all(text[-1] in FINAL_MARKS for text in pair) else None


def _small_first(pair: Pair, _: Random) -> TextDress | None:
    return (lambda text: text[:1].lower() + text[1:]) if all(text[0].isupper() for text in pair) else None


def title_case(text: str) -> str:
    """Each word with a capital, the rest of its letters as they are."""
    return re.sub(r"(?<!\S)\W*\w", lambda match: match[0].upper(), text)


def _with_emoji(_: Pair, random: Random) -> TextDress:
    emoji, is_first = random.choice(_EMOJI), random.random() < 0.25  # mostly at the end, as in messages
    return lambda text: f"{emoji} {text}" if is_first else f"{text} {emoji}"


def _with_bullet(_: Pair, random: Random) -> TextDress:
    bullet = random.choice(_BULLETS)
    return lambda text: bullet + text


DRESSES: dict[str, Dress] = {
    "as is": as_it_is(lambda _: True),
    LONG: as_it_is(lambda pair: len(pair[0].split()) >= LONG_SOURCE),
    "with numbers": as_it_is(_has_same_numbers),
    "other numbers": numbers,
    "no final mark": alike(_no_final_mark),
    "all capitals": alike(lambda *_: str.upper),
    "title case": alike(lambda *_: title_case),
    "small first letter": alike(_small_first),
    "emoji": alike(_with_emoji),
    "bullets": alike(_with_bullet),
    "quotation marks": alike(lambda *_: lambda text: f'"{text}"'),
    "typos": typos,
}
"""By name; rare names depend on the training pairs (`renaming`), and joined lines on several pairs (`joined`)."""
FEW = frozenset({LONG, "with numbers", "other numbers"})
"""Those that few pairs are suited to."""
TIMES = {"other numbers": 10}
"""Times that each pair is dressed, where not once: few pairs have numbers."""


def joined(pairs: Sequence[Pair], count: int, lines: int, random: Random) -> list[Dressed]:
    """Lines of `count` pairs each, drawn at random from those whose two sides end with a mark."""
    whole = [pair for pair in pairs if all(text[-1] in FINAL_MARKS for text in pair)]
    drawn = [random.sample(whole, count) for _ in range(lines)] if len(whole) >= count else []
    return [
        Dressed(
            source=" ".join(source for source, _ in several),
            reference=" ".join(reference for _, reference in several),
            names=tuple(name for pair in several for name in shared_names(*pair)),
            parts=tuple(source for source, _ in several),
        )
        for several in drawn
    ]
