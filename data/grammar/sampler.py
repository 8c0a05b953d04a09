"""Draws sensible clauses at random: the rules of meaning and of taste, the same for both languages."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from random import Random
from typing import TypeVar

from data.grammar.lexicon import ADJECTIVES, ADVERBS, EVERY_DAY, GERMAN_NAMES, NAMES, NOUNS
from data.grammar.meaning import (
    OWNERS,
    PRONOUNS,
    THEY,
    YOU,
    Clause,
    Complement,
    Description,
    Determiner,
    Name,
    Phrase,
    Pronoun,
    pronoun_of,
)
from data.grammar.verbs import AT, BE, CAN, LIVE_IN, MUST, VERBS, WANT, WILL
from data.grammar.words import (
    Adjective,
    Adverb,
    Aspect,
    Fixed,
    Gender,
    Kind,
    Modal,
    Noun,
    Person,
    Preposition,
    Season,
    Tense,
    Verb,
)

T = TypeVar("T")
Form = tuple[Tense, Modal | None]

PRESENT, PAST, PERFECT = Tense.PRESENT, Tense.PAST, Tense.PERFECT
FORMS: tuple[Form, ...] = (
    *[(PRESENT, None)] * 5,
    *[(PAST, None)] * 5,
    *[(PERFECT, None)] * 5,
    *[(PRESENT, modal) for modal in (CAN, MUST, WANT, WILL, WILL)],
    *[(PAST, modal) for modal in (CAN, MUST, WANT)],
)
STATE_FORMS: tuple[Form, ...] = ((PRESENT, None), (PAST, None))
BARE = Kind.MEANS | Kind.LANGUAGE  # "time", never "the time" or "a big time"
UNOWNED = Kind.FOOD | Kind.DRINK | Kind.FILM | Kind.SONG | Kind.DOOR | Kind.CLOSE
NOT_ONES_OWN = ("buy", "know", "have", "like")  # nobody buys his own hat
ADJECTIVE_SHARE, PLURAL_SHARE, ADVERB_SHARE = 0.45, 0.25, 0.5


def ambiguous(clause: Clause) -> bool:
    """Whether the English has two German forms, or the German is one that nobody says.

    `they read`: present or past? `he could`: konnte or könnte? And `du kauftest` is a form of old books only.
    """
    plain = clause.modal is None and clause.verb.english_past == clause.verb.english
    if (
        plain
        and clause.subject.person is not Person.THIRD
        and clause.tense in (PRESENT, PAST)
        and not clause.progressive
    ):
        return True
    if clause.modal is CAN and clause.tense is PAST and not clause.negated:
        return True
    bookish = clause.modal is None and clause.verb is not BE and clause.verb.english != "have"
    return clause.subject is YOU and clause.tense is PAST and bookish


@cache
def nouns_of(kind: Kind) -> tuple[Noun, ...]:
    """The nouns of a kind."""
    return tuple(noun for noun in NOUNS if noun.kind & kind)


@cache
def adjectives_of(kind: Kind) -> tuple[Adjective, ...]:
    """The adjectives that describe a kind of noun, or one of several kinds."""
    return () if kind & (BARE | Kind.RELATIVE) else tuple(word for word in ADJECTIVES if word.kind & kind)


class Sampler:
    """A source of clauses that depends on its seed alone."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)  # noqa: S311

    def chance(self, probability: float) -> bool:
        """True with the probability."""
        return self._random.random() < probability

    def choose(self, options: Sequence[T]) -> T:
        """One of the options. `Random.choice` may change between versions of Python; `random` may not."""
        return options[int(self._random.random() * len(options))]

    # ------------------------------------------------------------ phrases

    def name(self) -> Name:
        """One of the names; one time in five a couple."""
        if self.chance(0.2):
            return Name("Tom and Mary", "Tom und Maria", Person.THIRD_PLURAL, Gender.M)
        name = self.choose(sorted(NAMES))
        return Name(name, GERMAN_NAMES.get(name, name), Person.THIRD, NAMES[name])

    def noun(self, kind: Kind, other_than: Phrase | None = None) -> Noun:
        """A noun of the kind; not the one that `other_than` has."""
        taken = other_than.noun if isinstance(other_than, Description) else None
        return self.choose([noun for noun in nouns_of(kind) if noun is not taken])

    def owner(self, owner: Phrase | None, *, reflexive: bool = True) -> Determiner:
        """A possessive: mostly the subject's own. `their` only so, since German has one word for `her` and `their`."""
        own = OWNERS.get(pronoun) if owner is not None and (pronoun := pronoun_of(owner)) else None
        if own is not None and reflexive and self.chance(0.6):
            return own
        others = (Determiner.MY, Determiner.YOUR, Determiner.HIS, Determiner.HER, Determiner.OUR)
        return self.choose([other for other in others if other is not own])

    def describe(self, noun: Noun, determiner: Determiner, *, plural: bool | None = None) -> Description:
        """A noun with a number and an adjective."""
        if plural is None:
            plural = self.chance(PLURAL_SHARE)
        fitting = adjectives_of(noun.kind)
        adjective = self.choose(fitting) if fitting and self.chance(ADJECTIVE_SHARE) else None
        return Description(noun, determiner, plural and noun.plural is not None, adjective)

    def subject(self, kind: Kind = Kind.HUMAN) -> Phrase:
        """A subject: mostly a pronoun."""
        if self.chance(0.55):
            return self.choose(PRONOUNS)
        if self.chance(0.35):
            return self.name()
        noun = self.noun(kind)
        owned = noun.kind & Kind.RELATIVE or (not noun.kind & Kind.CLOSE and self.chance(0.5))
        return self.describe(noun, self.owner(None) if owned else Determiner.THE)

    def person(self, subject: Phrase) -> Pronoun:
        """A pronoun as an object, never the subject's own person ("I see us")."""
        first = (Person.FIRST, Person.FIRST_PLURAL)
        return self.choose(
            [
                pronoun
                for pronoun in PRONOUNS
                if pronoun.person is Person.THIRD
                or pronoun is THEY
                or not (pronoun.person is subject.person or (pronoun.person in first and subject.person in first))
            ]
        )

    def thing(self, noun: Noun, verb: Verb, subject: Phrase) -> Description:
        """A noun as an accusative object."""
        if noun.kind & BARE:
            return self.describe(noun, Determiner.A)
        own = verb.english not in NOT_ONES_OWN
        if noun.kind & Kind.RELATIVE:
            return self.describe(noun, self.owner(subject, reflexive=own))
        if not noun.kind & UNOWNED and self.chance(0.25):
            return self.describe(noun, self.owner(subject, reflexive=own))
        # Nobody knows a book or kisses a child: it is a certain one.
        specific = verb.english == "kiss" or (verb.aspect is Aspect.STATE and verb.english not in ("have", "need"))
        definite = Determiner.THE if specific or (noun.kind & Kind.PERSON and self.chance(0.35)) else None
        return self.describe(noun, definite or self.choose((Determiner.THE, Determiner.A)))

    def people(self, subject: Phrase) -> Phrase:
        """Somebody known, for a dative."""
        if self.chance(0.5):
            return self.person(subject)
        if self.chance(0.2) and not isinstance(subject, Name):
            return self.name()
        noun = self.noun(Kind.HUMAN, other_than=subject)
        return self.describe(noun, self.owner(subject) if noun.kind & Kind.RELATIVE else Determiner.THE)

    def accusative(self, verb: Verb, subject: Phrase) -> Phrase:
        """An object that the verb may take."""
        takes_people = bool(verb.accusative & (Kind.HUMAN | Kind.CLOSE))
        if takes_people and self.chance(0.3 if verb.accusative & Kind.GOODS else 0.45):
            return self.person(subject)
        if takes_people and self.chance(0.15) and not isinstance(subject, Name):
            return self.name()
        return self.thing(self.noun(verb.accusative, other_than=subject), verb, subject)

    def complement(self, preposition: Preposition | Fixed, subject: Phrase) -> Complement | Fixed:
        """A preposition with a noun of its kind; people may be pronouns and names."""
        if isinstance(preposition, Fixed):
            return preposition
        if preposition.kind & Kind.HUMAN:
            return Complement(preposition, self.people(subject))
        noun = self.noun(preposition.kind, other_than=subject)
        if preposition is LIVE_IN and self.chance(0.4):
            return Complement(preposition, self.describe(noun, Determiner.A, plural=False))
        place = self.describe(noun, Determiner.THE, plural=False)
        return Complement(preposition, replace(place, adjective=None) if preposition is AT else place)

    # ------------------------------------------------------------ clauses

    def clause(
        self,
        *,
        verbs: Sequence[Verb] = VERBS,
        subject: Phrase | None = None,
        forms: Sequence[Form] | None = None,
        negated: float = 0.2,
        adverbs: float = ADVERB_SHARE,
        fits: Callable[[Clause], bool] = lambda _: True,
    ) -> Clause:
        """A clause of one of the verbs, of which `negated` and `adverbs` are the shares, and which `fits`."""
        while True:
            verb = self.choose(verbs)
            clause = self._draft(verb, subject or self.subject(verb.subject), forms, negated, adverbs)
            if clause is not None and not ambiguous(clause) and fits(clause):
                return clause

    def _draft(
        self, verb: Verb, subject: Phrase, forms: Sequence[Form] | None, negated: float, adverbs: float
    ) -> Clause | None:
        usual = STATE_FORMS if verb.aspect is Aspect.STATE else FORMS
        tense, modal = self.choose([form for form in usual if forms is None or form in forms] or [(PRESENT, None)])
        if modal not in (None, WILL) and not verb.wanted:
            return None
        negative = self.chance(negated) and (modal is None or modal.negatable)
        adverb = self.adverb(verb, tense, modal, negative=negative, share=adverbs)
        if verb.aspect is Aspect.EVENT and (tense, modal) == (PRESENT, None) and adverb is None:
            return None
        complement = self._choose_complement(verb, subject, negative=negative)
        accusative = self.accusative(verb, subject) if verb.accusative else None
        if adverb is not None and Season.HABIT in adverb.season and self._uses_up(accusative):
            return None
        dative = self.people(subject) if verb.dative else None
        if isinstance(dative, Description) and isinstance(accusative, Description) and dative.noun is accusative.noun:
            return None
        return Clause(subject, verb, tense, modal, accusative, dative, complement, adverb, negative)

    def _choose_complement(self, verb: Verb, subject: Phrase, *, negative: bool) -> Complement | Fixed | None:
        if verb.needs:
            return self.complement(self.choose(verb.needs), subject)
        if verb.allows and not (negative and verb.accusative) and self.chance(0.35):
            return self.complement(self.choose(verb.allows), subject)
        return None

    @staticmethod
    def _uses_up(phrase: Phrase | None) -> bool:
        """Whether nobody does it often: "he often eats the apple"."""
        if not isinstance(phrase, Description):
            return False
        return phrase.determiner is Determiner.THE and bool(
            phrase.noun.kind & (Kind.FOOD | Kind.DRINK | Kind.DISH | Kind.GOODS | Kind.SMALL | Kind.TEXT)
        )

    def adverb(self, verb: Verb, tense: Tense, modal: Modal | None, *, negative: bool, share: float) -> Adverb | None:
        """An adverb that goes with the tense, the kind of verb and the negation."""
        if verb.aspect is Aspect.STATE or not self.chance(share):
            return None
        if modal is not None:
            seasons = Season.PAST if tense is PAST else Season.FUTURE
        else:
            seasons = {PRESENT: Season.NOW | Season.HABIT, PAST: Season.PAST, PERFECT: Season.PERFECT}[tense]
        if verb.aspect is not Aspect.ACTION:
            seasons &= ~Season.NOW
        if negative:
            seasons &= ~Season.HABIT
        fitting = [
            adverb
            for adverb in ADVERBS
            if adverb.season & seasons
            and not (Season.HABIT in adverb.season and (negative or modal))
            and not (adverb is EVERY_DAY and not verb.daily)
            and not (negative and adverb.english in ("already", "just", "soon"))
        ]
        return self.choose(fitting) if fitting else None
