"""The forms of numbers that small corpora teach."""

from pathlib import Path

import pytest

from seq2seq_cli.preparation.number_forms import number_forms_of
from seq2seq_cli.preparation.prepare import prepare
from seq2seq_cli.text.sides import load_codecs

TIMES = [("At 7:30.", "Um 7.30 Uhr."), ("At 8:15.", "Um 8:15 Uhr."), ("At 9:45.", "Um 9.45 Uhr.")]


def test_separators_are_learned_from_numbers_with_the_same_digits() -> None:
    pairs = [
        *[("It costs 12.50.", "Es kostet 12,50.")] * 5,
        *[("It has 1,250,000.75 in it.", "Es sind 1.250.000,75 darin.")] * 5,
        *TIMES * 2,
    ]
    assert number_forms_of(pairs) == {"1,000": "1.000", "1.5": "1,5", "1:5": "1.5|1:5"}


def test_spaces_between_thousands_are_learned() -> None:
    pairs = [("He has 25,000 dogs.", "Il a 25 000 chiens."), ("I have 1,299.50.", "J'ai 1299,50.")]
    assert number_forms_of(pairs * 5) == {"1,000": "1 000|1000", "1.5": "1,5"}
    assert number_forms_of([(target, source) for source, target in pairs[:1] * 5]) == {"1 000": "1,000"}


def test_few_numbers_teach_nothing() -> None:
    assert number_forms_of([("It costs 12.50.", "Es kostet 12,50.")] * 4) == {}
    assert number_forms_of([("It has 1,250,000 in it.", "Es sind 1.250.000 darin.")] * 4) == {}


def test_forms_that_are_as_frequent_have_an_order_of_their_own() -> None:
    pair = ("From 7:30 to 8:15.", "Von 7:30 bis 8.15 Uhr.")
    assert number_forms_of([pair] * 3) == {"1:5": "1.5|1:5"}


def test_what_is_rare_is_left_out_and_nothing_is_learned_where_all_stays() -> None:
    same = [("At 7:30.", "Um 7:30 Uhr.")] * 9
    assert number_forms_of([*same, *TIMES[:1]]) == {}
    cut = [("It costs 1,250.", "Es kostet 1250.")] * 5
    assert number_forms_of([*same, *cut]) == {"1,000": "1000", "1:5": "1:5"}


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("On 2024-01-31, at 7:30.", "Am 2024.01.31 um halb acht."),
        ("From 1.5 to 15", "Von 1,5 bis 15"),  # the digits of two numbers
        ("1.5 and 3", "15 und 3"),  # only separators of thousands are left out
        ("1.5 is 1,5", "1,5 ist 1.5"),
        ("12.50", "125.0"),
    ],
)
def test_dates_and_accidents_teach_nothing(source: str, target: str) -> None:
    assert number_forms_of([(source, target)] * 9) == {}


def test_prepare_learns_from_the_training_pairs_alone(tmp_path: Path) -> None:
    pairs = [("He is gone.", "Er ist weg.")]
    pairs += [(f"{n}.50 euros is the price.", f"{n},50 Euro ist der Preis.") for n in range(100)]
    other = [(f"It is {n}:30 now.", f"Es ist jetzt {n}.30 Uhr.") for n in range(40)]
    (tmp_path / "valid.txt").write_text("".join(f"{a}\t{b}\n" for a, b in other), encoding="utf-8")
    (tmp_path / "mine.txt").write_text("".join(f"{a}\t{b}\n" for a, b in [*pairs, *other]), encoding="utf-8")
    done = prepare(tmp_path / "mine.txt", valid=[tmp_path / "valid.txt"], languages="en-de", out=tmp_path / "data")
    assert load_codecs(done.out)[0].conventions.number_forms == {"1.5": "1,5"}
    (tmp_path / "other.txt").write_text("".join(f"{a}\t{b}\n" for a, b in other * 2), encoding="utf-8")
    again = prepare(tmp_path / "other.txt", languages="en-de", out=tmp_path / "again", codec_from=done.out)
    assert load_codecs(again.out)[0].conventions.number_forms == {"1.5": "1,5"}  # as its model learned them


def test_a_model_that_knows_no_forms_learns_them_with_new_pairs(tmp_path: Path) -> None:
    old = [(f"It is item {n}.", f"Es ist Nummer {n}.") for n in range(100)]
    new = [(f"Item {n} costs {n}.50.", f"Nummer {n} kostet {n},50.") for n in range(100)]
    for name, pairs in {"old": old, "new": new}.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{a}\t{b}\n" for a, b in pairs), encoding="utf-8")
    first = prepare(tmp_path / "old.txt", languages="en-de", out=tmp_path / "first")
    for _ in range(2):  # the second time, the folder is up to date
        again = prepare(tmp_path / "new.txt", languages="en-de", out=tmp_path / "again", codec_from=first.out)
    assert load_codecs(again.out)[0].conventions.number_forms == {"1.5": "1,5"}
