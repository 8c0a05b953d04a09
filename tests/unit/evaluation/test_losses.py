"""What translations lack, counted by hand."""

import pytest

from seq2seq_cli.evaluation.losses import Lost, losses_of


def losses(source: str, text: str, *references: str) -> tuple[Lost, Lost, Lost]:
    """The numbers, names and sentences that a translation lacks."""
    found = losses_of({source: text}, {source: references}, ("en", "de"))
    return found["numbers"], found["names"], found["sentences"]


@pytest.mark.parametrize(
    ("source", "text", "references", "numbers", "names", "sentences"),
    [
        ("It costs 12.50.", "Es kostet 12,50.", ["Es kostet 12,50."], (0, 2), (0, 0), (0, 0)),
        ("It costs 12.50.", "Es kostet 12.", ["Es kostet 12,50."], (1, 2), (0, 0), (0, 0)),
        ("It is 5,500 miles.", "5500 Meilen.", ["Es sind 5.500 Meilen."], (0, 1), (0, 0), (0, 0)),
        ("It is 5,500 miles.", "Es sind 5 500 Meilen.", ["Es sind 5.500 Meilen."], (0, 1), (0, 0), (0, 0)),
        ("In 1990 200 came.", "1990 kamen 200.", ["1990 kamen 200."], (0, 2), (0, 0), (0, 0)),
        ("I said 2 and 2.", "Ich sagte 2.", ["Ich sagte 2 und 2."], (1, 2), (0, 0), (0, 0)),
        # A number or a name that no reference keeps need not be kept; that of any reference must be.
        ("Come at 2:30.", "Komm um halb drei.", ["Komm um halb drei!"], (0, 0), (0, 0), (0, 0)),
        ("Come at 2:30.", "Komm um 3.", ["Komm um halb drei!", "Komm um 2.30 Uhr!"], (2, 2), (0, 0), (0, 0)),
        ("Tom saw Mary.", "Tom sah Maria.", ["Tom sah Maria."], (0, 0), (0, 1), (0, 0)),
        ("Tom saw Mary.", "Er sah Mary.", ["Tom sah Mary."], (0, 0), (1, 2), (0, 0)),
        # An ending, or another case, is no loss; another word is one.
        ("Tom is here.", "Toms Hut.", ["Tom ist da."], (0, 0), (0, 1), (0, 0)),
        ("Tom is here.", "tom ist da.", ["Tom ist da."], (0, 0), (0, 1), (0, 0)),
        ("Tom is here.", "Tomaten sind da.", ["Tom ist da."], (0, 0), (1, 1), (0, 0)),
        # Two letters are no name, nor are small ones.
        ("In the hand.", "Auf der Hand.", ["In der Hand."], (0, 0), (0, 0), (0, 0)),
        ("Yes. It rains.", "Ja. Es regnet.", ["Ja."], (0, 0), (0, 0), (0, 1)),
        ("Yes. It rains.", "Ja.", ["Ja. Es regnet."], (0, 0), (0, 0), (1, 1)),
        ("Dr. Smith is here.", "Doktor.", ["Er ist da."], (0, 0), (0, 0), (0, 0)),
    ],
)
def test_numbers_names_and_sentences_that_are_lost_are_counted(
    source: str,
    text: str,
    references: list[str],
    numbers: tuple[int, int],
    names: tuple[int, int],
    sentences: tuple[int, int],
) -> None:
    assert losses(source, text, *references) == (numbers, names, sentences)


def test_the_losses_of_all_sources_are_added_up() -> None:
    texts = {"Tom has 2.": "Er hat.", "Mary has 3.": "Mary hat 3."}
    references = {"Tom has 2.": ["Tom hat 2."], "Mary has 3.": ["Mary hat 3."]}
    found = losses_of(texts, references, ("en", "de"))
    assert found == {"numbers": (1, 2), "names": (1, 2), "sentences": (0, 0)}
