"""The forms that a number has in translations."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.text.numbers import NUMBER, SEPARATED, find_numbers, number_forms, plain_number, separators

GERMAN = {"1,000": "1000|1.000", "1.5": "1,5", "1:5": "1.5|1:5"}
ENGLISH = {"1.000": "1,000", "1,5": "1.5"}


@pytest.mark.parametrize(
    ("number", "forms"),
    [
        ("12.50", ["12,50", "12.50"]),
        ("0.125", ["0,125", "0.125"]),
        ("1,000", ["1000", "1.000"]),
        ("25,000", ["25.000"]),  # of more than four digits none without
        ("25,000.50", ["25.000,50"]),
        ("1,250,000", ["1.250.000"]),
        ("1,299.50", ["1299,50", "1.299,50"]),
        ("2,000,000,000", ["2.000.000.000"]),
        ("7:30", ["7.30", "7:30"]),
        ("3:1", ["3.1", "3:1"]),  # a score
        ("12.50-15.00", ["12,50-15,00", "12.50-15.00"]),
        ("1,500/2,000", ["1500/2000", "1.500/2.000"]),
        ("9,500-10,000", ["9.500-10.000"]),
        ("1984", ["1984"]),
        ("3.5.2024", ["3.5.2024"]),  # a date
        ("3.141", ["3,141", "3.141"]),  # no thousands, which have a comma
        ("10–12", ["10–12", "10-12"]),
        ("٣", ["٣", "3"]),
        ("555-1234", ["555-1234"]),
        ("500-1,000", ["500-1000", "500-1.000"]),
        ("12,34,567", ["12,34,567"]),
        ("Kowalski", ["Kowalski"]),
    ],
)
def test_the_separators_of_a_number_become_those_of_translations(number: str, forms: list[str]) -> None:
    assert number_forms(number, GERMAN) == forms


@pytest.mark.parametrize("space", [" ", "\xa0", "\u2009", "\u202f"])
def test_a_space_may_part_thousands(space: str) -> None:
    forms = {"1 000": "1,000|1000", "1,5": "1.5"}
    assert number_forms(f"25{space}000,50", forms) == ["25,000.50"]
    assert number_forms(f"1{space}000", forms) == ["1,000", "1000", f"1{space}000"]  # perhaps of a telephone
    assert number_forms("1,000", {"1,000": "1 000"}) == ["1 000"]
    assert plain_number(f"1{space}000") == "1 000"


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1 000 or 25 000 000,50", ["1 000", "25 000 000,50"]),
        ("2010 200, 1 0000, 12 34", ["2010", "200", "1", "0000", "12", "34"]),
        ("030 123", ["030", "123"]),
        ("1 000 0001", ["1 000", "0001"]),
    ],
)
def test_numbers_have_spaces_where_a_form_has_one(text: str, numbers: list[str]) -> None:
    assert [match[0] for match in find_numbers(text, ["1 000"])] == numbers
    assert [match[0] for match in find_numbers("1 000", ["1,000"])] == ["1", "000"]


@pytest.mark.parametrize("number", ["192.168.100.200", "192.168.0.1", "31.12.2024", "2019-2020", "1.2.3", "0.000.000"])
def test_network_addresses_dates_and_versions_stay_as_they_are(number: str) -> None:
    assert separators(number) == []
    assert number_forms(number, ENGLISH) == [number]


def test_a_separator_before_three_digits_parts_decimals_where_the_other_one_parts_thousands() -> None:
    assert number_forms("1,250", ENGLISH) == ["1.250"]
    assert number_forms("1.250", ENGLISH) == ["1,250"]
    assert number_forms("1,250", {"1,5": "1.5"}) == ["1,250"]  # not known


def test_a_separator_of_thousands_stands_before_three_digits() -> None:
    assert separators("1,250,000.75") == ["1,000", "1,000", "1.5"]
    assert separators("1,2345") == ["1,5"]
    assert separators("1.250.000") == ["1.000", "1.000"]
    assert separators("1234.567") == ["1.5"]
    assert separators("1.250.000.000") == ["1.000"] * 3
    assert separators("8.045.311.447") == ["1.000"] * 3


def test_a_separator_may_stay_where_another_changes() -> None:
    assert number_forms("1,299.50", {"1,000": "1000", "1.5": "1.5"}) == ["1299.50"]


@given(st.from_regex(NUMBER, fullmatch=True) | st.from_regex(SEPARATED, fullmatch=True))
def test_all_forms_have_the_same_digits(number: str) -> None:
    digits = re.findall(r"\d", plain_number(number))
    for form in number_forms(number, GERMAN):
        assert re.findall(r"\d", plain_number(form)) == digits
    assert number_forms(number, {}) == list(dict.fromkeys([number, plain_number(number)]))
