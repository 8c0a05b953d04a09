import pytest

from seq2seq_cli.text.letters import script_of_letter


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
