"""New names: which words are taken for one, and which of them a translation has lost."""

from collections import Counter

import pytest

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.config.schema.text import SourceConfig
from seq2seq_cli.decoding.names import lost_names, staying_names
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.conventions import Conventions

CONVENTIONS = Conventions(
    language="en",
    suffixes=("'s", "n't"),
    cased_words=("Peter", "Don", "NATO"),
    known_words=("my", "name", "is", "dog", "the", "tom", "i", "dr", "american", "south"),
)
WORDS = ["▁my", "▁name", "▁is", "▁dog", "▁the", ".", ","]


def codec(unit: Unit = "word", conventions: Conventions = CONVENTIONS) -> Codec:
    fitted = Codec.fit(SourceConfig(language="en", min_count=1), unit, Counter(WORDS))
    return Codec(
        config=fitted.config, unit=unit, vocabulary=fitted.vocabulary, rules=fitted.rules, conventions=conventions
    )


def names(text: str, of: Codec) -> list[str]:
    return [text[start:end] for start, end in staying_names(text, of)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("My name is Anna Kowalski.", ["Anna", "Kowalski"]),
        ("My name is  Anna\tKowalski\u00a0Nowak", ["Anna", "Kowalski", "Nowak"]),
        ("He saw Kowalski's dog, Rex, and Jean-Luc O'Brien.", ["Kowalski", "Rex", "Jean-Luc", "O'Brien"]),
        ("I saw Dr. Kowalski and J. Müller.", ["Kowalski", "Müller"]),
        ("Kowalski is here. Sincerity matters, Zoë.", ["Zoë"]),  # first words have a capital anyway
        ("Anna Kowalski is here.", ["Anna", "Kowalski"]),  # but not before a name
        ("Sincerity, Kowalski.", ["Kowalski"]),
        ("Is she here? Jean-Luc  Nowak is.", ["Jean-Luc", "Nowak"]),
        ('"Peter\'s dog is." Peter and Don too.', ["Peter", "Peter", "Don"]),  # that has one in training
        ("Don't. DON'T. Don’t, Peter! PETER is NATO.", ["Peter"]),
        ("He said: \"Sincerity\" (Honesty) matters. 'Yes'", []),
        ("I saw Tom in the South, an African-American dog, my Dog.", []),  # known, or in part
        ("I saw Covid-19, Boeing747 and 3Com.", ["Covid"]),  # the others have digits, which come through as numbers
        ("I LOVE NATO and X.", []),
        ("Is Mrs Jones here? I saw Sgt. Pepper.", ["Jones", "Pepper"]),
        ("I saw Kowalski... then I saw Amartya Sen.", ["Kowalski", "Amartya", "Sen"]),
        ("She says I'll come, that I’ve come, and D'Angelo.", ["D'Angelo"]),
        ("ich sah 東京 und Łódź", ["Łódź"]),
        ("", []),
    ],
)
def test_a_new_name_has_a_capital_inside_a_sentence_and_is_not_known(text: str, found: list[str]) -> None:
    assert names(text, codec()) == found


def test_there_are_none_where_names_do_not_stay_as_they_are() -> None:
    assert names("My name is Kowalski.", codec(conventions=Conventions(language="en"))) == []


def test_a_name_with_an_ending_is_not_lost_but_one_inside_a_word_is() -> None:
    text = "Anna saw Kowalski's dog, and Nowak, Ng and Zoë."
    lost = lost_names(text, "Anna sah Kowalskis Hund und Kowak, Ngänger und AZoë.", codec())
    assert [text[start:end] for start, end in lost] == ["Nowak", "Ng", "Zoë"]
