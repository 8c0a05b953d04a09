"""spaCy's blank tokenizers, no model to download: their rules, and the few that are programs of their own."""

import functools
import importlib.util
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]  # the one parser of Python's expressions, without stubs
from typing import Any

from seq2seq_cli.errors import InputError
from seq2seq_cli.text.tokenizer import KINDS, TokenizerRules

ANY_LANGUAGE = "xx"
"""spaCy's code for a tokenizer of any language, which cuts at spaces and punctuation."""

PROGRAMS = {"ja": "sudachipy sudachidict_core", "ko": "natto-py", "th": "pythainlp", "vi": "pyvi", "zh": ""}
"""Languages whose tokenizer is a program, not rules, and the names to install of the packages that it needs."""

_ONE_AT_A_TIME = threading.Lock()
"""Held while a program cuts: Sudachi, for one, raises an error in a second thread."""
_CHARACTERS = "prepare with characters as tokens: --set text.unit=character"

_ATTRIBUTES = ("prefix_search", "suffix_search", "infix_finditer", "token_match", "url_match")
"""spaCy's names of the expressions, in the order of KINDS: each attribute is a method of a compiled one."""

_PARTS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[^\\\[]+", re.DOTALL)
"""The parts of an expression: an escaped character, a character class, or anything else."""


def has_tokenizer(language: str) -> bool:
    """Whether spaCy knows the language (its tokenizer may need another package), found without importing spaCy."""
    spacy = importlib.util.find_spec("spacy")
    return spacy is not None and spacy.origin is not None and (Path(spacy.origin).parent / "lang" / language).is_dir()


@functools.cache
def read_rules(language: str) -> TokenizerRules | None:
    """The rules of the installed spaCy for a language, an ISO code such as ``en``; None where it has a program.

    A language that spaCy does not know has the rules of ANY_LANGUAGE. Raises InputError when spaCy is missing.
    """
    if language in PROGRAMS:
        return None
    tokenizer = _load(language)
    from spacy.symbols import ORTH  # type: ignore[import-not-found]  # a .pyx, like the next
    from spacy.tokenizer import Tokenizer  # type: ignore[import-not-found]

    methods = {kind: getattr(tokenizer, name, None) for kind, name in zip(KINDS, _ATTRIBUTES, strict=True)}
    patterns = {kind: getattr(method, "__self__", None) for kind, method in methods.items() if method is not None}
    if type(tokenizer) is not Tokenizer or not all(isinstance(pattern, re.Pattern) for pattern in patterns.values()):
        return None
    classes: dict[str, int] = {}
    return TokenizerRules(
        is_known=has_tokenizer(language),
        # A word holds no space: exceptions with one do not occur.
        exceptions={
            word: " ".join(token[ORTH] for token in tokens)
            for word, tokens in tokenizer.rules.items()
            if word.split() == [word]
        },
        expressions={kind: _expression(pattern, classes) for kind, pattern in patterns.items()},
        classes=tuple(classes),
    )


class Program:
    """spaCy's tokenizer of a language that has no rules; raises InputError when a package is missing."""

    def __init__(self, language: str) -> None:
        self._cut = _load(language)

    def split(self, word: str) -> tuple[str, ...]:
        """The tokens of a text without white space; joined, they are the text again."""
        with _ONE_AT_A_TIME:
            tokens = tuple(token.text for token in self._cut(word))
        # A program may change characters or leave them out.
        return tokens if "".join(tokens) == word else (word,)


def _load(language: str) -> Any:
    """spaCy's tokenizer for a language, or for ANY_LANGUAGE; it takes 0.1 to 2 seconds to build."""
    packages = ["spacy", *PROGRAMS.get(language, "").split()]
    # The module of natto-py is natto; the others have the names of their packages.
    missing = [name for name in packages if importlib.util.find_spec(name.removesuffix("-py")) is None]
    if missing:
        raise InputError(
            f"the tokenizer for '{language}' needs other packages: pip install {' '.join(missing)}, or {_CHARACTERS}"
        )
    with _torch_hidden():
        import spacy

        try:
            pipeline = spacy.blank(language if has_tokenizer(language) else ANY_LANGUAGE)
            # Attributes of each new word that nobody reads take a third of spaCy's time.
            pipeline.vocab.lex_attr_getters = {}  # type: ignore[attr-defined]  # it lies in a .pyx
            tokenizer = pipeline.tokenizer
            tokenizer("a")  # the Korean one looks for its program at the first word, and raises
        except Exception as error:  # a broken package of the language may raise anything
            problem = " ".join(str(error).split())
            raise InputError(f"the tokenizer for '{language}' does not work: {problem}; or {_CHARACTERS}") from None
    return tokenizer


@contextmanager
def _torch_hidden() -> Iterator[None]:
    """Hide torch, which no tokenizer needs and takes a second to import: spaCy takes it to be missing from then on."""
    if "torch" in sys.modules:
        yield
        return
    sys.modules["torch"] = None  # type: ignore[assignment] # None is how Python blocks an import
    try:
        yield
    finally:
        del sys.modules["torch"]


def _expression(pattern: Any, classes: dict[str, int]) -> tuple[str | int, ...]:
    """The source of a compiled expression; its character classes outside Latin-1 are added to `classes`."""
    ignores_case = bool(pattern.flags & re.IGNORECASE)
    pieces: list[str | int] = [""]
    for part in _PARTS.findall(pattern.pattern):
        ranges = _ranges(part, ignores_case) if part.startswith("[") else ""
        if ranges:
            # A class whose members are all listed needs no ignoring of case, which takes time to compile.
            before, after = ("(?-i:", ")") if ignores_case else ("", "")
            pieces[-1] = f"{pieces[-1]}{before}"
            pieces += [classes.setdefault(ranges, len(classes)), after]
        else:
            pieces[-1] = f"{pieces[-1]}{part}"
    return tuple(piece for piece in pieces if piece != "")


@functools.cache
def _ranges(bracket: str, ignores_case: bool) -> str:
    """The ends of the ranges of a class, in order and apart; empty for one in Latin-1, negated or with categories."""
    [(kind, items)] = _parser.parse(bracket)
    if str(kind) != "IN" or not {str(each) for each, _ in items} <= {"LITERAL", "RANGE"}:
        return ""
    spans = [(value, value) if str(each) == "LITERAL" else value for each, value in items]
    if max(last for _, last in spans) < 256:
        return ""
    if ignores_case:
        spans += [(ord(other), ord(other)) for other in re.findall(bracket, _cased(), re.IGNORECASE)]
    joined: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return "".join(chr(first) + chr(last) for first, last in joined)


@functools.cache
def _cased() -> str:
    """All characters that have another case; the planes of Unicode behind the second have none."""
    every = "".join(map(chr, chain(range(0xD800), range(0xE000, 0x20000))))
    return "".join(character for character in every if not character.lower() == character == character.upper())
