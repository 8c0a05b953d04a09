"""The sentences of the sample: how many of each pattern, no sentence twice, no word too rare to be learned."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, product
from typing import NamedTuple

from data.grammar import simple, subordinate
from data.grammar.alignment import Sentence, Word, pharaoh, written
from data.grammar.meaning import HE, PRONOUNS, SHE, THEY, WE, YOU, Clause, I
from data.grammar.sampler import PAST, PERFECT, PRESENT, Sampler, ambiguous
from data.grammar.simple import PEOPLE_VERBS
from data.grammar.verbs import VERBS
from data.grammar.words import Aspect, Person


class Pair(NamedTuple):
    """A sentence in both languages."""

    english: str
    german: str
    alignment: Sentence | str
    """Its words with what they stand for, or their links."""

    @property
    def links(self) -> str:
        """The links between its words; see `alignment.pharaoh`."""
        return self.alignment if isinstance(self.alignment, str) else pharaoh(self.alignment)


SEED = 2
LONGEST = 14  # English words
TIMES = {I: 9, YOU: 9, HE: 10, SHE: 10, WE: 1, THEY: 2}  # sentences in the present; the others share their forms
TIMES_PAST = 2
TOP_UP_DRAWS = 15_000
ENOUGH = 10  # times that a word should occur, if a rule makes it
TOO_FEW = 6  # times below which a word is given up
IDIOMS = (
    Pair("Hi.", "Hallo.", "0-0 1-1"),
    Pair("Yes.", "Ja.", "0-0 1-1"),
    Pair("No.", "Nein.", "0-0 1-1"),
    Pair("Help!", "Hilfe!", "0-0 1-1"),
    Pair("Thank you.", "Danke.", "0-0 1?0 2-1"),
    Pair("Of course.", "Natürlich.", "0?0 1?0 2-1"),
    Pair("Goodbye.", "Auf Wiedersehen.", "0?0 0?1 1-2"),
    Pair("Good morning.", "Guten Morgen.", "0-0 1-1 2-2"),
    Pair("Good night.", "Gute Nacht.", "0-0 1-1 2-2"),
    Pair("How are you?", "Wie geht es dir?", "0-0 1?1 1?2 2-3 3-4"),
    Pair("I am fine.", "Mir geht es gut.", "0-0 1?1 1?2 2-3 3-4"),
    Pair("What is your name?", "Wie heißt du?", "0-0 1?1 2?2 3?1 4-3"),
    Pair("What time is it?", "Wie spät ist es?", "0?0 0?1 1?0 1?1 2-2 3-3 4-4"),
    Pair("See you tomorrow.", "Bis morgen.", "0?0 1?0 2-1 3-2"),
    Pair("Please help me.", "Bitte hilf mir.", "0-0 1-1 2-2 3-3"),
    Pair("Come in!", "Komm herein!", "0-0 1-1 2-2"),
)
"""Sentences that no rule makes."""

PATTERNS: tuple[tuple[Callable[[Sampler], Sentence], int], ...] = (
    (simple.statement, 1000),
    (simple.yes_no, 700),
    (simple.predicate, 550),
    (simple.weather, 40),
    (simple.what, 160),
    (simple.who, 330),
    (simple.where, 180),
    (simple.when_question, 180),
    (simple.why, 230),
    (subordinate.that, 600),
    (subordinate.whether, 400),
    (subordinate.because, 600),
    (subordinate.although, 250),
    (subordinate.if_, 400),
    (subordinate.when, 450),
)
"""Each pattern with the number of sentences that it contributes."""


def pronoun_sentences() -> Iterator[Sentence]:
    """She kissed him, she has kissed him: every pronoun with every verb that takes people."""
    for tense, verb, subject, other in product((PAST, PERFECT), PEOPLE_VERBS, PRONOUNS, PRONOUNS):
        clause = Clause(subject, verb, tense, accusative=other)
        lasting = tense is PERFECT and verb.aspect is Aspect.STATE
        if not lasting and not ambiguous(clause) and _can_be_object(subject.person, other.person):
            yield simple.say(clause)


def paradigms(draw: Sampler) -> Iterator[Sentence]:
    """Every verb with every pronoun in present and past, and the separable verbs at the end of a clause as well."""
    for verb, subject, tense in product(VERBS, PRONOUNS, (PRESENT, PAST)):
        if ambiguous(Clause(subject, verb, tense)):
            continue
        for _ in range(TIMES[subject] if tense is PRESENT else TIMES_PAST):
            clause = draw.clause(verbs=[verb], subject=subject, forms=[(tense, None)], negated=0.1, adverbs=0.9)
            yield simple.statement_of(clause, draw)
            if verb.prefix:
                yield subordinate.that(draw, clause)


def _can_be_object(subject: Person, other: Person) -> bool:
    """Nobody sees himself here: "I saw us" is no sentence."""
    first = (Person.FIRST, Person.FIRST_PLURAL)
    return other in (Person.THIRD, Person.THIRD_PLURAL) or not (
        subject is other or (subject in first and other in first)
    )


def finish(sentence: Sentence) -> Pair:
    """Put the capital, and the full stop to what is no question."""
    says, sagt = (words if words[-1].text == "?" else (*words, _FULL_STOP) for words in sentence)
    english, german = written(says), written(sagt)
    return Pair(english[0].upper() + english[1:], german[0].upper() + german[1:], (says, sagt))


_FULL_STOP = Word(".", "mark")


def repeats_a_noun(german: str) -> bool:
    """Whether a noun or name comes twice, where people would say a pronoun; German writes both with a capital."""
    nouns = re.findall(r"\b[A-ZÄÖÜ]\w+", german)
    return len(set(nouns)) < len(nouns)


@cache
def key(sentence: str) -> str:
    """The sentence without case and punctuation: what makes two sentences the same."""
    return " ".join(re.findall(r"\w+", sentence.lower()))


SIDES = ("en", "de")


def words(pair: Pair) -> list[str]:
    """The words of both sides, each with a mark of its language."""
    return [f"{side} {word}" for side, text in zip(SIDES, pair[:2], strict=True) for word in key(text).split()]


IDIOMATIC = Counter(word for pair in IDIOMS for word in words(pair))


class Collection:
    """Pairs of which no two share a sentence, on either side, and the words in them, counted."""

    def __init__(self) -> None:
        self.pairs: list[Pair] = []
        self._counts: Counter[str] = Counter()
        self._seen: set[str] = set()

    def add(self, pair: Pair) -> None:
        """Add the pair if it is new, not too long and not clumsy."""
        keys = {f"{side} {key(text)}" for side, text in zip(SIDES, pair[:2], strict=True)}
        if keys & self._seen or len(pair.english.split()) > LONGEST or repeats_a_noun(pair.german):
            return
        self._seen |= keys
        self.pairs.append(pair)
        self._counts.update(words(pair))

    def rarer_than(self, enough: int) -> set[str]:
        """The words that a rule made, but not often enough."""
        return {word for word, count in self._counts.items() if IDIOMATIC[word] < count < enough}


def top_up(collection: Collection, draw: Sampler) -> None:
    """Add sentences that hold a word which is still too rare to be learned."""
    rare = collection.rarer_than(ENOUGH)
    for _ in range(TOP_UP_DRAWS):
        pattern, _ = draw.choose(PATTERNS)
        pair = finish(pattern(draw))
        if rare & set(words(pair)):
            collection.add(pair)
            rare = collection.rarer_than(ENOUGH)


def without_rare_words(collection: Collection) -> Collection:
    """Leave out the sentences with words that stayed rare, until there is none."""
    while rare := collection.rarer_than(TOO_FEW):
        kept = Collection()
        for pair in collection.pairs:
            if pair in IDIOMS or not rare & set(words(pair)):
                kept.add(pair)
        collection = kept
    return collection


def pairs() -> list[Pair]:
    """All pairs, sorted by the length of the English sentence, then by text."""
    collection = Collection()
    for pair in IDIOMS:
        collection.add(pair)
    draw = Sampler(SEED)
    for sentence in chain(pronoun_sentences(), paradigms(draw)):
        collection.add(finish(sentence))
    for pattern, count in PATTERNS:
        wanted = len(collection.pairs) + count
        while len(collection.pairs) < wanted:
            collection.add(finish(pattern(draw)))
    top_up(collection, draw)
    return sorted(without_rare_words(collection).pairs, key=lambda pair: (len(pair.english), pair))
