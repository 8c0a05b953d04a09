"""Glossaries: which terms occur in a text, and which lines of a file are refused."""

from pathlib import Path

import pytest

from seq2seq_cli.decoding.demands import Glossary
from seq2seq_cli.errors import InputError
from seq2seq_cli.text.normalise import normalise


def read(path: Path, content: str) -> Glossary:
    file = path / "terms.tsv"
    file.write_bytes(content.encode())
    return Glossary.read(file)


def demanded(glossary: Glossary, text: str) -> dict[str, list[tuple[str, ...]]]:
    """The translations by the part of the text that they are for."""
    parts: dict[str, list[tuple[str, ...]]] = {}
    for (start, end), translations in glossary.demanded(normalise(text)):
        parts.setdefault(normalise(text)[start:end], []).append(translations)
    return parts


def test_lines_of_a_term_are_alternatives(tmp_path: Path) -> None:
    glossary = read(tmp_path, "\ufeffdog\tHund\r\n\r\nhouse\tHaus\ndog\tHunde\ndog\tHund\n")
    assert glossary == Glossary({"dog": ("Hund", "Hunde"), "house": ("Haus",)})


@pytest.mark.parametrize("line", ["dog", "dog\t", "\tHund", "dog\tHund\tHunde", "dog\t\x07 "])
def test_another_line_is_refused_by_its_number(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError, match=r"terms\.tsv:3: needs a term, a tab and its translation"):
        read(tmp_path, f"she\tsie\n\n{line}\n")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.tsv: no such file"):
        Glossary.read(tmp_path / "none.tsv")


@pytest.mark.parametrize(
    ("term", "text", "occurs"),
    [
        ("dog", "The dog!", True),
        ("dog", "DOG", True),
        ("dog", "a hot-dog's", True),
        ("dog", "dogs", False),
        ("dog", "underdog dogma", False),
        ("dog", "dogma and dog", True),
        ("hot dog", "A hot   dog.", True),
        ("US", "He told us.", False),
        ("US", "The US told him.", True),
        ("C++", "Is C++ old?", True),
        ("é", "e\u0301", True),
        ("क", "कि", False),
        ("犬", "犬が好き", True),
        ("istanbul", "İstanbul", False),
        ("driver's license", "My driver’s license", True),
        ("driver’s license", "My driver's license", True),
    ],
)
def test_a_term_occurs_as_whole_words(term: str, text: str, occurs: bool) -> None:
    assert bool(demanded(Glossary({term: ("x",)}), text)) == occurs


def test_the_longer_of_two_terms_counts() -> None:
    glossary = Glossary({"dog": ("Hund",), "hot dog": ("Hotdog",), "house": ("Haus", "Hause")})
    assert demanded(glossary, "house, hot dog") == {"house": [("Haus", "Hause")], "hot dog": [("Hotdog",)]}


def test_a_term_that_occurs_twice_is_demanded_twice() -> None:
    glossary = Glossary({"dog": ("Hund",), "hot dog": ("Hotdog",)})
    text = "A dog and a hot dog and a dog"
    assert demanded(glossary, text) == {"dog": [("Hund",)] * 2, "hot dog": [("Hotdog",)]}
