"""A verdict on a translator in plain sentences, for people who know its languages and no metrics.

BLEU tells what it is usable for, as in Google's table
(https://cloud.google.com/translate/docs/advanced/automl-evaluate), or chrF2 where that gives the better verdict:
BLEU underrates languages with many word forms or without spaces, chrF those with a word per character.
"""

from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

from seq2seq_cli.counts import counted
from seq2seq_cli.errors import PreparedFolderError
from seq2seq_cli.evaluation.evaluation_set import EvaluationSet
from seq2seq_cli.evaluation.losses import losses_of
from seq2seq_cli.evaluation.words import length_ratio, words_of
from seq2seq_cli.text.characters import is_punctuation

_USES = (
    "Usable for nothing yet: most translations do not say what the source says.",
    "Usable for finding out what a text is about: words and simple sentences are right, the sense is often wrong.",
    "Usable for reading the gist: the sense mostly comes across, with many mistakes.",
    "Usable for drafts that somebody corrects: most sentences can be understood, many have mistakes.",
    "Usable for drafts that need few corrections: most sentences are right; check names, numbers and rare words.",
)
_BLEU, _CHRF = (10, 20, 30, 40), (30, 43, 51, 60)
"""The lowest BLEU of each use after the first, and the chrF2 that runs of docs/results with such a BLEU have."""
_LOST = {
    "names": "{:,} of {:,} names",
    "numbers": "{:,} of {:,} numbers",
    "sentences": "a sentence in {:,} of {:,} texts of several sentences",
}
_RARE, _RARE_PER = 6, 50
"""References that have a word which is named: at most so many, or one in so many. That it misses "the" says little."""
_SHOWN, _OFTEN = 5, 5
"""Missed words that are named, and times that training has a word which new words would not help to learn."""
_FEW, _EASY = 100, 0.2
"""Test sentences below which a verdict is uncertain, and the share of short or repeated ones that makes it too good."""
_LONGEST = 30
"""Words of a sentence that is compared with the others."""


Verdict: TypeAlias = tuple[str, ...]
"""Sentences: what the translator is usable for; then what it leaves out, which words it misses, what would help, and
how far the test can be trusted."""


def verdict_of(
    texts: Mapping[str, str], tests: EvaluationSet, *, bleu: float, chrf: float, seen: Counter[str] | None
) -> Verdict:
    """The verdict on translations by source, with their BLEU and chrF2; `seen`: `count_words` of training."""
    missed, expected = _missed_words(texts, tests)
    named = _named(missed, expected, seen, most=max(_RARE, len(tests.references) // _RARE_PER))
    use = _USES[max(bisect(_BLEU, bleu), bisect(_CHRF, chrf))]
    return use, _left_out(texts, tests), *named, *_help(missed, seen), *_limits(tests)


def count_words(texts: Iterable[str], tests: EvaluationSet) -> Counter[str] | None:
    """The times that texts of a corpus have each word of the references; None where they cannot be read any more."""
    language = tests.languages[1]
    wanted = {word for _, reference in tests.pairs for word in _plain_words(reference, language)}
    with suppress(PreparedFolderError):
        return Counter(word for text in texts for word in _plain_words(text, language) if word in wanted)
    return None


def _missed_words(texts: Mapping[str, str], tests: EvaluationSet) -> tuple[Counter[str], Counter[str]]:
    """The sources whose translation lacks each word of its nearest reference, and those whose reference has it."""
    missed, expected = Counter[str](), Counter[str]()
    for source, references in tests.references.items():
        said, *several = (set(_plain_words(text, tests.languages[1])) for text in (texts[source], *references))
        nearest = max(several, key=lambda words: len(words & said) / max(1, len(words)))
        expected.update(nearest)
        missed.update(nearest - said)
    return missed, expected


def _left_out(texts: Mapping[str, str], tests: EvaluationSet) -> str:
    percent = round(100 * (length_ratio(texts, tests.pairs, tests.languages[1]) - 1))
    length = f"{abs(percent)} % {'longer' if percent > 0 else 'shorter'} than" if percent else "as long as"
    losses = losses_of(texts, tests.references, tests.languages)
    lost = [text.format(*losses[kind]) for kind, text in _LOST.items() if losses[kind].of]
    left_out = f"; left out: {', '.join(lost)}" if lost else ""
    return f"Its translations are {length} the expected ones{left_out}."


def _named(missed: Counter[str], expected: Counter[str], seen: Counter[str] | None, most: int) -> Iterator[str]:
    """The words in at most so many references that are missed twice or more, and at least every second time."""

    def with_counts(word: str) -> str:
        in_training = "" if seen is None else f", seen {counted(seen[word], 'time')} in training"
        return f"{word} (missed {missed[word]:,} of {counted(expected[word], 'time')}{in_training})"

    often = [word for word, times in missed.items() if times > 1 and 2 * times >= expected[word] <= most]
    if chosen := sorted(often, key=lambda word: (-missed[word], seen[word] if seen else 0, word))[:_SHOWN]:
        yield f"Words that it misses most: {', '.join(map(with_counts, chosen))}."


def _help(missed: Counter[str], seen: Counter[str] | None) -> Iterator[str]:
    """The advice on what would help most, by how often training has the missed words."""
    if seen is None or not missed:
        return
    new = sum(times for word, times in missed.items() if not seen[word]) / missed.total()
    known = sum(times for word, times in missed.items() if seen[word] >= _OFTEN) / missed.total()
    more = "longer training, or more sentences with these words"
    yield (
        f"What would help most: {more if known > new else 'pairs with new words, or a word list'}; training never had"
        f" {100 * new:.0f} % of the missed words, and had {100 * known:.0f} % {_OFTEN} times or more."
    )


def _limits(tests: EvaluationSet) -> Iterator[str]:
    """The reasons not to trust the test: it is too easy, or too small."""
    words = [tuple(_plain_words(source, tests.languages[0])) for source in tests.references]
    gaps = Counter(gap for each in words for gap in _gaps(each))
    easy = sum(len(each) <= 2 or any(gaps[gap] > 1 for gap in _gaps(each)) for each in words) / len(words)
    if easy >= _EASY:
        share = f"{100 * easy:.0f} % of the test sentences have one or two words, or differ from another in one word"
        yield f"The test flatters it: {share}."
    if len(words) < _FEW:
        yield f"{counted(len(words), 'test sentence')} cannot tell much: others may give another verdict."


def _gaps(words: Sequence[str]) -> list[tuple[Sequence[str], Sequence[str]]]:
    """A sentence without each of its words in turn; sentences that differ in one word share one of these."""
    return [(words[:i], words[i + 1 :]) for i in range(len(words) if len(words) <= _LONGEST else 0)]


def _plain_words(text: str, language: str) -> list[str]:
    """The words of a text in small letters, without the marks at their ends and without those that have no letter."""
    words = words_of(text.casefold(), language)
    bare = (word if word.isalnum() else word.strip("".join(filter(is_punctuation, word))) for word in words)
    return [word for word in bare if any(map(str.isalpha, word))]
