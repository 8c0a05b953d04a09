import pytest

from seq2seq_cli.text.letters import script_of_letter, scripts_of


@pytest.mark.parametrize(
    ("letters", "script"),
    [
        ("aéßŁＡ", "Latin"),
        ("яЇ", "Cyrillic"),
        ("λΩ", "Greek"),
        ("שׁ", "Hebrew"),
        ("عی", "Arabic"),
        ("東㐀", "Han"),
        ("あアｱ", "Japanese"),
        ("한", "Hangul"),
        ("क", "Devanagari"),
        ("ก", "Thai"),
        ("አ", "Ethiopic"),
        ("µªº𝐀ℝʰー", None),
    ],
)
def test_a_letter_has_a_script(letters: str, script: str | None) -> None:
    assert {script_of_letter(letter) for letter in letters if letter.isalpha()} == {script}


def test_a_text_has_the_scripts_of_its_letters() -> None:
    assert scripts_of(["She saw 東京, µ 12.", "Я"]) == {"Latin", "Han", "Cyrillic"}
