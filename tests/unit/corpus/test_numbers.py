"""Numbers and dates that both sides share, and others in their places."""

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.corpus.numbers import Numbers, Texts
from tests.unit.corpus.test_names import randoms

WITH_FORMS = Numbers(forms=[Texts("0:00", "0.00"), Texts("00.00", "00,00")])


@pytest.mark.parametrize(
    ("src", "tgt", "src_form", "tgt_form"),
    [
        ("It costs 12.50.", "Es kostet 12,50.", r"It costs (\d\d)\.(\d\d)\.", "Es kostet {0},{1}."),
        ("1,250,000 people", "1.250.000 Leute", r"([1-9]),(\d{3}),(\d{3}) people", "{0}.{1}.{2} Leute"),
        ("At 7:30.", "Um 7.30 Uhr.", r"At ([1-9]):([0-5]\d)\.", "Um {0}.{1} Uhr."),
        ("At 17:30.", "Um 17:30 Uhr.", r"At (1\d|2[0-3]):([0-5]\d)\.", "Um {0}:{1} Uhr."),
        ("250 of 300", "300, davon 250", r"(-?[1-9]\d*) of (-?[1-9]\d*)", "{1}, davon {0}"),
        ("25 people", "25명", r"(-?[1-9]\d*) people", "{0}명"),
        ("7 and 7", "7 und 7", r"(-?[2-9]|-?[1-9]\d+) and \1", "{0} und {0}"),
        ("0.25 l", "0,25 l", r"0\.(\d\d) l", "0,{0} l"),
    ],
)
def test_numbers_of_both_sides_are_other_ones_in_the_same_form(
    src: str, tgt: str, src_form: str, tgt_form: str
) -> None:
    found = [Numbers().changed(Texts(src, tgt), random) for random in randoms()]
    assert len(set(found)) > 5
    for texts in found:
        numbers = re.fullmatch(src_form, texts[0])
        assert numbers
        assert texts[1] == tgt_form.format(*numbers.groups())


@pytest.mark.parametrize("number", ["12.34", "7:30"])
def test_the_last_digit_is_the_one_before_more_often_than_by_chance(number: str) -> None:
    found = [Numbers().changed(Texts(number, number), random).src for random in randoms(400)]
    # 0.28 of all that are drawn so; 0.1 of evenly drawn ones, whose share is above 0.18 in one of 10^6 runs.
    assert sum(text[-1] == text[-2] for text in found) / len(found) > 0.18


def test_numbers_that_the_sides_do_not_share_stay() -> None:
    for pair in (
        ("1 cat", "1 Katze"),
        ("3 and 4", "3 und 5"),
        ("at 3 pm", "um 15 Uhr"),
        ("B12, 3rd", "B12, 3te"),
        ("5.5km", "5,5km"),
    ):
        assert {WITH_FORMS.changed(Texts(*pair), random) for random in randoms()} == {pair}


@given(src=st.text("0123456789.,: a"), tgt=st.text("0123456789.,: a"), seed=st.integers(0, 9))
def test_only_digits_and_signs_are_changed_in_as_many_numbers(src: str, tgt: str, seed: int) -> None:
    texts = Numbers().changed(Texts(src, tgt), np.random.default_rng(seed))
    for before, after in zip((src, tgt), texts, strict=True):
        assert re.sub("-?[0-9]+", "0", after) == re.sub("[0-9]+", "0", before)


def test_forms_are_those_of_several_pairs_with_separators_on_both_sides() -> None:
    pairs = [
        ("It costs 12.50.", "Es kostet 12,50."),
        ("At 9:15 or 10:15.", "Um 9.15 oder 10:15 Uhr."),
        ("He has 47.25 of 3,000.", "Er hat 47,25 von 3000."),
        ("At 7:45 of 8,000.", "Um 7.45 von 8000."),
        ("It is 3:30.", "Es ist halb vier."),
        ("25 cats", "25 Katzen"),
    ]
    times = [Texts("0:00", "0.00")]
    prices = [Texts(f"{n}.{m}", f"{n},{m}") for n in ("0", "00", "000") for m in ("0", "00")]
    assert Numbers.of(pairs).forms == sorted([*times, *prices, Texts("00,00", "00,00")])


def test_forms_of_thousands_have_other_lengths_before_their_first_separator() -> None:
    pairs = [("2,500 people", "2.500 Leute"), ("1,200 people", "1.200 Leute")]
    assert Numbers.of(pairs).forms == [Texts(f"{n},000", f"{n}.000") for n in ("0", "00", "000")]


def test_forms_of_other_shapes_are_as_they_are_and_seen_ones_go_before_made_up_ones() -> None:
    pairs = [("24.12.2026", "24/12"), ("3:1 to us", "3:1 für uns"), ("100,000 people", "1,00,000 लोग")] * 2
    assert Numbers.of(pairs).forms == [Texts("000,000", "0,00,000"), Texts("0:0", "0:0")]
    back = [("Um 7.30 Uhr.", "At 7:30."), ("2,50 Euro", "2.50 euros")] * 2
    assert {form.tgt for form in Numbers.of(back).forms if form.src == "0.00"} == {"0:00"}


def test_quantities_are_written_as_other_numbers_are() -> None:
    numbers = Numbers(forms=[*WITH_FORMS.forms, Texts("0:0", "0:0"), Texts("00.00.0000", "00.00.0000")])
    found = [numbers.quantity(random) for random in randoms(100)]
    assert any(re.fullmatch(r"\d\d\.\d\d kg", src) for src, _ in found)
    assert all(tgt == src.replace(".", ",") for src, tgt in found)
    assert not any(":" in src or src.count(".") > 1 for src, _ in found)


DATES = [
    ("Today is March 24.", "Heute ist der 24. März."),
    ("He died on March 3, 1962.", "Er starb am 3. März 1962."),
    ("She came on May 5.", "Sie kam am 5. Mai."),
    ("On May 21st, it rained.", "Am 21. Mai regnete es."),
    *[("Take Highway 58 now.", "Nimm jetzt 58 Straßen.")] * 2,
    *[(f"On {src} 3 to 6.", f"Vom 3. bis 6. {tgt}.") for src, tgt in (("April", "April"), ("July", "Juli"))] * 2,
    ("I saw June 7 times.", "Ich sah June 7 Mal."),
]


def test_months_are_words_on_the_other_side_of_a_day() -> None:
    months = [Texts("March", "März"), Texts("May", "Mai")]
    assert Numbers.of(DATES).months == months
    spans = [("March 3 to May 3", "3. März bis 3. Mai")] * 2
    assert Numbers.of([*DATES[:4], *DATES[:4], *spans]).months == months


@pytest.mark.parametrize(
    ("src", "tgt", "src_form", "tgt_form"),
    [
        (*DATES[0], r"Today is (?:(March|May) (\d+)|(\d+) (March|May))\.", "Heute ist der {day}. {month}."),
        (*DATES[1], r"He died on (?:(March|May) (\d+),|(\d+) (March|May)) 1962\.", "Er starb am {day}. {month} 1962."),
        (*DATES[3], r"On (?:(March|May) (21)st,|(21)st (March|May)) it rained\.", "Am {day}. {month} regnete es."),
    ],
)
def test_dates_are_other_ones_with_the_day_on_either_side(src: str, tgt: str, src_form: str, tgt_form: str) -> None:
    numbers = Numbers.of(DATES)
    found = {numbers.changed(Texts(src, tgt), random) for random in randoms()}
    orders = set()
    for texts in found:
        date = re.fullmatch(src_form, texts.src)
        assert date
        month, day = (date[1], date[2]) if date[1] else (date[4], date[3])
        assert 1 < int(day) < 32
        assert texts.tgt == tgt_form.format(day=day, month={"March": "März", "May": "Mai"}[month])
        orders.add((bool(date[1]), month))
    assert orders == set(product((True, False), ("March", "May")))


def test_a_number_without_separators_becomes_one_in_a_form_of_the_corpus() -> None:
    found = [WITH_FORMS.changed(Texts("7 or 23", "7 oder 23"), random) for random in randoms()]
    prices = [re.search(r"\b(\d\d)\.(\d\d)\b.*\|.*\b\1,\2(?!\d)", "|".join(texts)) for texts in found]
    times = [re.search(r"\b([1-9]):([0-5]\d)\b.*\|.*\b\1\.\2(?!\d)", "|".join(texts)) for texts in found]
    assert any(prices)
    assert any(times)
    for src, tgt in found:
        assert re.fullmatch(r"[-\d.,:]+ or [-\d.,:]+", src)
        assert re.fullmatch(r"[-\d.,]+ oder [-\d.,]+", tgt)


def test_some_numbers_become_negative() -> None:
    prices = Numbers(forms=WITH_FORMS.forms[1:])
    found = {prices.changed(Texts("7 or so", "7 oder so"), random) for random in randoms(400)}
    assert any(src.startswith("-") for src, _ in found)
    for src, tgt in found:
        assert tgt == f"{src.removesuffix(' or so').replace('.', ',')} oder so"
