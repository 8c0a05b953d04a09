"""The figures of a translator that is a table of texts."""

from collections.abc import Mapping

import pytest

from benchmarks.robustness.dresses import DRESSES, Dressed, Pair, generator, joined
from benchmarks.robustness.figures import Figures
from benchmarks.robustness.measure import Translations, count_numbers, has_name, measure

PAIRS = [
    ("Tom is in the red house today.", "Tom ist heute in dem roten Haus."),
    ("Go to the old man now.", "Geh jetzt zu dem alten Mann."),
]


def figures(several: list[Dressed], texts: Mapping[str, str]) -> Figures:
    """The figures of a translator that knows these texts."""
    translations = Translations(lambda sources: [texts[source] for source in sources])
    return measure({"dress": several}, translations, "de")["dress"]


def lines(name: str, *pairs: Pair) -> list[Dressed]:
    return [found for pair in pairs if (found := DRESSES[name](pair, generator()))]


def test_a_translation_that_is_dressed_as_its_source_is_consistent() -> None:
    several, plain = lines("all capitals", *PAIRS), dict(PAIRS)
    good = figures(several, plain | {source.upper(): text.upper() for source, text in PAIRS})
    assert [good.consistency, good.bleu, good.names, good.names_kept] == pytest.approx([100, 100, 1, 100])
    bad = figures(several, plain | {source.upper(): text for source, text in PAIRS})
    assert bad.consistency is not None
    assert bad.consistency < 10
    assert bad.names_kept == 100


def test_a_joined_line_with_few_words_has_lost_a_sentence() -> None:
    several = joined(PAIRS, 2, 1, generator())
    [line] = several
    first = dict(PAIRS)[line.parts[0]]
    whole = figures(several, dict(PAIRS) | {line.source: line.reference})
    assert [whole.lost, whole.bleu, whole.by_hand] == pytest.approx([0, 100, 100])
    half = figures(several, dict(PAIRS) | {line.source: first})
    assert [half.lost, half.by_hand] == pytest.approx([100, 100])


def test_numbers_and_names_are_kept_or_not() -> None:
    assert count_numbers("It costs 12.50.", "Es kostet 12,50.", "Es kostet 12,50.") == (2, 2, 0)
    assert count_numbers("It costs 12.50.", "Es kostet 12,50.", "Es kostet 12,60.") == (2, 1, 1)
    assert count_numbers("At 3 p.m.", "Um 15 Uhr.", "Um 15 Uhr.") == (0, 0, 0)
    kept = [("Toms Hut", "Tom"), ("TOM!", "Tom"), ("Das ist O'Briens Hut.", "O'Brien")]
    assert all(has_name(text, name) for text, name in kept)
    assert not any(has_name(text, "Tom") for text in ("Tomaten", "Atom"))
