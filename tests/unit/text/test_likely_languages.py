"""The language of a text is found among those that are asked for."""

import pytest

from seq2seq_cli.text.languages import likely_languages

pytest.importorskip("py3langid", reason="needs the extra serve")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("She kissed him yesterday.", "en"), ("Sie küsste ihn gestern.", "de"), ("Она его поцеловала.", "ru")],
)
def test_the_likeliest_comes_first_and_all_are_certain_together(text: str, expected: str) -> None:
    found = likely_languages(text, ["de", "en", "ru"])
    assert next(iter(found)) == expected
    assert sum(found.values()) == pytest.approx(1)
    assert [*found.values()] == sorted(found.values(), reverse=True)


def test_one_language_is_certain() -> None:
    assert likely_languages("Sie küsste ihn.", ["en"]) == {"en": 1.0}


@pytest.mark.parametrize(
    ("text", "expected"), [("She kissed him yesterday.", "en"), ("Ražbadinez idu barun, xexbin yołƛin.", "ddo")]
)
def test_a_language_that_the_detector_does_not_know_is_what_is_none_of_the_others(text: str, expected: str) -> None:
    assert next(iter(likely_languages(text, ["en", "ddo"]))) == expected


def test_a_text_without_letters_may_be_in_any_of_them() -> None:
    found = likely_languages("", ["de", "en"])
    assert found == {"de": pytest.approx(0.5), "en": pytest.approx(0.5)}
