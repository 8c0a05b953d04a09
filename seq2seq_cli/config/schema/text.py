"""The section ``text``: the two languages, and the way from text to ids."""

from collections.abc import Iterator
from typing import Annotated, Final, Literal

from pydantic import Field
from typing_extensions import override

from seq2seq_cli.config import choices
from seq2seq_cli.config.compatibility import Problem, text_problems
from seq2seq_cli.config.schema.section import PositiveInt, Section

AUTO: Final = "auto"
"""In place of a value that preparing finds, such as a language."""

Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]
LanguageToFind = Annotated[
    str,
    Field(
        pattern=r"^([a-z]{2,3}|auto)$",
        examples=["en", "de"],
        description="ISO code. auto: by the names of the columns, else of the file (fra.txt: en and fr), else en, de.",
    ),
]
Lowercase = Annotated[bool, Field(description="Lower-case the text.")]
Spacing = Annotated[
    bool, Field(description="Mark each token that follows a space, so that the text comes back exactly.")
]


class SideConfig(Section):
    """One language, and how its text becomes ids."""

    language: Language
    lowercase: Lowercase
    spacing: Spacing
    min_count: PositiveInt = 2
    """Words seen fewer times in training become <unk>. With bpe, merges seen fewer times are not
    learned."""
    max_size: PositiveInt | Literal["auto"] | None = AUTO
    """Largest vocabulary: this many of the most frequent units are kept; null: all. auto: 10000; with bpe 1000 to 8000,
    more for more text."""


class SourceConfig(SideConfig):
    """The source language, or ``auto``. By default, case and spacing are kept."""

    language: LanguageToFind = AUTO
    lowercase: Lowercase = False
    spacing: Spacing = True


class TargetConfig(SideConfig):
    """The target language, or ``auto``. By default, case and spacing are kept, so that the output is plain text."""

    language: LanguageToFind = AUTO
    lowercase: Lowercase = False
    spacing: Spacing = True


class TextConfig(Section):
    """The two languages, and the units that text is cut into."""

    unit: choices.Unit = "bpe"
    """word: spaCy's tokens. bpe: parts of them, learned from the training split. character: single characters."""
    shared_vocabulary: bool | Literal["auto"] = AUTO
    """One vocabulary for both sides, learned from both. auto: with bpe, unless min_count or max_size differ."""
    src: SourceConfig = SourceConfig()
    """The source language."""
    tgt: TargetConfig = TargetConfig()
    """The target language."""

    @property
    def shares_vocabulary(self) -> bool:
        """Whether both sides have one vocabulary."""
        if self.shared_vocabulary == AUTO:
            sizes = {(side.min_count, side.max_size) for side in (self.src, self.tgt)}
            return self.unit == "bpe" and len(sizes) == 1
        return bool(self.shared_vocabulary)

    @override
    def problems(self) -> Iterator[Problem]:
        return text_problems(self)
