"""One language's way from text to ids and back: all that training, search and evaluation know of text."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.text import characters
from seq2seq_cli.text.bpe import Bpe, Merge
from seq2seq_cli.text.characters import BEGINNING, CONTINUING, FINAL_MARKS, HIDDEN, SPACING, Case, Span, normalise
from seq2seq_cli.text.segmenter import Segmenter, SideOptions, get_segmenter, memoised
from seq2seq_cli.text.tokenizer import TokenizerRules
from seq2seq_cli.text.usual_case import UsualCase
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD, SPECIAL_UNITS, UNK, Vocabulary

if TYPE_CHECKING:
    import numpy as np


class Word(NamedTuple):
    """A token of a text that was read."""

    text: str
    """The surface form: the token as it stands in the text, in its own case. A space between characters is SPACING."""
    ids: tuple[int, ...]
    """Several with bpe, else one."""
    parts: tuple[str, ...]
    """The surface form cut into one part per id; empty for an id that is only the space before the word."""
    is_protected: bool = False
    """Whether it is one of the spans that are read as unknown words."""

    @property
    def is_unknown(self) -> bool:
        """Whether the vocabulary lacks the word; its only id is then UNK."""
        return self.ids == (UNK,)


class Reading(NamedTuple):
    """A text as a codec reads it, cut once."""

    text: str
    """As it was given."""
    words: list[Word]
    """One per token."""
    ids: list[int]
    """The ids of all words, without bos and eos."""
    case: Case = "usual"
    """Its own case, in which its translation is written."""

    @property
    def parts(self) -> list[str]:
        """The surface forms of all words, cut into one part per id."""
        return [part for word in self.words for part in word.parts]


class Writing(NamedTuple):
    """Ids as a codec writes them."""

    text: str
    """The plain text, normalised."""
    units: list[str]
    """One per id but pad, bos and eos, without marks; empty for UNK without a copy; a space as a character: SPACING."""


@dataclass(frozen=True, kw_only=True)
class Codec:
    """Text to ids and back, for one side.

    A text is cut into tokens (see Segmenter). An id stands for a token where ``unit`` is word or character. With bpe
    a token has several ids: the first stands for a unit without CONTINUING and the others for units that begin with
    it, so that the ids alone say where a token begins. A token with a character that was not seen in training has one
    id, UNK.

    With bpe that keeps the case of letters, a text is read in its usual one, so that "She", "she" and "SHE" have the
    same ids: a first word that is one unit as it stands inside texts, and a text in capitals as any other.

    With ``spacing`` a unit carries the space before it, and the ids written in the `Case` that was read are the
    normalised text, with the codec's apostrophe, when nothing in it is unknown; without, the tokens are joined by
    single spaces.
    """

    config: SideOptions
    unit: Unit
    vocabulary: Vocabulary = field(repr=False)
    merges: tuple[Merge, ...] = field(default=(), repr=False)
    """The pairs of units that bpe joins, the most frequent pair of training first."""
    rules: TokenizerRules | None = field(default=None, repr=False)
    """The rules that cut words, as spaCy had them when the codec was fitted. None where spaCy's tokenizer is a program,
    which must then be installed, and where the unit is character."""
    longest: int = 0
    """Tokens of the Segmenter in the longest training sentence; 0: unknown."""
    apostrophe: str = ""
    """The one of INNER_MARKS that the training sentences mostly have inside words, for every INNER_APOSTROPHE of a text
    that is read; empty: a text keeps its own."""
    small_words: frozenset[str] = field(default=frozenset(), repr=False)
    """With bpe that keeps case, the units of words in small letters inside training sentences, if these mostly begin
    with capitals. A text is read in its usual case by them, and begins with a capital when written if there are any."""
    counts: tuple[int, ...] = field(default=(), repr=False)
    """How often each id occurs in the training sentences; empty: unknown."""

    def read(self, text: str, protected: Sequence[Span] = ()) -> Reading:
        """Cut a text into words with their ids; raises InputError when the language's tokenizer is missing.

        Each of the spans `protected`, which are in order and apart, is one unknown word, whatever it holds.
        """
        words, case = self._in_usual_case(self.spelt(characters.hide(text, protected)))
        if protected:
            hidden = iter([normalise(text[start:end]) for start, end in protected])
            words = [_protected(next(hidden)) if word.text == HIDDEN else word for word in words]
        return Reading(text, words, list(chain.from_iterable([word.ids for word in words])), case)

    def read_part(self, text: str, *, begins: bool = False) -> list[Word]:
        """The words of a part of a text, its beginning or another, which may be in capitals where the text is not."""
        text = self.spelt(text)
        return list(self._cut(self.segmenter.begun(text) if begins else text))

    def write(self, ids: Iterable[int], copies: Mapping[int, str] | None = None, case: Case = "usual") -> Writing:
        """The text of ids in a case, without pad, bos and eos; where position i is UNK, ``copies[i]``, or nothing."""
        units = list(self._marked_units(ids, copies or {}, case))
        text = normalise("".join(units).replace(CONTINUING, "").replace(SPACING, " "))
        if self.unit != "character":
            units = [unit.removeprefix(CONTINUING).removeprefix(SPACING) for unit in units]
        return Writing(text, units)

    def text(self, ids: Sequence[int]) -> str:
        """The text of ids of units alone, as `write` has it, in a tenth of its time."""
        units = "".join([self._marked_of_id[id_] for id_ in ids])
        text = units.replace(CONTINUING, "").replace(SPACING, " ").lstrip(" ")
        return characters.capitalise(text, self.config.language) if self.small_words else text

    def inside(self, text: str) -> str:
        """A text as it stands inside another one: its first word in its usual case, as `read` has it."""
        token = next(iter(self.segmenter.tokens(text.partition(" ")[0])), "")
        if not token.startswith(BEGINNING):  # a quotation mark or a number
            return text
        word = token.lstrip(BEGINNING + SPACING)
        return self._usual_case.of_first(word) + text[len(word) :]

    @memoised
    def token_ids(self, token: str) -> tuple[int, ...]:
        """The ids of one token of the Segmenter: several with bpe, else one."""
        if self.unit != "bpe":
            return (self.vocabulary.id(token),)
        if token.startswith(BEGINNING):
            return self.token_ids(self._usual_case.of_first(token.removeprefix(BEGINNING)))
        return self._bpe.ids(token)

    def resample(self, ids: Sequence[int], dropout: float, random: "np.random.Generator") -> list[int]:
        """The ids of the same text with other parts of words, by `Bpe.resample`; the same where the unit is not bpe."""
        return self._bpe.resample(ids, dropout, random) if self.unit == "bpe" else list(ids)

    def has_units_of(self, other: "Codec") -> bool:
        """Whether both give the same ids to a text, but for its apostrophes."""
        return replace(self, longest=other.longest, apostrophe=other.apostrophe, counts=other.counts) == other

    @cached_property
    def has_character_tokens(self) -> bool:
        """Whether tokens are characters: by the unit, or because most words of the vocabulary are, as in Chinese."""
        if self.unit != "word":
            return self.unit == "character"
        lengths = [len(unit.removeprefix(SPACING)) for unit in self.vocabulary.words]
        return 2 * lengths.count(1) > len(lengths)

    @cached_property
    def inner_ids(self) -> frozenset[int]:
        """The ids of units that lengthen the word before them: parts of tokens, letters without a space before them."""
        if self.unit != "character" and not self.config.spacing:
            return self.vocabulary.continuing
        return self.vocabulary.continuing | self.vocabulary.ids_where(lambda unit: characters.in_word(unit[0]))

    @cached_property
    def usual_cost(self) -> float:
        """The mean cost of a character of the training sentences; the codec must have counts."""
        units = [self.vocabulary.unit(id_).lstrip(SPACING + CONTINUING) for id_ in range(len(self.counts))]
        length = sum(count * len(unit) for count, unit in zip(self.counts, units, strict=True))
        return sum(count * cost for count, cost in zip(self.counts, self.costs, strict=True)) / length

    @cached_property
    def costs(self) -> list[float]:
        """-log p of each unit by its frequency, in nats; the codec must have counts."""
        total = sum(self.counts) + len(self.counts)
        return [math.log(total / (count + 1)) for count in self.counts]

    def spelt(self, text: str) -> str:
        """The text as the segmenter gets it: normalised, with the apostrophe of the training sentences."""
        text = normalise(text)
        return characters.INNER_APOSTROPHE.sub(self.apostrophe, text) if self.apostrophe else text

    def _in_usual_case(self, text: str) -> tuple[list[Word], Case]:
        """The words of a normalised text in its usual case, or as it is where more are known so, and its own case."""
        begun = self.segmenter.begun(text)
        words = list(self._cut(begun))
        if self.segmenter.has_usual_case and (found := self._usual_case.of_text(text)):
            usual, case = found
            others = _with_letters(list(self._cut(self.segmenter.begun(usual))), text)
            if sum(word.is_unknown for word in others) <= sum(word.is_unknown for word in words):
                return others, case
        is_small = self.small_words and begun != text and text == characters.small_first(text, self.config.language)
        return words, "small" if is_small else "usual"

    def _cut(self, text: str) -> Iterable[Word]:
        """The words of a normalised text in its own case, each HIDDEN a word of its own."""
        if self.unit == "character":
            return map(self._words, self.segmenter.tokens_and_surfaces(text))
        return chain.from_iterable(map(self._words_of, text.split()))

    @cached_property
    def segmenter(self) -> Segmenter:
        """Cuts texts into the tokens that the codec counts, by its own rules."""
        return get_segmenter(self.config, self.unit, self.rules)

    @cached_property
    def _bpe(self) -> Bpe:
        return Bpe(self.vocabulary, {merge: rank for rank, merge in enumerate(self.merges)})

    @cached_property
    def _usual_case(self) -> UsualCase:
        space = SPACING if self.config.spacing else ""
        return UsualCase(self.config.language, space, self.small_words, self.vocabulary)

    @cached_property
    def _marked_of_id(self) -> list[str]:
        """Each unit as it is written, beginning with SPACING where it has a space before it; empty for special ones."""
        separate = self.unit != "character" and not self.config.spacing
        words = self.vocabulary.words
        units = (SPACING + unit if separate and not unit.startswith(CONTINUING) else unit for unit in words)
        return [*[""] * len(SPECIAL_UNITS), *units]

    @memoised
    def _words_of(self, text: str) -> list[Word]:
        """The words of a text without white space, each HIDDEN a word of its own."""
        first, *others = text.split(HIDDEN)
        words = list(map(self._words, self.segmenter.tokens_and_surfaces(first)))
        for part in others:
            words.append(_protected(HIDDEN))
            for i, (token, surface) in enumerate(self.segmenter.tokens_and_surfaces(part)):
                words.append(self._words((token if i else token.removeprefix(SPACING), surface)))
        return words

    @memoised
    def _words(self, token_and_surface: tuple[str, str]) -> Word:
        token, surface = token_and_surface
        ids = self.token_ids(token)
        if len(ids) == 1:
            return Word(surface, ids, (surface,))
        units = [self.vocabulary.unit(id_).removeprefix(CONTINUING).removeprefix(SPACING) for id_ in ids]
        return Word(surface, ids, tuple(characters.split_like(surface, units, self.config.language)))

    def _marked_units(self, ids: Iterable[int], copies: Mapping[int, str], case: Case) -> Iterator[str]:
        """The unit of each id, beginning with SPACING where the text has a space before it."""
        is_upper = case == "capitals" and self.segmenter.has_usual_case
        is_title = case == "title" and self.segmenter.has_usual_case
        is_first = is_title or (case == "usual" and self.small_words != frozenset())
        for position, id_ in enumerate(ids):
            if id_ == UNK:
                copy = copies.get(position, "")
                is_final = self.config.spacing and FINAL_MARKS.issuperset(copy)
                yield SPACING + copy if self.unit != "character" and copy and not is_final else copy
                is_first = False
            elif id_ not in {PAD, BOS, EOS}:
                unit = self._marked_of_id[id_]
                is_first |= is_title and unit.startswith(SPACING)
                if is_first and (word := unit.lstrip(CONTINUING + SPACING)):
                    unit = unit.removesuffix(word) + characters.capitalise(word, self.config.language)
                    is_first = False
                yield characters.upper(unit, self.config.language) if is_upper else unit


def _with_letters(words: Sequence[Word], text: str) -> list[Word]:
    """The words with the surface forms that they have in a text of as many letters, in another case."""
    letters = iter(text.replace(" ", ""))
    all_parts = [tuple("".join(islice(letters, len(part))) for part in word.parts) for word in words]
    return [Word("".join(parts), word.ids, parts) for word, parts in zip(words, all_parts, strict=True)]


def _protected(text: str) -> Word:
    return Word(text, (UNK,), (text,), is_protected=True)
