"""Warnings of what a model translates badly: each once per command, in one line."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from seq2seq_cli.cli.terminal import warn
from seq2seq_cli.decoding.translation import SentenceTranslation, Translation
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.text.languages import name_of

_FEWEST_UNKNOWN = 3
"""Words that are unknown below which a text is not strange: a name has two."""
_PARTS, _PART_LENGTH = 3, 2
"""Parts of a word from which on, and characters per part up to which bpe has hardly met it. Of 4,000 English sentences,
such words are half in none with 4,000 subwords of English, in 14 with 1,000."""


@dataclass
class Warner:
    """Shows each kind of warning once, with the first text that has it."""

    _told: "set[tuple[str, _Check]]" = field(default_factory=set)

    def look(self, place: str, model: str, translator: Translator, translation: Translation) -> None:
        """Look at the translation of a text by `model`, the name of its run; both names are "" where they are plain."""
        for check in _CHECKS:
            if (model, check) not in self._told and (problem := check(translator, translation)):
                self._told.add((model, check))
                warn(": ".join(filter(None, (place, model, problem))))


_Check: TypeAlias = Callable[[Translator, Translation], str | None]
"""A sentence about what is wrong with a text or its translation; None where nothing is."""


def _length(translator: Translator, translation: Translation) -> str | None:
    longest = translator.src_codec.longest
    for sentence in translation.sentences:
        if longest and len(sentence.src_tokens) - 1 > longest and (length := len(sentence.reading.words)) > longest:
            return (
                f"a sentence of {length} {_kind(translator)} is longer than the longest training sentence"
                f" ({longest}): split it for a better translation"
            )
    return None


def _cut(translator: Translator, translation: Translation) -> str | None:
    if not translation.was_cut:
        return None
    longest, kind = translator.max_length, _kind(translator)
    return (
        f"a sentence of more than {longest} {kind} was translated in parts: shorter sentences have better translations"
    )


def _kind(translator: Translator) -> str:
    return "characters" if translator.src_codec.unit == "character" else "tokens"


def _unknown_words(translator: Translator, translation: Translation) -> str | None:
    codec = translator.src_codec
    if len(translation.unknown) < _FEWEST_UNKNOWN and not any(map(_is_cut_small, translation.sentences)):
        return None  # nearly always
    words = [
        word
        for sentence in translation.sentences
        for word in sentence.reading.words
        if any(map(str.isalnum, word.text)) and (not word.is_unknown or word.text in sentence.unknown)
    ]  # without addresses and the like, which come through unchanged
    cut = codec.unit == "bpe"
    unknown = sum(
        word.is_unknown or (cut and len(word.ids) >= _PARTS and len(word.text) <= _PART_LENGTH * len(word.ids))
        for word in words
    )
    if unknown < _FEWEST_UNKNOWN or 2 * unknown < len(words):
        return None
    kind, language = "characters" if codec.unit == "character" else "words", name_of(codec.config.language)
    return f"{unknown} of {len(words)} {kind} are not known to the model: is the text {language}?"


def _is_cut_small(sentence: SentenceTranslation) -> bool:
    """Whether half of its words may be cut so: the mean part is then short as well."""
    return len(sentence.reading.text) <= 2 * _PART_LENGTH * len(sentence.src_tokens)


_CHECKS: tuple[_Check, ...] = (_cut, _length, _unknown_words)
