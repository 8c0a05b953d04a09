"""Warnings of what a model translates badly: each once per command, in one line."""

from collections.abc import Callable
from typing import TypeAlias

from seq2seq_cli.cli.terminal import warn
from seq2seq_cli.decoding.translation import Translation
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.text.languages import name_of

Check: TypeAlias = Callable[[Translator, Translation], str]
"""Says what a translation suffers from; empty for nothing."""
_FEWEST_UNKNOWN = 3
"""Words that are unknown below which a text is not strange: a name has two."""
_PARTS, _PART_LENGTH = 3, 2
"""Parts of a word from which on, and characters per part up to which bpe has hardly met it. Of 4,000 English sentences,
such words are half in none with 4,000 subwords of English, in 14 with 1,000."""


def warn_once(told: set[Check], place: str, translator: Translator, translation: Translation) -> None:
    """Warn of the translation of a text, named `place` in messages, by the checks that have not `told` of one yet."""
    for check in (_cut, _length, _unknown_words):
        if check not in told and (problem := check(translator, translation)):
            told.add(check)
            warn(f"{place}: {problem}" if place else problem)


def _cut(translator: Translator, translation: Translation) -> str:
    if not translation.was_cut:
        return ""
    longest = f"{translator.max_length} {_kind(translator)}"
    return f"a sentence of more than {longest} was translated in parts: shorter sentences have better translations"


def _length(translator: Translator, translation: Translation) -> str:
    longest = translator.src_codec.longest
    for sentence in translation.sentences:
        if longest and len(sentence.src_tokens) - 1 > longest and (length := len(sentence.reading.words)) > longest:
            return (
                f"a sentence of {length} {_kind(translator)} is longer than the longest training sentence ({longest}):"
                " split it for a better translation"
            )
    return ""


def _kind(translator: Translator) -> str:
    return "characters" if translator.src_codec.unit == "character" else "tokens"


def _unknown_words(translator: Translator, translation: Translation) -> str:
    codec = translator.src_codec
    # Nearly always, few words are unknown, and the mean part of the words is too long for half of them to be cut small.
    is_cut_small = any(len(s.reading.text) <= 2 * _PART_LENGTH * len(s.src_tokens) for s in translation.sentences)
    if len(translation.unknown) < _FEWEST_UNKNOWN and not is_cut_small:
        return ""
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
        return ""
    kind, language = "characters" if codec.unit == "character" else "words", name_of(codec.config.language)
    return f"{unknown} of {len(words)} {kind} are not known to the model: is the text {language}?"
