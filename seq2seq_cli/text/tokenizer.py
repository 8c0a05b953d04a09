"""spaCy's blank tokenizers: rules only, no model to download.

Normalised text is a row of words with one space between, and each word is given to spaCy by itself. So the same word
has the same tokens everywhere and is cut once: in a corpus the same words come again and again. spaCy's rules look
at one word at a time anyhow, but for abbreviations of several words in a few languages (Russian "и др."), whose
words are cut one by one here.
"""

import functools
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from seq2seq_cli.errors import InputError

ANY_LANGUAGE = "xx"
"""spaCy's code for a tokenizer that cuts at spaces and punctuation, whatever the language."""

LONGEST_WORD = 1000
"""Characters; a longer word stays whole, because spaCy's time grows with the square of the length."""

_CHARACTERS = "take characters as tokens: --set text.unit=character"

_PACKAGES: Mapping[str, Mapping[str, str]] = {
    "ja": {"sudachipy": "sudachipy", "sudachidict_core": "sudachidict_core"},
    "ko": {"natto-py": "natto"},
    "th": {"pythainlp": "pythainlp"},
    "vi": {"pyvi": "pyvi"},
}
"""Languages whose tokenizer needs more than spaCy: the packages to install, and the module of each."""


class Tokenizer:
    """Cuts words of one language; the pieces together are the word."""

    def __init__(self, language: str) -> None:
        """Build spaCy's tokenizer for an ISO code such as ``en``; a language that spaCy lacks is cut as ``xx``.

        Raises InputError when the tokenizer needs a package that is not installed.
        """
        self.language = language
        self._known = has_tokenizer(language)
        self._cut = _spacy_tokenizer(language if self._known else ANY_LANGUAGE)

    def split_word(self, word: str) -> tuple[str, ...]:
        """The pieces of a text without white space: itself when spaCy leaves it whole."""
        if len(word) > LONGEST_WORD:
            return (word,)
        pieces = tuple(token.text for token in self._cut(word))
        if not self._known:
            pieces = tuple(part for piece in pieces for part in _cut_full_stop(piece))
        # spaCy's own rules keep every character; other packages may change or leave out some.
        return pieces if "".join(pieces) == word else (word,)


@functools.cache
def get_tokenizer(language: str) -> Tokenizer:
    """The process's one tokenizer of a language: building it takes 0.1 to 2 seconds."""
    return Tokenizer(language)


def has_tokenizer(language: str) -> bool:
    """Whether spaCy knows the language (its tokenizer may need another package); answers without importing spaCy."""
    spacy = importlib.util.find_spec("spacy")
    return spacy is not None and spacy.origin is not None and (Path(spacy.origin).parent / "lang" / language).is_dir()


def _cut_full_stop(piece: str) -> tuple[str, ...]:
    """Cut the full stop off a word in a script that spaCy does not know (Georgian), but not off J. or e.g."""
    if len(piece) < 2 or piece.find(".") < len(piece) - 1 or piece[-2].isupper():
        return (piece,)
    return piece[:-1], "."


def _spacy_tokenizer(language: str) -> Any:
    missing = [name for name, module in _PACKAGES.get(language, {}).items() if importlib.util.find_spec(module) is None]
    if missing:
        raise InputError(
            f"the tokenizer for '{language}' needs what is not installed: pip install {' '.join(missing)},"
            f" or {_CHARACTERS}"
        )
    with _torch_hidden():
        import spacy

        try:
            pipeline = spacy.blank(language)
            # What spaCy finds out about each new word beside its pieces takes a third of its time.
            pipeline.vocab.lex_attr_getters = {}  # type: ignore[attr-defined]  # it lies in a .pyx
            tokenizer = pipeline.tokenizer
            tokenizer("a")  # the Korean one looks for its program at the first word
        except Exception as error:  # whatever a language's own package raises when it is there but broken
            problem = " ".join(str(error).split())
            raise InputError(f"the tokenizer for '{language}' does not work: {problem}; or {_CHARACTERS}") from None
    return tokenizer


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
