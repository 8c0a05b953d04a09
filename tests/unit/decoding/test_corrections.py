"""A correction as the translator gives it, computed by hand for small vocabularies."""

from dataclasses import replace

import pytest

from seq2seq_cli.decoding.corrections import correction_line, read_correction
from seq2seq_cli.errors import InputError
from tests.unit.decoding.test_translator import codec, translator

SRC = replace(codec("She saw him. Her dog.", "bpe", keep=True), small_words=frozenset({"▁she", "▁her"}))
TGT = replace(codec("Sie sah ihn. Ihr Hund.", "bpe", "de", keep=True), small_words=frozenset({"▁sie", "▁ihr"}))
CASED = translator(SRC, TGT)


def answers(source: str, translation: str, *texts: str) -> list[str]:
    """The translations of texts once a source is corrected."""
    corrections = read_correction((SRC, TGT), source, translation, name="here")
    return [found.text for found in replace(CASED, corrections=corrections).translate(texts)]


@pytest.mark.parametrize(
    ("source", "translation"),
    [
        ("She saw him.", "Sie sah ihn."),
        ("she saw him.", "Sie sah ihn."),
        ("She saw him.", "sie sah ihn."),
        ("SHE SAW HIM.", "Sie sah ihn."),
        ("SHE SAW HIM.", "SIE SAH IHN."),
        ("Her dog.", "Sie sah Hund Hund sah ihn."),
    ],
)
def test_the_corrected_source_has_its_translation_to_the_letter(source: str, translation: str) -> None:
    assert answers(source, translation, source) == [translation]


def test_a_source_in_another_case_gives_it_to_the_translation() -> None:
    sources = ["She saw him.", "she saw him.", "SHE SAW HIM."]
    assert answers("She saw him.", "Ihr Hund.", *sources) == ["Ihr Hund.", "ihr Hund.", "IHR HUND."]


def test_kept_words_stand_where_the_translation_has_them() -> None:
    """The source has the addresses in another order; one that is there twice stands twice."""
    source, translation = "She saw https://a.org her https://b.org.", "Sie sah https://b.org ihn https://a.org."
    others = source.replace("a.org", "c.org"), translation.replace("a.org", "c.org")
    assert answers(source, translation, source, others[0]) == [translation, others[1]]
    assert answers("She saw 🐶 🐶.", "Hund 🐶 sah 🐶.", "She saw 🐶 🐶.") == ["Hund 🐶 sah 🐶."]


@pytest.mark.parametrize(
    ("language", "known", "right"), [("tr", "bu ışık .", "Işık."), ("el", "ο σοφος ειναι .", "Ο ΣΟΦΟΣ ΕΙΝΑΙ.")]
)
def test_a_model_without_case_takes_corrections_with_capitals(language: str, known: str, right: str) -> None:
    made = translator(codec("the light ."), codec(known, "word", language))
    assert correction_line(made, "The light.", right) == f"The light.\t{right}\n".encode()


def test_a_correction_in_a_case_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(InputError, match=r"would be written: Hund\."):
        correction_line(CASED, "Her dog.", "hund.")


def test_a_text_is_corrected_sentence_by_sentence() -> None:
    assert answers("She saw him. Her dog.", "Ihr Hund. Sie.", "Her dog.", "She saw him.") == ["Sie.", "Ihr Hund."]
