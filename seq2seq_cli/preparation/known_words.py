"""The words that the model can know, so that other ones with a capital are names that stay as they are."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.config.schema.text import TextConfig
from seq2seq_cli.preparation.conventions import FEWEST, inner_tokens, is_usual, sample_pairs, word_forms
from seq2seq_cli.preparation.pair_store import PairStore
from seq2seq_cli.text.casing import fold, lower
from seq2seq_cli.text.conventions import Conventions, inner_capitals

MOST_KNOWN = 50_000
"""Words that are known, and so no names that stay: the most frequent ones."""

_FEWEST_KNOWN = 2
"""Times that a word of the training split occurs, from which on its translation may have been learned."""

_RARE = 5
"""Most times that a word of the training split occurs which tells what becomes of words that it has never."""


def learn_known_words(
    store: PairStore, split_of_pair: NDArray[np.int8], token_counts: NDArray[np.int64], config: TextConfig
) -> tuple[str, ...]:
    """The ``known_words`` of Conventions, from a training split that has each distinct token so many times."""
    if config.unit == "character" or config.src.lowercase or config.tgt.lowercase:
        return ()
    pairs, language = sample_pairs(store, split_of_pair), config.src.language
    if not keeps_names(pairs, inner_tokens(store, split_of_pair, token_counts), language):
        return ()
    return _known_words(store.counter("src", token_counts), pairs, language)


def with_known_words(
    conventions: Conventions, store: PairStore, split_of_pair: NDArray[np.int8], token_counts: NDArray[np.int64]
) -> Conventions:
    """The conventions, which know the words of these training pairs, too; unchanged where they know no words."""
    if not conventions.known_words:
        return conventions
    pairs = sample_pairs(store, split_of_pair)
    words = _known_words(store.counter("src", token_counts), pairs, conventions.language)
    return replace(conventions, known_words=tuple(dict.fromkeys([*conventions.known_words, *words])))


def keeps_names(pairs: Iterable[tuple[str, str]], tokens: Counter[str], language: str) -> bool:
    """Whether rare words with a capital inside sentences mostly stand in the translation; False where there are few.

    `tokens` counts those inside the sentences of the training split. What becomes of rare words becomes of new ones:
    Good 1953, "The population frequencies of species and the estimation of population parameters".
    """
    forms = word_forms(tokens)
    kept: list[bool] = []
    for sentence, translation in pairs:
        for start, end in inner_capitals(sentence, language):
            name = sentence[start:end]
            begins = sentence[:start].rstrip().endswith(".")  # a sentence, or follows an abbreviation
            if 0 < forms[name] <= _RARE and not forms[lower(name, language)] and not begins:
                kept.append(name in translation)
    return len(kept) >= FEWEST and 2 * sum(kept) > len(kept)


def staying_words(pairs: Iterable[tuple[str, str]], language: str) -> set[str]:
    """The ``fold`` of each word with a capital inside sentences that nearly always stands in the translation: Tom."""
    total, kept = Counter[str](), Counter[str]()
    for sentence, translation in pairs:
        for start, end in inner_capitals(sentence, language):
            name = sentence[start:end]
            total[name] += 1
            kept[name] += name in translation
    return {fold(name, language) for name in total if is_usual(kept[name], total[name])}


def _known_words(tokens: Counter[str], pairs: Iterable[tuple[str, str]], language: str) -> tuple[str, ...]:
    """The ``known_words`` of Conventions, from all tokens and a sample of the pairs."""
    folds, names = Counter[str](), staying_words(pairs, language)
    for form, count in word_forms(tokens).items():
        folds[fold(form, language)] += count
    known = (word for word in folds if folds[word] >= _FEWEST_KNOWN and word not in names)
    return tuple(sorted(known, key=lambda word: (-folds[word], word))[:MOST_KNOWN])
