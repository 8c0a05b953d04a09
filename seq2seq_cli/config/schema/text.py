"""The sections that ``s2s prepare`` reads: ``data``, the sentence pairs, and ``text``, the way from text to ids."""

from collections.abc import Iterator
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field
from typing_extensions import override

from seq2seq_cli.config import choices
from seq2seq_cli.config.schema import NonNegativeInt, PositiveInt, Problem, Section, named

AUTO: Final = "auto"
"""In place of a value that preparing finds, such as a language."""


class DataConfig(Section):
    """The sentence pairs: which are used, and how many are held out."""

    limit: PositiveInt | None = None
    """Number of lines read, from the first on; null: all. Files of other options, such as --valid, are read whole."""
    encoding: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", examples=["utf-8", "latin-1"])] = "utf-8"
    """Encoding of the pair files, unless a byte order mark at the start of a file names another."""
    columns: Annotated[str, Field(examples=["en,de", "2,4"])] | None = None
    """The first and the second column of the pair files, by name or number; null: found by their names and content."""
    swap: bool = False
    """Translate from the second column into the first."""
    max_tokens: PositiveInt = 100
    """Most tokens per side, before BPE; pairs with a longer side are dropped and counted, except in given splits
    (--valid, --test). Of characters (text.unit character), five times as many are allowed."""
    max_ratio: Annotated[float, Field(gt=1.0)] = 9.0
    """Largest ratio of the word counts of both sides; pairs with a larger one are dropped and counted, except in
    given splits."""
    valid_sources: NonNegativeInt = 2000
    """Distinct sentences of the first column held out for validation, at most a tenth of all; none with --valid."""
    test_sources: NonNegativeInt = 2000
    """Distinct sentences of the first column held out for the test, at most a tenth of all; none with --test."""


class SideConfig(Section):
    """One language, and how its text becomes ids. By default, case and spacing are kept."""

    language: Annotated[str, Field(pattern=r"^([a-z]{2,3}|auto)$", examples=["en", "de"])] = AUTO
    """ISO code. auto: by the names of columns or files (fra.txt: en and fr), else by words of English and German."""
    lowercase: bool = False
    """Lower-case the text."""
    spacing: bool = True
    """Mark each token that follows a space, so that the text comes back exactly."""
    min_count: PositiveInt = 2
    """Words seen fewer times in training become <unk>. With bpe, merges seen fewer times are not
    learned."""
    max_size: PositiveInt | Literal["auto"] | None = AUTO
    """Largest vocabulary: this many of the most frequent units are kept; null: all. auto: 10000; with bpe 1000 to
    12000, more for more text."""


class TextConfig(Section):
    """The two languages, and the units that text is cut into."""

    prefix: ClassVar[str] = "text."

    unit: choices.Unit = "bpe"
    """word: spaCy's tokens. bpe: parts of them, learned from the training split. character: single characters."""
    shared_vocabulary: bool | Literal["auto"] = AUTO
    """One vocabulary for both sides, learned from both. auto: with bpe, unless min_count or max_size differ."""
    src: SideConfig = SideConfig()
    """The source language."""
    tgt: SideConfig = SideConfig()
    """The target language."""

    @property
    def languages(self) -> tuple[str, str]:
        """The languages of the source and of the target."""
        return self.src.language, self.tgt.language

    @property
    def shares_vocabulary(self) -> bool:
        """Whether both sides have one vocabulary."""
        if self.shared_vocabulary == AUTO:
            sizes = {(side.min_count, side.max_size) for side in (self.src, self.tgt)}
            return self.unit == "bpe" and len(sizes) == 1
        return bool(self.shared_vocabulary)

    @override
    def problems(self) -> Iterator[Problem]:
        """One vocabulary for both sides has one size and one smallest count."""
        for key in ("min_count", "max_size"):
            if self.shares_vocabulary and getattr(self.src, key) != getattr(self.tgt, key):
                ours, theirs = f"src.{key}", f"tgt.{key}"
                why = "text.shared_vocabulary makes one vocabulary for both"
                yield (ours, theirs), f"{named(self, ours)} and {named(self, theirs)} must be equal: {why}"
