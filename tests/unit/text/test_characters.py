import pytest

from seq2seq_cli.text.characters import SPACING, normalise, script_of_letter


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("She kissed him.", "She kissed him."),
        ("", ""),
        (" \t\r\n\N{NO-BREAK SPACE}", ""),
        ("  two \N{NO-BREAK SPACE} words\t", "two words"),
        ("Gru\N{COMBINING DIAERESIS}\N{LATIN SMALL LETTER SHARP S}e", "Grüße"),
        ("\ufeffHi.", "Hi."),
        ("a\N{LINE SEPARATOR}b\x85c\x1cd", "a b c d"),
        ("be\x07ll \x00 rings", "bell rings"),
        ("e\x00\N{COMBINING ACUTE ACCENT}", "é"),
        ("half \ud83d a pair", "half a pair"),
        ("wo\u00adman, wo\u200bman, woman\u200e", "woman, woman, woman"),
        ("\u202ba\u202c \u2067b\u2069 c\u061c \u202dd\u202e", "a b c d"),
        (f"a{SPACING}b", "a_b"),
        ("नमस्ते", "नमस्ते"),
        ("👩‍🚀", "👩‍🚀"),
    ],
)
def test_each_text_has_one_spelling(text: str, normal: str) -> None:
    assert normalise(text) == normal


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
