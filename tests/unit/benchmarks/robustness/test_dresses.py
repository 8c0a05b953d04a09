"""The dresses of pairs, by hand."""

import re

import pytest

from benchmarks.robustness.dresses import DRESSES, Dressed, Pair, generator, joined, renaming
from benchmarks.robustness.names import RARE_NAMES, known_names, shared_names, unseen_names

PAIR = ("Tom's hat is red.", "Toms Hut ist rot.")
TIME = ("It is 7:30, not 12.50.", "Es ist 7.30 Uhr, nicht 12,50.")


def dressed(name: str, pair: Pair = PAIR) -> Dressed | None:
    return DRESSES[name](pair, generator())


@pytest.mark.parametrize(
    ("name", "pair", "expected"),
    [
        ("as is", PAIR, PAIR),
        ("no final mark", PAIR, ("Tom's hat is red", "Toms Hut ist rot")),
        (
            "all capitals",
            ("Go down the street.", "Geh die Straße hinab!"),
            ("GO DOWN THE STREET.", "GEH DIE STRASSE HINAB!"),
        ),
        ("title case", ("I saw 'old' McCoy.", "Ich sah McCoy."), ("I Saw 'Old' McCoy.", "Ich Sah McCoy.")),
        ("small first letter", PAIR, ("tom's hat is red.", "toms Hut ist rot.")),
        ("small first letter", ("3 men came.", "Drei Männer kamen."), None),
        ("quotation marks", ("Go!", "Geh!"), ('"Go!"', '"Geh!"')),
        ("12 words and more", PAIR, None),
        ("12 words and more", ("one " * 12, "eins"), ("one " * 12, "eins")),
        ("with numbers", TIME, TIME),
        ("with numbers", PAIR, None),
        ("other numbers", ("At 7.", "Um sieben."), None),
        ("other numbers", ("On May 2nd.", "Am 2. Mai."), None),
        ("typos", ("It is a go.", "Es geht."), None),
    ],
)
def test_both_sides_are_dressed_alike_or_not_at_all(name: str, pair: Pair, expected: Pair | None) -> None:
    found = dressed(name, pair)
    assert (found and (found.source, found.reference)) == expected
    if found and found.of_text:
        assert tuple(map(found.of_text, pair)) == expected


def test_numbers_have_other_digits_with_each_side_s_separators_and_a_typo_exchanges_two_letters() -> None:
    found, typo = dressed("other numbers", TIME), dressed("typos", ("Tom is old.", "Tom ist alt."))
    assert found
    assert typo
    digits = [re.findall(r"\d+", side) for side in (found.source, found.reference)]
    assert digits[0] == digits[1] != ["7", "30", "12", "50"]
    assert re.sub(r"\d", "0", found.source) == "It is 0:00, not 00.00."
    assert re.sub(r"\d", "0", found.reference) == "Es ist 0.00 Uhr, nicht 00,00."
    assert typo.reference == "Tom ist alt."
    assert typo.source in {"Tmo is old.", "Tom is odl."}


def test_a_rare_name_replaces_a_known_one_that_both_sides_have_equally_often() -> None:
    rename = renaming(["Tom"], ["O'Brien"])
    found = rename(PAIR, generator())
    assert found
    assert (found.source, found.reference) == ("O'Brien's hat is red.", "O'Briens Hut ist rot.")
    assert found.names == ("O'Brien",)
    assert rename(("Tom likes Tommy.", "Er mag Tommy."), generator()) is None
    assert rename(("Tomatoes!", "Tomaten!"), generator()) is None


def test_joined_lines_have_pairs_that_end_with_a_mark() -> None:
    pairs = [("Go!", "Geh!"), ("Tom ran.", "Tom lief."), ("Yes", "Ja.")]
    for line in joined(pairs, 2, 5, generator()):
        assert sorted(line.parts) == ["Go!", "Tom ran."]
        assert line.source == " ".join(line.parts)
        assert line.reference == " ".join(dict(pairs)[part] for part in line.parts)
        assert line.names == ("Tom",)
    assert joined(pairs, 3, 5, generator()) == []


def test_names_are_known_rare_or_shared() -> None:
    pairs = [("Is Tom here with Mary?", "Ist Tom da mit Maria?"), ("Is Tom's hat red?", "Ist Toms Hut rot?")]
    assert known_names(pairs) == ["Tom"]
    assert unseen_names(["Mary Smith", "Wu Tom", "Wu", "Bo"], ["MARY, Tom and bo"]) == ["Wu"]
    assert shared_names("In Boston Tom saw the USA", "In Boston sah TOM die USA") == ["Boston", "USA"]
    assert len(set(RARE_NAMES)) == len(RARE_NAMES) > 200
    assert all(any(mark in name for name in RARE_NAMES) for mark in "'- łøáñ")
