"""The words that the model can know, so that other ones with a capital are names that stay as they are."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from seq2seq_cli.config.schema.text import TextConfig
from seq2seq_cli.preparation.conventions import FEWEST, is_usual, word_forms
from seq2seq_cli.preparation.training_text import TrainingText
from seq2seq_cli.text.casing import fold, lower
from seq2seq_cli.text.conventions import Conventions, inner_capitals

MOST_KNOWN = 50_000
"""Words that are known, and so no names that stay: the most frequent ones."""

_FEWEST_KNOWN = 2
"""Times that a word of the training split occurs, from which on its translation may have been learned."""

_RARE = 5
"""Most occurrences of a rare word in the training split. How rare words are translated shows how unknown ones are."""


def learn_known_words(training: TrainingText, config: TextConfig) -> tuple[str, ...]:
    """The ``known_words`` of Conventions."""
    if config.unit == "character" or config.src.lowercase or config.tgt.lowercase:
        return ()
    language = config.src.language
    if not keeps_names(training.sample, training.inner_tokens, language):
        return ()
    return _known_words(training, language)


def with_known_words(conventions: Conventions, training: TrainingText) -> Conventions:
    """The conventions, which know the words of these training pairs, too; unchanged where they know no words."""
    if not conventions.known_words:
        return conventions
    words = _known_words(training, conventions.language)
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


def _known_words(training: TrainingText, language: str) -> tuple[str, ...]:
    folds, names = Counter[str](), staying_words(training.sample, language)
    for form, count in word_forms(training.tokens).items():
        folds[fold(form, language)] += count
    known = (word for word in folds if folds[word] >= _FEWEST_KNOWN and word not in names)
    return tuple(sorted(known, key=lambda word: (-folds[word], word))[:MOST_KNOWN])
