import importlib.util
import subprocess
import sys

import pytest

from seq2seq_cli.errors import InputError
from seq2seq_cli.text.tokenizer import LONGEST_WORD, has_tokenizer, split_word


@pytest.mark.parametrize("language", ["en", "de", "fi", "ru", "tr", "el", "hi"])
def test_words_are_cut_as_spacy_cuts_the_sentence(language: str) -> None:
    import spacy

    text = "\"Hello,\" she said (at 5 p.m.): it's 3.50€ – isn't it? :-) http://a.org/b?c=d z.B. Ελλάδα, мир… नमस्ते। I'm"
    assert [piece for word in text.split() for piece in split_word(word, language)] == [
        t.text for t in spacy.blank(language)(text)
    ]


def test_an_overlong_word_is_not_cut() -> None:
    word = "(" * (LONGEST_WORD + 1)
    assert split_word(word, "en") == (word,)


def test_a_language_that_spacy_does_not_know_is_cut_at_punctuation() -> None:
    assert has_tokenizer("de")
    assert not has_tokenizer("eo")
    assert split_word("«Saluton!»", "eo") == ("«", "Saluton", "!", "»")
    assert split_word("მოვა.»", "ka") == ("მოვა", ".", "»")
    assert split_word("მოვა", "ka") == ("მოვა",)
    assert [split_word(word, "eo") for word in ("J.", "...")] == [("J.",), ("...",)]


@pytest.mark.parametrize(
    ("language", "packages"),
    [("ja", "sudachipy sudachidict_core"), ("ko", "natto-py"), ("th", "pythainlp"), ("vi", "pyvi")],
)
def test_a_tokenizer_without_its_package_names_the_package(language: str, packages: str) -> None:
    if importlib.util.find_spec({"ja": "sudachipy", "ko": "natto"}.get(language, packages)):
        pytest.skip("the package is there")
    advice = f"pip install {packages}, or take characters as tokens: --set text.unit=character"
    for _ in range(2):
        with pytest.raises(InputError, match=advice):
            split_word("a", language)


def test_tokenizing_does_not_load_torch_and_torch_works_afterwards() -> None:
    program = """
import sys
from seq2seq_cli.text.tokenizer import split_word
assert split_word("Hallo!", "de") == ("Hallo", "!")
assert "torch" not in sys.modules
import torch
assert torch.nn.Linear(2, 1)(torch.zeros(1, 2)).shape == (1, 1)
import spacy, thinc.api
assert len(spacy.blank("en")("It works.")) == 3
assert split_word("Still.", "en")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
