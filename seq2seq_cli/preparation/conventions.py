"""The conventions of writing of a corpus, from a sample of its training split.

Words are counted by their place in the sentence; after that, each distinct one is looked at once.
"""

import functools
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from seq2seq_cli.config.schema.text import TextConfig
from seq2seq_cli.preparation.training_text import TrainingText
from seq2seq_cli.text.casing import fold, lower
from seq2seq_cli.text.conventions import WORD, Conventions, sentence_cues
from seq2seq_cli.text.normalise import APOSTROPHES, count_spaceless, in_word

USUAL = 0.95
"""Fraction of the cases that makes a convention."""

FEWEST = 20
"""Cases below which there is no convention."""

MOST_WORDS = 20_000
"""Words whose usual form is kept: the most frequent ones."""

_FEWEST_CUES = 5
"""Sentences with the same first words, or the same last one, from which on these tell the final mark."""

_SURE_ENDING = 0.8
"""Fraction of the sentences with the same last word from which on their mark outweighs that of the first words."""

_FEWEST_FINAL = 0.002
"""Fraction of the sentences that end with a mark, from which on it is a final mark."""

_SEVERAL_WORDS = 8
"""Characters from which on a sentence has several words, in nearly all scripts that write spaces."""

_JOINED = re.compile(rf"([^\W\d_]*)([^\W\d_])([{APOSTROPHES}])([^\W\d_]+)")
"""A word with an apostrophe inside: what is before it, its last letter apart, and what is after it."""

_MOST_PIECES = 50


def learn_conventions(training: TrainingText, config: TextConfig) -> Conventions:
    """The conventions of the source side."""
    has_case = config.unit != "character" and not config.src.lowercase
    sentences = [sentence for sentence, _ in training.sample]
    return replace(
        conventions_of(
            sentences,
            config.src.language,
            training.inner_tokens if has_case else None,
            many=training.many_sources,
        ),
        longest=int(np.percentile(training.lengths, 99, method="higher")),
        max_length=int(training.lengths.max()),
    )


def conventions_of(
    sentences: Sequence[str], language: str, tokens: Counter[str] | None = None, *, many: Sequence[str] | None = None
) -> Conventions:
    """The conventions of normalised sentences, none of them blank.

    `tokens` counts those inside sentences, with their case, if they are known. `many` are more sentences, if there are
    more, for the words that tell a question from a statement.
    """
    rows = [sentence.split(" ") for sentence in sentences]
    cued = rows if many is None else [sentence.split(" ") for sentence in many]
    words = Counter(chain.from_iterable(rows))
    begins = Counter([row[0] for row in rows])
    capital_start = is_usual(*_capitals(begins))
    spaces = _has_spaces(sentences)
    final_marks = _final_marks(sentences)
    ended = sum(not in_word(sentence[-1]) for sentence in sentences)
    next_words = _next_words(sentences, final_marks)
    gaps = _Gaps(words)
    pieces = _Pieces(words, language)
    return Conventions(
        language=language,
        spaces=spaces,
        before=_marks(gaps.joined(0) - gaps.joined(1)),
        after=_marks(gaps.joined(1) - gaps.joined(0)),
        apart_before=_marks(gaps.apart(0)),
        apart_after=_marks(gaps.apart(1)),
        quotes=_marks(_quotes(words)),
        suffixes=pieces.suffixes(),
        prefixes=pieces.prefixes(),
        apostrophe=pieces.apostrophe(),
        final_marks=final_marks,
        final_mark=final_marks[:1] if is_usual(ended, len(sentences)) else "",
        openings=_openings(cued, final_marks, language),
        endings=_endings(cued, final_marks, language, spaces=spaces),
        lower_case=is_usual(sum(sentence != sentence.upper() for sentence in sentences), len(sentences)),
        capital_start=capital_start,
        capital_after="".join(_capital_after(final_marks, next_words)) if capital_start else "",
        cased_words=_cased_words(_inner_words(words, [begins, *next_words.values()], tokens), language),
    )


def _has_spaces(sentences: Iterable[str]) -> bool:
    """Whether words have spaces between them; without long sentences, this is assumed."""
    return not is_usual(*count_spaceless(sentences, least=_SEVERAL_WORDS))


def is_usual(cases: int, total: int) -> bool:
    """Whether so many cases of so many make a convention."""
    return total >= FEWEST and cases >= USUAL * total


def _marks(marks: Iterable[str]) -> str:
    return "".join(sorted(marks))


class _Gaps:
    """The gaps on both sides of each mark; those from a mark to the next one count only for the second."""

    def __init__(self, words: Counter[str]) -> None:
        self._gaps: tuple[Counter[tuple[str, bool]], ...] = (Counter(), Counter())
        for word, count in words.items():
            if not word.isalnum():
                self._add(f" {word} ", count)

    def _add(self, word: str, count: int) -> None:
        for before, mark, after in zip(word, word[1:], word[2:], strict=False):
            if _is_mark(mark):
                self._gaps[0][mark, before == " "] += count
                if after == " " or in_word(after):
                    self._gaps[1][mark, after == " "] += count

    def joined(self, side: int) -> set[str]:
        """The marks that nearly never have a space, or the end of the text, on a side: 0 before them, 1 after them."""
        return self._usual(side, space=False)

    def apart(self, side: int) -> set[str]:
        """The marks that nearly always have one."""
        return self._usual(side, space=True)

    def _usual(self, side: int, *, space: bool) -> set[str]:
        gaps = self._gaps[side]
        return {
            mark
            for mark, has in gaps
            if has == space and is_usual(gaps[mark, has], gaps[mark, True] + gaps[mark, False])
        }


@functools.cache
def _is_mark(character: str) -> bool:
    """Whether it is punctuation or a symbol, but for those that join words."""
    category = unicodedata.category(character)
    return category[0] in "PS" and category not in {"Pc", "Pd"} and character not in APOSTROPHES


def _quotes(words: Counter[str]) -> Iterator[str]:
    """The marks that begin words about as often as they end them, and hardly ever stand alone."""
    opening = Counter[str]()
    closing = Counter[str]()
    for word, count in words.items():
        if len(word) > 1:
            opening[word[0]] += count
            closing[word[-1]] += count
    for mark in filter(_is_mark, opening.keys() & closing.keys()):
        pairs = min(opening[mark], closing[mark])
        if 2 * pairs >= max(opening[mark], closing[mark]) and is_usual(pairs, pairs + words[mark]):
            yield mark


class _Pieces:
    """The parts of words on both sides of an apostrophe, in lower case, all with the same apostrophe."""

    def __init__(self, words: Counter[str], language: str) -> None:
        self._words = words
        self._apostrophes, self._suffixes, self._longer, self._prefixes = (Counter[str]() for _ in range(4))
        self._rests = Counter[str]()
        """The number of different words that each prefix begins."""
        for word, count in words.items():
            if set(APOSTROPHES).isdisjoint(word):
                continue
            for stem, letter, apostrophe, rest in _JOINED.findall(lower(word, language)):
                self._apostrophes[apostrophe] += count
                self._suffixes[f"'{rest}"] += count
                self._prefixes[f"{stem}{letter}'"] += count
                self._rests[f"{stem}{letter}'"] += 1
                if stem:
                    self._longer[f"{letter}'{rest}"] += count

    def suffixes(self) -> tuple[str, ...]:
        """With the letter before the apostrophe where it is always the same one: 's, 't, n't."""
        longer = {piece: n for piece, n in self._longer.items() if is_usual(n, self._suffixes[piece[1:]])}
        return self._never_alone(self._suffixes + Counter(longer))

    def prefixes(self) -> tuple[str, ...]:
        """The prefixes of many words: l', but not it'."""
        return self._never_alone({piece: n for piece, n in self._prefixes.items() if self._rests[piece] >= FEWEST})

    def apostrophe(self) -> str:
        """The usual apostrophe."""
        total = self._apostrophes.total()
        return "".join(mark for mark, count in self._apostrophes.items() if is_usual(count, total))

    def _never_alone(self, pieces: Mapping[str, int]) -> tuple[str, ...]:
        """The pieces that are hardly ever words of their own, the most frequent ones."""
        found = [piece for piece, count in pieces.items() if is_usual(count, count + self._words[piece])]
        return tuple(sorted(found, key=lambda piece: (-pieces[piece], piece))[:_MOST_PIECES])


def _final_marks(sentences: Sequence[str]) -> str:
    """The marks that end sentences, the most frequent first; quotation marks and brackets are none."""
    counts = Counter([sentence[-1] for sentence in sentences])
    fewest = max(FEWEST, _FEWEST_FINAL * len(sentences))
    ordered = sorted(counts, key=lambda mark: (-counts[mark], mark))
    return "".join(
        mark for mark in ordered if counts[mark] >= fewest and unicodedata.category(mark) == "Po" and mark not in "\"'"
    )


def _openings(rows: Sequence[Sequence[str]], final_marks: str, language: str) -> dict[str, str]:
    """The openings of Conventions."""
    short, long = _Cues(), _Cues()
    for (start, mark), count in Counter([(" ".join(row[:2]), row[-1][-1]) for row in rows]).items():
        if mark in final_marks and (words := start.rstrip(f"{final_marks} ")):
            cues = sentence_cues(words, language)
            short[cues.opening, mark] += count
            if cues.long_opening != cues.opening:
                long[cues.long_opening, mark] += count
    openings = {word: mark for word, mark in short.usual() if mark != final_marks[0]}
    known = {words: openings.get(words.partition(" ")[0], final_marks[0]) for words, _ in long.usual()}
    return openings | {words: mark for words, mark in long.usual() if mark != known[words]}


def _endings(rows: Sequence[Sequence[str]], final_marks: str, language: str, *, spaces: bool) -> dict[str, str]:
    """The endings of Conventions: from the sentences with another mark, and then those of the others that end alike."""
    ends = Counter([" ".join(row[-3:] if row[-1] in final_marks else row[-2:]) for row in rows])
    endings = _Cues()
    for end, count in ends.items():
        if end[-1] in final_marks[1:] and (words := end.rstrip(f"{final_marks} ")):
            cues = sentence_cues(words, language, spaces=spaces)
            for cue in {cues.ending, cues.long_ending}:
                endings[cue, end[-1]] += count
    frequent = {cue for (cue, _), count in endings.items() if count >= _SURE_ENDING * _FEWEST_CUES}
    for end, count in ends.items():
        if end[-1] in final_marks[:1]:
            words = lower(end[:-1].rstrip(), language)
            alike = (words, words.rpartition(" ")[2]) if spaces else (words[-2:], words[-1:])
            for cue in frequent.intersection(alike):
                endings[cue, end[-1]] += count
    return {words: mark for words, mark in endings.usual(_SURE_ENDING) if mark != final_marks[0]}


class _Cues(Counter[tuple[str, str]]):
    """Cues, each with a final mark, and the number of sentences that have both."""

    def usual(self, least: float = 0.5) -> Iterator[tuple[str, str]]:
        """Each cue of enough sentences with the mark that more than this fraction of them have."""
        totals = Counter[str]()
        for (cue, _), count in self.items():
            totals[cue] += count
        for (cue, mark), count in self.items():
            if totals[cue] >= _FEWEST_CUES and count > least * totals[cue]:
                yield cue, mark


def _next_words(sentences: Sequence[str], final_marks: str) -> Mapping[str, Counter[str]]:
    """For each final mark the words that follow it inside the text of a sentence, but not after U.S. or p.m."""
    words = defaultdict[str, Counter[str]](Counter)
    if final_marks:
        marked = re.compile(rf"(?<!\S)[^\s.]+([{re.escape(final_marks)}])(?= (\S+))")
        for mark, word in marked.findall("\n".join(sentences)):
            words[mark][word] += 1
    return words


def _capitals(words: Counter[str]) -> tuple[int, int]:
    """The number of words that begin with an upper-case letter, and of those that begin with any letter with case."""
    upper = sum(count for word, count in words.items() if word[0].isupper() or word[0].istitle())
    return upper, upper + sum(count for word, count in words.items() if word[0].islower())


def _capital_after(final_marks: str, next_words: Mapping[str, Counter[str]]) -> Iterator[str]:
    """The final marks that a capital follows, as far as is known."""
    for mark in final_marks:
        upper, total = _capitals(next_words[mark])
        if total < FEWEST or is_usual(upper, total):
            yield mark


def _inner_words(words: Counter[str], at_starts: Iterable[Counter[str]], tokens: Counter[str] | None) -> Counter[str]:
    """The words inside sentences by which case is learned; one after a quotation mark mostly begins a sentence.

    Of the words, tokens lack those that are cut otherwise than by WORD: don't.
    """
    if tokens is None:
        inner = Counter({word: count for word, count in words.items() if in_word(word[0])})
    else:
        inner = Counter({word: count for word, count in words.items() if not set(APOSTROPHES).isdisjoint(word)})
    for starts in at_starts:
        for word in inner.keys() & starts.keys():
            inner[word] -= starts[word]
    return inner if tokens is None else inner + tokens


def _cased_words(words: Counter[str], language: str) -> tuple[str, ...]:
    """The most frequent form of each word, where it is not its fold."""
    forms = word_forms(words)
    usual: dict[str, str] = {}
    for form, count in forms.items():
        key = form if form.isascii() and form.islower() else fold(form, language)
        best = usual.setdefault(key, form)
        if (count, form) > (forms[best], best):
            usual[key] = form
    cased = [form for key, form in usual.items() if form != key and forms[form] > 0]
    return tuple(sorted(cased, key=lambda form: (-forms[form], form))[:MOST_WORDS])


def word_forms(words: Counter[str]) -> Counter[str]:
    """The number of times that each word with a case of its own occurs."""
    forms = Counter[str]()
    for word, count in words.items():
        for form in WORD.findall(word):
            forms[form] += count
    return forms
