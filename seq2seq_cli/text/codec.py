"""One language's way from text to ids and back: all that training, search and evaluation know of text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field

from seq2seq_cli.config.schema import SideConfig
from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.files import read_json, write_json
from seq2seq_cli.text.normalise import SPACING
from seq2seq_cli.text.tokenizer import Tokenizer, get_tokenizer
from seq2seq_cli.text.vocabulary import BOS, EOS, PAD, UNK, Vocabulary

FORMAT = 1
"""Of the JSON file; raised when an older s2s could not read what is written."""

NO_COPIES: Mapping[int, str] = MappingProxyType({})


def word_units(pieces: Sequence[str], config: SideConfig) -> tuple[str, ...]:
    """The units of one white-space delimited word that the tokenizer cut into ``pieces``."""
    if config.lowercase:
        pieces = [piece.lower() for piece in pieces]
    if config.spacing:
        pieces = [SPACING + piece if first == 0 else piece for first, piece in enumerate(pieces)]
    return tuple(pieces)


@dataclass(frozen=True, kw_only=True)
class Codec:
    """Text to ids and back, for one side.

    With ``spacing`` a unit carries the space before it, and ``decode(encode(text))`` is the normalised text when all
    its units are known; without, decoded tokens are joined by single spaces.
    """

    config: SideConfig
    vocabulary: Vocabulary

    @classmethod
    def fit(cls, config: SideConfig, unit_counts: Mapping[str, int]) -> Self:
        """Learn the vocabulary from how often each unit occurs in the training split."""
        vocabulary = Vocabulary.fit(unit_counts, min_count=config.min_count, max_size=config.max_size)
        return cls(config=SideConfig(**config.model_dump()), vocabulary=vocabulary)

    def tokens(self, text: str) -> list[str]:
        """What a person sees: the normalised tokens in their own case, one for each id of ``encode``."""
        return [token.text for token in self._tokenizer.split(text)]

    def encode(self, text: str) -> list[int]:
        """The ids of a text, without bos and eos; raises InputError when the language's tokenizer is missing."""
        words: list[list[str]] = []
        for token in self._tokenizer.split(text):
            if token.spaced:
                words.append([])
            words[-1].append(token.text)
        return [self.vocabulary.id(unit) for word in words for unit in word_units(word, self.config)]

    def decode(self, ids: Iterable[int], copies: Mapping[int, str] = NO_COPIES) -> str:
        """The plain text of ids; pad, bos and eos are skipped.

        Where position i of ``ids`` is UNK, ``copies[i]`` is shown, or nothing when there is none.
        """
        if self.config.spacing:
            return "".join(self._shown(ids, copies)).replace(SPACING, " ").strip(" ")
        return " ".join(unit for unit in self._shown(ids, copies) if unit)

    def units(self, ids: Iterable[int], copies: Mapping[int, str] = NO_COPIES) -> list[str]:
        """The decoded tokens one by one, without spacing marks: one for each id that is not pad, bos or eos.

        An unknown word without a copy is an empty text.
        """
        return [unit.removeprefix(SPACING) for unit in self._shown(ids, copies)]

    def save(self, path: Path) -> None:
        """Write one readable JSON file, whole or not at all."""
        write_json(path, {"format": FORMAT, "config": self.config.model_dump(), "words": self.vocabulary.words})

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what ``save`` wrote; raises ModelFileError when it is missing, damaged, or made by a newer s2s."""
        content = read_json(path, newest=FORMAT, error=ModelFileError)
        try:
            file = _CodecFile.model_validate(content)
            return cls(config=SideConfig(**file.config.model_dump()), vocabulary=Vocabulary(file.words))
        except ValueError:
            raise ModelFileError(f"{path}: damaged: not a codec that s2s wrote: restore it, or train anew") from None

    @property
    def _tokenizer(self) -> Tokenizer:
        return get_tokenizer(self.config.language)

    def _shown(self, ids: Iterable[int], copies: Mapping[int, str]) -> Iterator[str]:
        for position, id_ in enumerate(ids):
            if id_ == UNK:
                copy = copies.get(position, "")
                yield SPACING + copy if copy and self.config.spacing else copy
            elif id_ not in {PAD, BOS, EOS}:
                yield self.vocabulary.unit(id_)


class _SavedSideConfig(SideConfig):
    """A side of another version of s2s: its unknown keys are passed over."""

    model_config = ConfigDict(extra="ignore")


class _CodecFile(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")

    format: Annotated[int, Field(ge=1)]
    config: _SavedSideConfig
    words: list[str]
