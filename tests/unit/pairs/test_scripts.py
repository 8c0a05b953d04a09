"""A text in another script than that of its language is not cut by that language's rules in silence."""

from pathlib import Path

import pytest

from seq2seq_cli.pairs.scripts import script_of
from tests.commands import s2s_here

TEXTS = {
    "en": "She left early because she was tired.",
    "ja": "彼女は疲れていたので早く帰った。",
    "ru": "Она ушла рано, потому что устала.",
    "zh": "她很累，所以早早地离开了。",
}


def prepare(folder: Path, name: str, first: str, second: str, *options: str) -> tuple[int, str]:
    (folder / name).write_text(f"{TEXTS[first]}\t{TEXTS[second]}\n" * 3, encoding="utf-8")
    keys = ("text.unit=character", "data.max_ratio=99", "data.valid_sources=0", "data.test_sources=0")
    done = s2s_here(folder, "prepare", name, *(word for key in keys for word in ("--set", key)), *options)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("name", "first", "second", "said"),
    [
        (
            "pairs.txt",
            "en",
            "ja",
            "the second column is in Japanese script, not German (de): name the languages, such as",
        ),
        ("deu.txt", "en", "zh", "the second column is in Han script, not German (de): name the languages, such"),
        ("pairs.txt", "ja", "en", "such as --languages ja-de"),
        ("pairs.txt", "en", "ru", "such as --languages en-be (or bg, kk, "),
        ("jpn.txt", "ja", "en", "in the order of the columns, --languages ja-en"),
    ],
)
def test_languages_that_nobody_stated_must_fit_the_script(
    tmp_path: Path, name: str, first: str, second: str, said: str
) -> None:
    code, stderr = prepare(tmp_path, name, first, second)
    assert (code, stderr.count("\n")) == (2, 1)
    assert stderr.startswith(f"s2s: error: {name}: the ")
    assert said in stderr


def test_languages_that_the_user_states_are_taken_with_a_warning(tmp_path: Path) -> None:
    code, stderr = prepare(tmp_path, "pairs.txt", "en", "ja", "--languages", "en-de")
    assert (code, stderr.count("\n")) == (0, 1)
    assert stderr.startswith("s2s: warning: pairs.txt: the second column is in Japanese script, not German (de): name")
    assert prepare(tmp_path, "pairs.txt", "en", "ja", "--languages", "en-ja", "--overwrite") == (0, "")
    assert prepare(tmp_path, "jpn.txt", "en", "ja", "--swap", "--overwrite") == (0, "")


@pytest.mark.parametrize(
    ("text", "script"),
    [
        *((TEXTS[code] * 2, script) for code, script in {"en": "Latin", "ja": "Japanese", "ru": "Cyrillic"}.items()),
        (TEXTS["zh"], None),
        (TEXTS["zh"] * 2, "Han"),
        ("한국어 漢字 문장은 이렇게 길게 쓸 수 있습니다. 그렇지요?", "Hangul"),
        ("42 + 7 = 49!", None),
        ("Он said hello to her, и she сказала привет ему also.", "Latin"),
        ("", None),
    ],
)
def test_the_script_is_that_of_most_letters(text: str, script: str | None) -> None:
    assert script_of([text]) == script
