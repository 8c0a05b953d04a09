"""Warnings of what a model translates badly: each once per command, in one line."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from seq2seq_cli.cli.terminal.notices import warn
from seq2seq_cli.text.scripts import scripts_of

if TYPE_CHECKING:
    from seq2seq_cli.decoding.translation import Place, SentenceTranslation, Translation
    from seq2seq_cli.decoding.translator import Translator

_FEWEST_UNKNOWN = 3
"""Words that are unknown below which a text is not strange: a name has two."""
_PARTS, _PART_LENGTH = 3, 2
"""Parts of a word from which on, and characters per part up to which bpe has hardly met it. Of 4,000 English sentences,
such words are half in none with 4,000 subwords of English, in 14 with 1,000."""
_LOOP = 3
"""Times in a row that a phrase stands in a loop; a word alone stands there once more: very, very, very."""
_NGRAM = 3
"""The default of decoding.no_repeat_ngram_size; 2 forbids more."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


@dataclass
class Warner:
    """Collects the reasons to warn, and shows each kind once, with the first text that has it."""

    _found: "dict[tuple[str, _Check], _Found]" = field(default_factory=dict)
    _told: "set[tuple[str, _Check]]" = field(default_factory=set)

    def look(self, number: int, model: str, translator: "Translator", translation: "Translation") -> None:
        """Look at the translation of text `number` by `model`, the name of its run, or "" where there is only one."""
        for check in _CHECKS:
            if (model, check) not in self._told and (problem := check(translator, translation)):
                self._found.setdefault((model, check), _Found(number, problem)).texts += 1

    def tell(self, place: "Place | None") -> None:
        """Write a line to stderr for each new kind; `place` names a text, where that is not plain."""
        for (model, _), found in self._found.items():
            others = f" and {found.texts - 1:,} more" if found.texts > 1 else ""
            where = place(found.number) + others if place else ""
            message = ": ".join(filter(None, (where, model, found.problem)))
            warn(message)
        self._told.update(self._found)
        self._found.clear()


@dataclass
class _Found:
    number: int
    problem: str
    texts: int = 0


_Check: TypeAlias = Callable[["Translator", "Translation"], str | None]
"""A sentence about what is wrong with a text or its translation; None where nothing is."""


def _length(translator: "Translator", translation: "Translation") -> str | None:
    longest = translator.src_codec.longest
    for sentence in translation.sentences:
        if longest and len(sentence.src_tokens) - 1 > longest:
            length = len(sentence.reading.words)
            if length > longest:
                return (
                    f"a sentence of {length} {_kind(translator)} is longer than the longest training sentence"
                    f" ({longest}): split it for a better translation"
                )
    return None


def _cut(translator: "Translator", translation: "Translation") -> str | None:
    if not translation.was_cut:
        return None
    longest, kind = translator.max_length, _kind(translator)
    return (
        f"a sentence of more than {longest} {kind} was translated in parts: shorter sentences have better translations"
    )


def _kind(translator: "Translator") -> str:
    return "characters" if translator.src_codec.unit == "character" else "tokens"


def _unseen_script(translator: "Translator", translation: "Translation") -> str | None:
    used = scripts_of(translation.unknown)
    unseen = sorted(used - translator.src_codec.vocabulary.scripts) if used else []
    if not unseen:
        return None
    kinds = " and ".join(unseen)
    return f"the text has {kinds} letters, of which the model has seen none: is it {_language(translator)}?"


def _unknown_words(translator: "Translator", translation: "Translation") -> str | None:
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
    if unknown < _FEWEST_UNKNOWN or 2 * unknown < len(words) or _unseen_script(translator, translation):
        return None
    kind = "characters" if codec.unit == "character" else "words"
    return f"{unknown} of {len(words)} {kind} are not known to the model: is the text {_language(translator)}?"


def _is_cut_small(sentence: "SentenceTranslation") -> bool:
    """Whether half of its words may be cut so: the mean part is then short as well."""
    return len(sentence.reading.text) <= 2 * _PART_LENGTH * len(sentence.src_tokens)


def _loop(translator: "Translator", translation: "Translation") -> str | None:
    for sentence in translation.sentences:
        times, phrase = _most_repeated(_WORD.findall(sentence.written))
        if times >= _LOOP + (len(phrase) == 1) and times > _most_repeated(_WORD.findall(sentence.reading.text))[0]:
            size = translator.options.no_repeat_ngram_size
            shorter = 2 if size == _NGRAM else _NGRAM
            helps = size == 0 or size >= _NGRAM
            cure = f": --set decoding.no_repeat_ngram_size={shorter} forbids that" if helps else ""
            return f"the translation has '{' '.join(phrase)}' {times} times in a row{cure}"
    return None


def _most_repeated(words: Sequence[str]) -> tuple[int, Sequence[str]]:
    """The largest number of times that a phrase stands in a row, and the phrase."""
    most: tuple[int, Sequence[str]] = 1, ()
    if len(words) - len(set(words)) < _LOOP - 1:
        return most
    for period in range(1, len(words) // _LOOP + 1):
        run = 0
        for end in range(period, len(words)):
            run = run + 1 if words[end] == words[end - period] else 0
            if run // period + 1 > most[0]:
                most = run // period + 1, words[end - period + 1 : end + 1]
    return most


def _language(translator: "Translator") -> str:
    from seq2seq_cli.text.languages.names import name_of

    return name_of(translator.src_codec.config.language)


_CHECKS: tuple[_Check, ...] = (_cut, _length, _unseen_script, _unknown_words, _loop)
