import re
from functools import cache
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.preparation.conventions import conventions_of
from seq2seq_cli.text.casing import upper
from seq2seq_cli.text.conventions import Conventions
from seq2seq_cli.text.normalise import normalise

LANGUAGES = ("en", "de", "fr", "tr", "zh")
TEMPLATES = {
    "en": ["Tom's {} ({}) isn't \"{}\", is it?", "{} and {} are I, Tom{}.", "Is it {}, {} {}?"],
    "de": ['„{}“ weiß: "{}" ist {}; ja!', "Ist {} {} {}?", "Der Fuß {} {} {} ist weiß."],
    "fr": ["L'{} qu'{} : « {} » !", "Est-ce l'{}, {} {} ?", "C'est l'{} {} {}."],
    "tr": ["İyi {} ile {} Irmak'ın {}.", "Mi {} {} {}?"],
    "zh": ["我{}，{}吗{}？", "你{}“{}”{}。"],
}
PIECES = [
    " ",
    ".",
    ",",
    "?!",
    "...",
    '"',
    "(",
    ")",
    "'",
    "’",
    "´",
    "n't",
    "'s",
    "l'",
    "«",
    "»",
    "-",
    "/",
    "@",
    ":)",
    "tom",
]
PIECES += ["I", "i", "İ", "ß", "WEISS", "U.S", "word", "ǆ", "吗", "，", "\ufdd0", "\\1"]
# Without letters whose capital is several characters, and accents apart from letters: with these, case changes more.
letters = st.characters(codec="utf-8", exclude_categories=["M"]).filter(lambda letter: len(letter.title()) == 1)
any_text = st.text(letters, max_size=40) | st.lists(st.sampled_from(PIECES), max_size=15).map("".join)


@cache
def learned(language: str) -> Conventions:
    words = ["a", "bc", "def", "ghi", "Klm", "no-p"]
    rows = [template.format(*words[i % 4 :]) for template in TEMPLATES[language] for i in range(40)]
    return conventions_of([normalise(row) for row in rows], language)


any_conventions = st.sampled_from(LANGUAGES).map(learned)


@given(any_conventions, any_text)
def test_a_text_is_normalised_and_a_second_time_changes_nothing(conventions: Conventions, text: str) -> None:
    written = conventions.apply(text)
    assert normalise(written) == written
    assert conventions.apply(written) == written


@given(any_conventions, any_text)
def test_only_spaces_case_the_apostrophe_and_the_end_are_changed(conventions: Conventions, text: str) -> None:
    def solid(text: str) -> str:
        return re.sub("[’´`′]", "'", upper(normalise(text), conventions.language).replace(" ", ""))

    before, after = solid(text), solid(conventions.apply(text))
    assert after.startswith(before)
    assert after[len(before) :] in {"", *conventions.final_marks}


@given(
    any_conventions, st.lists(st.sampled_from(["www.x.org", " a  b ", ".", "Tom"]) | any_text.filter(bool), max_size=5)
)
def test_protected_spans_stay_as_they_are(conventions: Conventions, parts: list[str]) -> None:
    text, spans = "", []
    for number, part in enumerate(parts):
        if number % 2:
            spans.append((len(text), len(text) + len(part)))
        text += part
    written, moved = conventions.apply_around(text, spans)
    assert [written[start:end] for start, end in moved] == [text[start:end] for start, end in spans]
    assert all(end <= start for (_, end), (start, _) in pairwise(moved))
