import importlib.util
import json
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import cache
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seq2seq_cli.errors import InputError
from seq2seq_cli.text.segmenter import SideOptions, get_segmenter
from seq2seq_cli.text.spacy_tokenizers import PROGRAMS, Program, has_tokenizer, read_rules
from seq2seq_cli.text.tokenizer import LONGEST_WORD, RuleTokenizer, TokenizerRules

LANGUAGES = ["en", "de", "es", "it", "nl", "pl", "ru", "uk", "tr", "hu", "el", "hi", "fa", "he", "sv", "fi", "ca"]

TEXT = (
    "\"Hello,\" she said (at 5 p.m.): it's 3.50€ – isn't it? :-) http://a.org/b?c=d z.B. Ελλάδα, мир… नमस्ते। I'm "
    "i.d. id. 'Tis ''s. U.S.A. (a.) l'amour, grand-mère! aujourd'hui… т.е. 20.01.2020-án XIV'te 1,000km² 10°C. 👍🏽🙂 "
    "me@x.org/y, 192.168.0.1:80 well-known/unknown x=y;z rock'n'roll don’t DON'T cannot... --a--b C++ ಠ_ಠ Straße.Haus"
)
PARTS = [*TEXT.split(), *"()[]{}<>.,;:!?'\"“”„’«»…-–—_/\\|*&#@%§°²+=~^$€0123456789"]


@cache
def tokenizer(language: str) -> RuleTokenizer:
    """Of the rules as a file gives them back."""
    rules = read_rules(language)
    assert rules is not None
    again = TokenizerRules.parse(json.loads(json.dumps(asdict(rules))))
    assert again == rules
    return RuleTokenizer(again)


@cache
def spacy_tokenizer(language: str) -> Any:
    import spacy

    return spacy.blank(language).tokenizer


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_are_cut_as_spacy_cuts_the_sentence(language: str) -> None:
    ours = tokenizer(language)
    assert [token for word in TEXT.split() for token in ours.split(word)] == [
        token.text for token in spacy_tokenizer(language)(TEXT)
    ]


@pytest.mark.parametrize("language", ["en", "de", "ru", "tr", "hu"])
def test_words_made_of_exceptions_and_marks_are_cut_as_spacy_cuts_them(language: str) -> None:
    ours, spacy, draw = tokenizer(language), spacy_tokenizer(language), random.Random(language)  # noqa: S311
    exceptions = [word for word in spacy.rules if word.split() == [word]]
    for _ in range(1500):
        word = "".join(draw.choice(draw.choice([exceptions, PARTS])) for _ in range(draw.randint(1, 5)))
        assert ours.split(word) == tuple(token.text for token in spacy(word)), word


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from(PARTS) | st.text(max_size=3), max_size=8)
    .map(lambda parts: "".join("".join(parts).split()))
    .filter(bool)
)
def test_any_word_is_cut_as_spacy_cuts_it(word: str) -> None:
    ours, spacy = tokenizer("en"), spacy_tokenizer("en")
    assert ours.split(word) == tuple(token.text for token in spacy(word))
    assert "".join(ours.split(word)) == word


def test_an_overlong_word_is_not_cut() -> None:
    options = SideOptions(language="en", lowercase=True, spacing=False)
    word = "(" * (LONGEST_WORD + 1)
    assert get_segmenter(options, "word").tokens(word) == [word]


def test_a_language_that_spacy_does_not_know_is_cut_at_punctuation() -> None:
    assert has_tokenizer("de")
    assert not has_tokenizer("eo")
    esperanto, georgian = tokenizer("eo"), tokenizer("ka")
    assert esperanto.split("«Saluton!»") == ("«", "Saluton", "!", "»")
    assert georgian.split("მოვა.»") == ("მოვა", ".", "»")
    assert georgian.split("მოვა") == ("მოვა",)
    assert [esperanto.split(word) for word in ("J.", "...")] == [("J.",), ("...",)]


@pytest.mark.parametrize(
    ("language", "needed"), [("af", "spacy"), ("eo", "spacy"), ("zh", "spacy"), ("th", "spacy pythainlp")]
)
def test_without_spacy_its_name_is_among_those_to_install(
    monkeypatch: pytest.MonkeyPatch, language: str, needed: str
) -> None:
    if language == "th" and importlib.util.find_spec("pythainlp"):
        pytest.skip("the package is there")
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(InputError, match=f"for '{language}' needs other packages: pip install {needed}, or"):
        Program(language) if language in PROGRAMS else read_rules.__wrapped__(language)


def test_chinese_is_cut_by_a_program_of_spacys() -> None:
    assert read_rules("zh") is None
    assert Program("zh").split("她吻了他。") == ("她", "吻", "了", "他", "。")


def test_a_program_cuts_for_one_thread_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    program, busy = Program("zh"), threading.Lock()

    def cut(word: str) -> list[SimpleNamespace]:
        assert busy.acquire(blocking=False), "in use, as Sudachi says"
        time.sleep(0.001)
        busy.release()
        return [SimpleNamespace(text=word)]

    monkeypatch.setattr(program, "_cut", cut)
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(program.split, ["她"] * 20)) == [("她",)] * 20


@pytest.mark.slow
def test_reading_rules_does_not_load_torch_and_torch_works_afterwards() -> None:
    program = """
import sys
from seq2seq_cli.text.spacy_tokenizers import Program, read_rules
assert read_rules("de").is_known
assert "torch" not in sys.modules
import torch
assert torch.nn.Linear(2, 1)(torch.zeros(1, 2)).shape == (1, 1)
import spacy, thinc.api
assert len(spacy.blank("en")("It works.")) == 3
assert Program("zh").split("他")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
