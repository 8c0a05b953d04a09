import subprocess
import sys

import pytest

from seq2seq_cli.errors import InputError
from seq2seq_cli.text.tokenizer import LONGEST_WORD, Token, Tokenizer, get_tokenizer, has_tokenizer


def test_tokens_know_the_space_before_them() -> None:
    assert get_tokenizer("en").split(" Don't  go.") == [
        Token("Do", spaced=True),
        Token("n't", spaced=False),
        Token("go", spaced=True),
        Token(".", spaced=False),
    ]


@pytest.mark.parametrize("text", ["", " ", "\n", "\ufeff"])
def test_a_blank_text_has_no_tokens(text: str) -> None:
    assert get_tokenizer("de").split(text) == []


@pytest.mark.parametrize("language", ["en", "de", "fi", "ru", "tr", "el", "hi"])
def test_words_are_cut_as_spacy_cuts_the_sentence(language: str) -> None:
    import spacy

    text = "\"Hello,\" she said (at 5 p.m.): it's 3.50€ – isn't it? :-) http://a.org/b?c=d z.B. Ελλάδα, мир… नमस्ते। I'm"
    assert [token.text for token in get_tokenizer(language).split(text)] == [
        t.text for t in spacy.blank(language)(text)
    ]


def test_an_endless_word_stays_whole() -> None:
    word = "(" * (LONGEST_WORD + 1)
    assert get_tokenizer("en").split(f"a {word}") == [Token("a", spaced=True), Token(word, spaced=True)]


def test_a_language_that_spacy_does_not_know_is_named() -> None:
    assert has_tokenizer("de")
    assert not has_tokenizer("qq")
    with pytest.raises(InputError, match="no tokenizer for the language 'qq'"):
        Tokenizer("qq")


def test_tokenizing_does_not_load_torch_and_torch_works_afterwards() -> None:
    program = """
import sys
from seq2seq_cli.text.tokenizer import get_tokenizer
assert [token.text for token in get_tokenizer("de").split("Hallo!")] == ["Hallo", "!"]
assert "torch" not in sys.modules
import torch
assert torch.nn.Linear(2, 1)(torch.zeros(1, 2)).shape == (1, 1)
import spacy, thinc.api
assert len(spacy.blank("en")("It works.")) == 3
assert get_tokenizer("en").split("Still.")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
