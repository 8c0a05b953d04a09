"""spaCy's blank tokenizers: rules only, no model to download.

Each word between two spaces is given to spaCy by itself, so that it has the same tokens in every text and is cut
once. spaCy's own rules look at one word at a time too, except for abbreviations of several words in a few languages
(Russian "и др."), whose words are cut one by one here.
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
"""spaCy's code for a tokenizer of any language, which cuts at spaces and punctuation."""

LONGEST_WORD = 1000
"""Characters of the longest word that is cut: spaCy's time grows with the square of the length."""

_CHARACTERS = "take characters as tokens: --set text.unit=character"

_PACKAGES: Mapping[str, Mapping[str, str]] = {
    "ja": {"sudachipy": "sudachipy", "sudachidict_core": "sudachidict_core"},
    "ko": {"natto-py": "natto"},
    "th": {"pythainlp": "pythainlp"},
    "vi": {"pyvi": "pyvi"},
}
"""Languages whose tokenizer needs other packages: the name to install and the module of each package."""


def split_word(word: str, language: str) -> tuple[str, ...]:
    """The pieces of a text without white space; joined, they are the text again.

    They are cut by spaCy's rules for the language, an ISO code such as ``en``, or for ANY_LANGUAGE where there are
    none. Raises InputError when the language needs a package that is not installed.
    """
    is_known, cut = _tokenizer(language)
    if len(word) > LONGEST_WORD:
        return (word,)
    pieces = tuple(token.text for token in cut(word))
    if not is_known:
        pieces = tuple(part for piece in pieces for part in _cut_full_stop(piece))
    # spaCy's own rules keep every character; those of other packages may change some or leave them out.
    return pieces if "".join(pieces) == word else (word,)


def has_tokenizer(language: str) -> bool:
    """Whether spaCy knows the language (its tokenizer may need another package), found without importing spaCy."""
    spacy = importlib.util.find_spec("spacy")
    return spacy is not None and spacy.origin is not None and (Path(spacy.origin).parent / "lang" / language).is_dir()


def _cut_full_stop(piece: str) -> tuple[str, ...]:
    """Cut the full stop off a word in a script that spaCy does not know (Georgian), but not off J. or e.g."""
    if len(piece) < 2 or piece.find(".") < len(piece) - 1 or piece[-2].isupper():
        return (piece,)
    return piece[:-1], "."


@functools.cache
def _tokenizer(language: str) -> tuple[bool, Any]:
    """Whether spaCy knows a language, and the tokenizer to use, which takes 0.1 to 2 seconds to build."""
    missing = [name for name, module in _PACKAGES.get(language, {}).items() if importlib.util.find_spec(module) is None]
    if missing:
        raise InputError(
            f"the tokenizer for '{language}' needs other packages: pip install {' '.join(missing)}, or {_CHARACTERS}"
        )
    is_known = has_tokenizer(language)
    with _torch_hidden():
        import spacy

        try:
            pipeline = spacy.blank(language if is_known else ANY_LANGUAGE)
            # Attributes of each new word that nobody reads take a third of spaCy's time.
            pipeline.vocab.lex_attr_getters = {}  # type: ignore[attr-defined]  # it lies in a .pyx
            tokenizer = pipeline.tokenizer
            tokenizer("a")  # the Korean one looks for its program at the first word, and raises
        except Exception as error:  # a broken package of the language may raise anything
            problem = " ".join(str(error).split())
            raise InputError(f"the tokenizer for '{language}' does not work: {problem}; or {_CHARACTERS}") from None
    return is_known, tokenizer


@contextmanager
def _torch_hidden() -> Iterator[None]:
    """Inside, spaCy is imported without torch, which no tokenizer needs and which takes a second to import.

    spaCy then takes torch to be missing in this process; torch itself can still be imported afterwards.
    """
    if "torch" in sys.modules:
        yield
        return
    sys.modules["torch"] = None  # type: ignore[assignment] # None is how Python blocks an import
    try:
        yield
    finally:
        del sys.modules["torch"]
