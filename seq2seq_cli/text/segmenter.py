"""From normalised text to the tokens that a codec counts; each distinct word is lower-cased, cut and marked once."""

import re
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from itertools import chain, pairwise
from operator import add
from typing import TYPE_CHECKING, Any, Self, TypeVar

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.text.characters import BEGINNING, SPACING, in_word, lower, split_like
from seq2seq_cli.text.tokenizer import LONGEST_WORD, RuleTokenizer, TokenizerRules

if TYPE_CHECKING:
    from seq2seq_cli.config.schema.text import SideConfig
    from seq2seq_cli.text.spacy_tokenizers import Program


K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_MOST_RESULTS = 1 << 17
"""Results of a method that are kept, so that memory does not grow with the corpus."""


def memoised(method: Callable[[Any, K], V]) -> "cached_property[Callable[[K], V]]":
    """A method of one argument whose last results each instance keeps."""
    return cached_property(lambda self: lru_cache(_MOST_RESULTS)(partial(method, self)))


@dataclass(frozen=True, kw_only=True)
class SideOptions:
    """One language, and how its text becomes tokens, by keys of the config's ``text.src`` and ``text.tgt``.

    Raises ValueError when a value is of the wrong type, or the language is still to be found (``auto``).
    """

    language: str
    lowercase: bool
    spacing: bool

    def __post_init__(self) -> None:
        if type(self.language) is not str or not re.fullmatch("[a-z]{2,3}", self.language):
            raise ValueError(f"not the code of a language: {self.language}")
        if type(self.lowercase) is not bool or type(self.spacing) is not bool:
            raise ValueError("lowercase and spacing are true or false")

    @classmethod
    def of(cls, config: "SideConfig | SideOptions") -> Self:
        """The options with the values of a config."""
        return cls(**{key: getattr(config, key) for key in cls.__dataclass_fields__})


@dataclass(frozen=True)
class Segmenter:
    """Cuts normalised text of one language into tokens, lower-cased and with the space before them as configured.

    With ``word`` and ``bpe`` words are cut by the rules of the language, or by spaCy's program. With ``character`` a
    token is one character of the (lower-cased) text, a space being the token SPACING; without ``config.spacing``
    spaces beside a character that is neither letter nor digit are left out, so that "him ." and "him." are the same.

    With ``bpe`` in its own case, the first token of a text is behind BEGINNING when it begins with a letter that has
    upper and lower case: ``codec.py`` gives She the ids of she.
    """

    config: SideOptions
    unit: Unit
    rules: TokenizerRules | None

    def tokens(self, text: str) -> list[str]:
        """The tokens of a normalised text; raises InputError when the language's tokenizer is missing."""
        if self.unit == "character":
            return list(self._characters_and_tokens(text)[1])
        return list(chain.from_iterable(map(self._tokens_of_word, self.begun(text).split())))

    def begun(self, text: str) -> str:
        """The text behind BEGINNING where its first word is."""
        return BEGINNING + text if self.has_usual_case and text[:1].lower() != text[:1].title() else text

    @property
    def has_usual_case(self) -> bool:
        """Whether texts are read in their usual case: with bpe, where letters keep their case."""
        return self.unit == "bpe" and not self.config.lowercase

    def tokens_and_surfaces(self, text: str) -> Iterator[tuple[str, str]]:
        """Each token of a begun text with its surface form: the piece of the text, without the space before it.

        A token that is a space is SPACING in both forms. Several tokens may be one character: see `split_like`.
        """
        if self.unit == "character":
            characters, tokens = self._characters_and_tokens(text)
            yield from zip(tokens, split_like(characters, tokens, self.config.language), strict=True)
            return
        for word in text.split():
            pieces = self._tokens_of_word(word)
            without_marks = [token.removeprefix(BEGINNING).removeprefix(SPACING) for token in pieces]
            surfaces = split_like(word.removeprefix(BEGINNING), without_marks, self.config.language)
            yield from zip(pieces, surfaces, strict=True)

    @cached_property
    def _tokenizer(self) -> "RuleTokenizer | Program":
        if self.rules is not None:
            return RuleTokenizer(self.rules)
        from seq2seq_cli.text.spacy_tokenizers import Program

        return Program(self.config.language)

    @memoised
    def _tokens_of_word(self, word: str) -> tuple[str, ...]:
        # Lower-cased first, so that case makes no difference at all: spaCy cuts "don't", but leaves "DON'T" whole.
        lowered = self._lower(word.removeprefix(BEGINNING))
        first, *others = self._tokenizer.split(lowered) if len(lowered) <= LONGEST_WORD else (lowered,)
        space = SPACING if self.config.spacing else ""
        return (f"{BEGINNING if word.startswith(BEGINNING) else ''}{space}{first}", *others)

    def _lower(self, text: str) -> str:
        return lower(text, self.config.language) if self.config.lowercase else text

    def _characters_and_tokens(self, text: str) -> tuple[str, str]:
        """The text with SPACING for each space that is a token and without the other spaces; its tokens, likewise."""
        words = text.split()
        # One by one, because where a word ends decides the lower case of a Greek sigma.
        lowered = list(map(self._lower, words))
        if self.config.spacing:
            return SPACING.join(words), SPACING.join(lowered)
        gaps = [SPACING if in_word(left[-1]) and in_word(right[0]) else "" for left, right in pairwise(words)]
        characters, tokens = ("".join(map(add, each, [*gaps, ""])) for each in (words, lowered))
        return characters, tokens


def get_segmenter(config: "SideConfig | SideOptions", unit: Unit, rules: TokenizerRules | None = None) -> Segmenter:
    """The one segmenter of this process for a side and its rules, by default the rules of the installed spaCy.

    Raises ValueError when the language is still to be found, InputError when spaCy is needed and missing.
    """
    options = SideOptions.of(config)
    if rules is None and unit != "character":
        from seq2seq_cli.text.spacy_tokenizers import read_rules

        rules = read_rules(options.language)
    return _segmenter(options, unit, rules)


_segmenter = cache(Segmenter)
