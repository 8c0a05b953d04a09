"""What a model translates badly, in words: text of another language, and sentences that are too long."""

import math
from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import TypeAlias

from seq2seq_cli.decoding.translation import Translation
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.text.codec import Codec, Reading, Word
from seq2seq_cli.text.languages import name_of

Check: TypeAlias = Callable[[Translator, Translation], str]
"""Says what a translation suffers from; empty for nothing."""
_FEWEST_UNKNOWN = 3
"""Words that are unknown below which a text is not strange: a name has two."""
_SPELLING = math.log(100)
"""Nats per character of an unknown word: each is one of some hundred."""
_MORE_LIKELY, _STRANGE = 10, 2.5
"""Nats by which a text in the language of the target is more likely there, and the multiple of the usual cost of a
character from which on a text is none. Of 4,851 held-out sentences in English, neither is said of any; of as many in
German, the first of 98 %; of 500 texts of six random words, one of them of all."""


def problems(
    translator: Translator, translation: Translation, *, told: Collection[Check] = ()
) -> list[tuple[Check, str]]:
    """The problems of a translation, each behind the check that found it; those that have `told` of it are left out."""
    checks = [check for check in (_cut, _length, _strange_words) if check not in told]
    return [(check, problem) for check in checks if (problem := check(translator, translation))]


def _cut(translator: Translator, translation: Translation) -> str:
    if not translation.was_cut:
        return ""
    longest = f"{translator.max_length} {_kind(translator)}"
    return f"a sentence of more than {longest} was translated in parts: shorter sentences have better translations"


def _length(translator: Translator, translation: Translation) -> str:
    longest = translator.src_codec.longest
    for sentence in translation.sentences:
        if longest and len(sentence.src_tokens) - 1 > longest and (length := len(sentence.reading.words)) > longest:
            longer = f"longer than the longest training sentence ({longest})"
            return f"a sentence of {length} {_kind(translator)} is {longer}: split it for a better translation"
    return ""


def _kind(translator: Translator) -> str:
    return "characters" if translator.src_codec.unit == "character" else "tokens"


def _strange_words(translator: Translator, translation: Translation) -> str:
    codec = translator.src_codec
    words = [word for sentence in translation.sentences for word in _worded(sentence.reading)]
    unknown = sum(word.is_unknown for word in words)
    language = partial(name_of, codec.config.language)  # looked up where there is a problem: 20 MB of names
    if unknown >= _FEWEST_UNKNOWN and 2 * unknown >= len(words):
        kind = "characters" if codec.unit == "character" else "words"
        return f"{unknown} of {len(words)} {kind} are not known to the model: is the text {language()}?"
    characters = sum(len(word.text) for word in words)
    if len(words) < _FEWEST_UNKNOWN or not codec.counts or _cost(codec, words) < codec.usual_cost * characters:
        return ""
    tgt = translator.tgt_codec
    # A tokenizer that is another program may be missing, and characters tell languages apart badly.
    is_comparable = tgt.counts and tgt.rules is not None and codec.unit != "character"
    if is_comparable and tgt.config.language != codec.config.language:
        read = _worded(tgt.read(" ".join(word.text for word in words)))
        if _cost(codec, words) - _cost(tgt, read) > _MORE_LIKELY:
            return f"the text looks like {name_of(tgt.config.language)}: is it {language()}?"
    if _cost(codec, words) > _STRANGE * codec.usual_cost * characters:
        return f"the text is unlike all that the model has learned from: is it {language()}?"
    return ""


def _worded(reading: Reading) -> list[Word]:
    """The words of a reading that are no marks or numbers, nor addresses and the like, which come through unchanged."""
    return [word for word in reading.words if not word.is_protected and any(map(str.isalpha, word.text))]


def _cost(codec: Codec, words: Sequence[Word]) -> float:
    """-log p of words by the frequencies of their units, in nats; an unknown word is spelled."""
    spelled = sum(len(word.text) for word in words if word.is_unknown)
    return sum(codec.costs[id_] for word in words for id_ in word.ids) + _SPELLING * spelled
