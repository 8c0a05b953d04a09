"""spaCy's blank tokenizers: rules only, no model to download.

Normalised text is a row of words with one space between, and each word is given to spaCy by itself. So the same word
has the same tokens everywhere and is cut once: in a corpus the same words come again and again. spaCy's rules look
at one word at a time anyhow, but for abbreviations of several words in a few languages (Russian "и др."), whose
words are cut one by one here.
"""

import functools
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from seq2seq_cli.errors import InputError
from seq2seq_cli.text.normalise import normalise

LONGEST_WORD = 1000
"""Characters; a longer word stays whole, because spaCy's time grows with the square of the length."""


class Token(NamedTuple):
    """A piece of a text, and whether a space goes before it (one does before the first)."""

    text: str
    spaced: bool


class Tokenizer:
    """Cuts text of one language; pieces and spaces together are the normalised text."""

    def __init__(self, language: str) -> None:
        """Build spaCy's tokenizer for an ISO code such as ``en``; raises InputError where there is none."""
        self.language = language
        self._cut = _spacy_tokenizer(language)
        self.split_word = functools.lru_cache(maxsize=1 << 16)(self._split_word)

    def split(self, text: str) -> list[Token]:
        """Normalise and cut a text; an empty or blank one has no tokens."""
        return [
            Token(piece, spaced=first == 0)
            for word in normalise(text).split()
            for first, piece in enumerate(self.split_word(word))
        ]

    def _split_word(self, word: str) -> tuple[str, ...]:
        if len(word) > LONGEST_WORD:
            return (word,)
        return tuple(token.text for token in self._cut(word))


@functools.cache
def get_tokenizer(language: str) -> Tokenizer:
    """The process's one tokenizer of a language: building it takes 0.1 to 2 seconds."""
    return Tokenizer(language)


def cut_words(language: str, words: Sequence[str]) -> list[tuple[str, ...]]:
    """The pieces of each word: the task of a worker process."""
    tokenizer = get_tokenizer(language)
    return [tokenizer.split_word(word) for word in words]


def has_tokenizer(language: str) -> bool:
    """Whether spaCy knows the language (its tokenizer may need another package); answers without importing spaCy."""
    spacy = importlib.util.find_spec("spacy")
    return spacy is not None and spacy.origin is not None and (Path(spacy.origin).parent / "lang" / language).is_dir()


def _spacy_tokenizer(language: str) -> Any:
    if not has_tokenizer(language):
        raise InputError(f"spaCy has no tokenizer for the language '{language}': use an ISO code such as en, de or fr")
    with _torch_hidden():
        import spacy

        try:
            return spacy.blank(language).tokenizer
        except ImportError as error:
            needed = " ".join(str(error).split())
            raise InputError(f"spaCy's tokenizer for '{language}' needs another package: {needed}") from None


@contextmanager
def _torch_hidden() -> Iterator[None]:
    """Let spaCy be imported without torch, which a tokenizer never needs and which takes a second to load.

    spaCy remembers for good that torch is not there; torch itself can be imported afterwards as ever.
    """
    if "torch" in sys.modules:
        yield
        return
    sys.modules["torch"] = None  # type: ignore[assignment] # None is how Python blocks an import
    try:
        yield
    finally:
        del sys.modules["torch"]
