"""One language's way from text to ids and back: all that training, search and evaluation know of text."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, pairwise, repeat
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.config.schema import SideConfig, TextConfig
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.files import read_json, write_json
from seq2seq_cli.text.bpe import Merge, Merges, characters, joined, learn_bpe
from seq2seq_cli.text.casing import cut_alike
from seq2seq_cli.text.memo import Memo
from seq2seq_cli.text.normalise import CONTINUING, SPACING, normalise
from seq2seq_cli.text.segmenter import Segmenter, get_segmenter
from seq2seq_cli.text.tokenizer import LONGEST_WORD
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD, SPECIAL_UNITS, UNK, Vocabulary

FORMAT = 2
"""Of the JSON file; raised when an older s2s could not read what is written. Format 1 knew words alone."""

NO_COPIES: Mapping[int, str] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True)
class Codec:
    """Text to ids and back, for one side.

    A text is cut into tokens (see Segmenter). An id stands for a token where ``unit`` is word or character; with bpe
    a token is a row of ids, the first of a unit without CONTINUING and the others of units that begin with it, so
    that the ids alone say where a token begins. A token of which some character was not seen in training is one id,
    UNK.

    With ``spacing`` a unit carries the space before it, and ``decode(encode(text))`` is the normalised text when
    nothing in it is unknown; without, decoded tokens are joined by single spaces.
    """

    config: SideConfig
    unit: Unit
    vocabulary: Vocabulary
    merges: tuple[Merge, ...] = ()
    """How bpe joins characters, the most frequent pair of training first."""

    @classmethod
    def fit(cls, config: SideConfig, unit: Unit, token_counts: Mapping[str, int]) -> Self:
        """Learn the vocabulary from how often each token of the Segmenter occurs in the training split.

        With bpe it holds every character that was seen, even when these alone are more than ``config.max_size``.
        """
        merges: tuple[Merge, ...] = ()
        if unit == "bpe":
            units, merges = learn_bpe(token_counts, min_count=config.min_count, max_size=config.max_size)
            vocabulary = Vocabulary(units)
        else:
            vocabulary = Vocabulary.fit(token_counts, min_count=config.min_count, max_size=config.max_size)
        return cls(config=SideConfig(**config.model_dump()), unit=unit, vocabulary=vocabulary, merges=merges)

    @classmethod
    def fit_pair(
        cls, text: TextConfig, src_counts: Mapping[str, int], tgt_counts: Mapping[str, int]
    ) -> tuple[Self, Self]:
        """Learn the codecs of both sides; with a shared vocabulary theirs are equal, learned from both."""
        if text.shared_vocabulary:
            src_counts = tgt_counts = Counter(src_counts) + Counter(tgt_counts)
        src = cls.fit(text.src, text.unit, src_counts)
        if not text.shared_vocabulary:
            return src, cls.fit(text.tgt, text.unit, tgt_counts)
        config = SideConfig(**text.tgt.model_dump())
        return src, cls(config=config, unit=text.unit, vocabulary=src.vocabulary, merges=src.merges)

    def encode(self, text: str) -> list[int]:
        """The ids of a text, without bos and eos; raises InputError when the language's tokenizer is missing."""
        return list(chain.from_iterable(map(self.token_ids, self._segmenter.tokens(normalise(text)))))

    def token_ids(self, token: str) -> tuple[int, ...]:
        """The ids of one token of the Segmenter: several with bpe, else one."""
        return self._ids_of_token[token]

    def words(self, text: str) -> list[str]:
        """What stands in a text for each of its tokens, in its own case; see Segmenter.words."""
        return self._segmenter.words(normalise(text))

    def tokens(self, text: str) -> list[str]:
        """What a person sees: what stands in a text for each id of ``encode``, in its own case.

        With bpe, that is a part of a word; the empty text where an id stands for nothing but the space before it.
        """
        if self.unit != "bpe":
            return self.words(text)
        tokens = self._segmenter.tokens(normalise(text))
        return [
            part for word, token in zip(self.words(text), tokens, strict=True) for part in self._cut_alike(word, token)
        ]

    def decode(self, ids: Iterable[int], copies: Mapping[int, str] = NO_COPIES) -> str:
        """The plain text of ids, normalised; pad, bos and eos are skipped.

        Where position i of ``ids`` is UNK, ``copies[i]`` is shown, or nothing when there is none.
        """
        shown = self._shown(ids, copies)
        if self.unit != "character" and not self.config.spacing:
            shown = (unit if unit.startswith(CONTINUING) else SPACING + unit for unit in shown)
        return normalise("".join(shown).replace(CONTINUING, "").replace(SPACING, " "))

    def units(self, ids: Iterable[int], copies: Mapping[int, str] = NO_COPIES) -> list[str]:
        """The decoded units one by one, without marks: one for each id that is not pad, bos or eos.

        An unknown word without a copy is an empty text; a space between characters is SPACING.
        """
        shown = self._shown(ids, copies)
        if self.unit == "character":
            return list(shown)
        return [unit.removeprefix(CONTINUING).removeprefix(SPACING) for unit in shown]

    def token_spans(self, ids: Sequence[int]) -> list[slice]:
        """Which ids make up one token, from the first id to the last; a special id stands by itself."""
        starts = [
            i for i, id_ in enumerate(ids) if i == 0 or id_ not in self._continuing or ids[i - 1] < len(SPECIAL_UNITS)
        ]
        return [slice(start, end) for start, end in pairwise([*starts, len(ids)])]

    def resample(self, ids: Sequence[int], dropout: float, random: np.random.Generator) -> list[int]:
        """The ids of the same text, its tokens in other parts: bpe without a ``dropout`` share of the merges.

        Where the unit is not bpe, the same ids.
        """
        if self.unit != "bpe":
            return list(ids)
        words = [self._words[tuple(ids[span])] for span in self.token_spans(ids)]
        kept = iter((random.random(sum(word.merges for word in words)) >= dropout).tolist())
        drawn: list[int] = []
        for word in words:
            path = list(islice(kept, word.merges))
            if all(path):
                drawn += word.ids
            else:  # the first merge that is dropped leads astray; from there on there is more to draw
                further = (random.random() >= dropout for _ in repeat(None))
                drawn += map(self.vocabulary.id, self._merges.parts(word.token, chain(path, further)))
        return drawn

    def save(self, path: Path) -> None:
        """Write one readable JSON file, whole or not at all."""
        content = {
            "format": FORMAT,
            "unit": self.unit,
            "config": self.config.model_dump(),
            "words": self.vocabulary.words,
            "merges": [" ".join(merge) for merge in self.merges],
        }
        write_json(path, content)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what ``save`` wrote; raises ModelFileError when it is missing, damaged, or made by a newer s2s."""
        content = read_json(path, newest=FORMAT, error=ModelFileError)
        try:
            file = _CodecFile.model_validate(content)
            return cls(
                config=SideConfig(**file.config.model_dump()),
                unit=file.unit,
                vocabulary=Vocabulary(file.words),
                merges=file.parsed_merges(),
            )
        except ValueError:
            raise ModelFileError(f"{path}: damaged: not a codec that s2s wrote: restore it, or train anew") from None

    @property
    def _segmenter(self) -> Segmenter:
        return get_segmenter(self.config, self.unit)

    @cached_property
    def _merges(self) -> Merges:
        return Merges(self.merges)

    @cached_property
    def _ids_of_token(self) -> Memo[str, tuple[int, ...]]:
        return Memo(self._find_ids)

    @cached_property
    def _words(self) -> "Memo[tuple[int, ...], _Word]":
        return Memo(self._find_word)

    @cached_property
    def _continuing(self) -> frozenset[int]:
        return frozenset(
            id_
            for id_, unit in enumerate(self.vocabulary.words, start=len(SPECIAL_UNITS))
            if unit.startswith(CONTINUING)
        )

    def _find_ids(self, token: str) -> tuple[int, ...]:
        if self.unit != "bpe":
            return (self.vocabulary.id(token),)
        if len(token) > LONGEST_WORD or any(self.vocabulary.id(part) == UNK for part in characters(token)):
            return (UNK,)
        return tuple(map(self.vocabulary.id, self._merges.parts(token)))

    def _find_word(self, ids: tuple[int, ...]) -> "_Word":
        if ids[0] < len(SPECIAL_UNITS):
            return _Word(token="", ids=ids, merges=0)
        token = "".join(self.vocabulary.unit(id_).removeprefix(CONTINUING) for id_ in ids)
        usual = self.token_ids(token)
        return _Word(token=token, ids=usual, merges=len(token) - len(usual))

    def _cut_alike(self, word: str, token: str) -> list[str]:
        """What of a raw word stands for each id of its token."""
        ids = self.token_ids(token)
        if len(ids) == 1:
            return [word]
        parts = [self.vocabulary.unit(id_).removeprefix(CONTINUING).removeprefix(SPACING) for id_ in ids]
        return cut_alike(word, parts, self.config.language)

    def _shown(self, ids: Iterable[int], copies: Mapping[int, str]) -> Iterator[str]:
        spaced = self.config.spacing and self.unit != "character"
        for position, id_ in enumerate(ids):
            if id_ == UNK:
                copy = copies.get(position, "")
                yield SPACING + copy if copy and spaced else copy
            elif id_ not in {PAD, BOS, EOS}:
                yield self.vocabulary.unit(id_)


@dataclass(frozen=True, kw_only=True)
class _Word:
    """A token as bpe cuts it when no merge is dropped: by so many merges into these ids."""

    token: str
    ids: tuple[int, ...]
    merges: int


class _SavedSideConfig(SideConfig):
    """A side of another version of s2s: its unknown keys are passed over."""

    model_config = ConfigDict(extra="ignore")


class _CodecFile(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    format: Annotated[int, Field(ge=1)]
    unit: Unit = "word"
    config: _SavedSideConfig
    words: list[str]
    merges: list[str] = []

    def parsed_merges(self) -> tuple[Merge, ...]:
        """Raises ValueError when a merge is not of two units that make a third."""
        units = set(self.words)
        merges: list[Merge] = []
        for line in self.merges:
            left, right = line.split(" ")
            if not units.issuperset((left, right, joined((left, right)))):
                raise ValueError(line)
            merges.append((left, right))
        return tuple(merges)
