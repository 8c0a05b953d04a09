"""What is known about the translation of single texts: attention, probabilities, other translations, the search."""

import json
from collections.abc import Iterator, Sequence

from seq2seq_cli.decoding.translation import Translation
from seq2seq_cli.decoding.translation_data import n_best_data, sentence_data
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.pages.data import N_BEST, Details

_AT_ONCE = 64
"""Texts that are translated together."""


def details_of(
    translator: Translator, texts: Sequence[str], *, needed: int, most_characters: int
) -> Iterator[tuple[str, Details]]:
    """The details of texts in their order: of the first `needed` ones, and of others up to so many characters of JSON.

    The translations are those of the translator as it is; the n best ones are a search of their own, whose first
    may differ, because it goes on for longer.
    """
    characters = 0
    for start in range(0, len(texts), _AT_ONCE):
        chunk = texts[start : start + _AT_ONCE]
        best = translator.with_traces().translate(chunk)
        several = translator.with_n_best(N_BEST).translate(chunk)
        for number, (translation, ranked) in enumerate(zip(best, several, strict=True), start=start):
            details = _details(translation, ranked)
            characters += len(json.dumps(details, ensure_ascii=False))
            if number >= needed and characters > most_characters:
                return
            yield translation.source, details


def _details(translation: Translation, ranked: Translation) -> Details:
    return {"sentences": [sentence_data(sentence) for sentence in translation.sentences], "n_best": n_best_data(ranked)}
