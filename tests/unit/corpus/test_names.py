"""Names that both sides share, and others in their places."""

import numpy as np
import pytest

from seq2seq_cli.corpus.names import Names
from seq2seq_cli.text.characters import CONTINUING, SPACING

SYLLABLES = ("Ba", "Do", "Ki", "Lu", "Me")
KNOWN_NAMES = ["Tom", "Anna", *(first + last for first in SYLLABLES for last in ("ra", "ni", "lo", "tu"))]
KNOWN = [*KNOWN_NAMES, "Xu"]
PAIRS = [("the hotel of mine", "mein Hotel"), *((f"{name} is here", f"{name} ist da") for name in KNOWN)]
NAMES = Names.of(PAIRS, units="abcdefghijklmnopqrstuvwxyzéø")


def randoms(count: int = 40) -> list[np.random.Generator]:
    """New ones for each test, which so does not depend on what the tests before it drew."""
    return [np.random.default_rng(seed) for seed in range(count)]


def test_the_names_are_the_capitalised_words_of_both_sides() -> None:
    assert NAMES.known == tuple(sorted(KNOWN))
    assert {"the", "hotel", "is", "ist"} <= NAMES.common


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("Tom sees Anna.", "Anna sieht Tom.", ["Tom", "Anna"]),
        ("I know Xochitl.", "Ich kenne Xochitl.", ["Xochitl"]),
        ("Tom's dog", "Toms Hund", ["Tom"]),
        ("Tom’s dog and Tom", "Toms Hund und Tom", ["Tom"]),
        ("Jean-Luc and O'Brien", "Jean-Luc und O'Brien", ["Jean-Luc", "O'Brien"]),
        ("Hotel Tom", "Hotel Tom", ["Tom"]),  # small elsewhere
        ("Tom likes himself.", "Tom mag Tom.", []),  # not as often
        ("Tom and Tomaso", "Tom und Tomaso", ["Tomaso"]),  # Tom is inside another word
        ("Sa\u0331vi and Ana", "Sa\u0331vi ta Ana\u0331", ["Sa\u0331vi"]),  # Ana has an accent there
        ("USA and A", "USA und A", []),
        ("they run", "sie rennen", []),
    ],
)
def test_names_that_a_pair_shares_are_found(src: str, tgt: str, expected: list[str]) -> None:
    assert NAMES.find(src, tgt) == expected


def test_a_name_is_known_without_its_ending() -> None:
    names = Names.of([*PAIRS, ("Zoe's is here", "Zoe's ist da")], units="")
    assert "Zoe" in names.known
    assert "Zoe's" not in names.known


def test_sides_that_share_few_names_have_none() -> None:
    few = Names.of(PAIRS[:19], units="")
    assert few.known == ()
    assert few.find("Tom sees Anna.", "Tom sieht Anna.") == []


def test_names_of_many_shapes_are_drawn() -> None:
    random = np.random.default_rng(1)
    drawn = {NAMES.draw(random) for _ in range(2000)}
    assert len(drawn) > 500
    assert set(KNOWN) <= drawn
    assert any(" " in name for name in drawn)
    assert any(name.startswith(("O'", "D'")) for name in drawn)
    assert any(name[0].isdigit() for name in drawn)
    assert any(name.isalpha() and name.isupper() for name in drawn)
    letters = {letter.lower() for name in drawn for letter in name if letter.isalpha()}
    assert letters == set(NAMES.units)  # with the marks that the vocabularies have, and no others


def test_parts_of_words_are_joined_to_names_in_the_script_of_the_names() -> None:
    units = [f"{SPACING}Мо", "Wo", "Дом", f"{CONTINUING}ром", f"{CONTINUING}ing", f"{CONTINUING}ат", "и"]
    cyrillic = [f"Имя{'абвгдежз'[i % 8]}{'иклмн'[i % 5]}" for i in range(40)]
    names = Names.of([(f"{name} тут", f"{name} там") for name in cyrillic], units=units)
    random = np.random.default_rng(0)
    drawn = " ".join(names.draw(random) for _ in range(400))
    assert "Моромат" in drawn
    assert "Дом" in drawn
    assert "Wo" not in drawn
    assert "ing" not in drawn
