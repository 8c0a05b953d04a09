"""What a sentence says, before it is said in either language: who or what, and what happens."""

from dataclasses import dataclass, replace
from enum import Enum

from data.grammar.words import (
    Adjective,
    Adverb,
    Aspect,
    Fixed,
    Gender,
    Modal,
    Noun,
    Person,
    Preposition,
    Season,
    Tense,
    Verb,
)


class Determiner(Enum):
    """The English word and the German stem that endings are put to."""

    THE = ("the", "d")
    A = ("a", "ein")  # nothing at all before plurals and what is not counted
    NO = ("any", "kein")  # "not ... a", "not ... any"
    MY = ("my", "mein")
    YOUR = ("your", "dein")
    HIS = ("his", "sein")
    HER = ("her", "ihr")
    OUR = ("our", "unser")
    THEIR = ("their", "ihr")

    @property
    def is_definite(self) -> bool:
        """Whether the hearer knows which one is meant."""
        return self not in (Determiner.A, Determiner.NO)


@dataclass(frozen=True)
class Pronoun:
    """A personal pronoun: English subject and object form, German nominative, accusative and dative."""

    english: tuple[str, str]
    german: tuple[str, str, str]
    person: Person
    is_definite: bool = True


@dataclass(frozen=True)
class Name:
    """One person by name, or two ("Tom and Mary"); names have no cases here."""

    english: str
    german: str
    person: Person
    gender: Gender
    is_definite: bool = True


@dataclass(frozen=True)
class Description:
    """A noun with its determiner and perhaps an adjective."""

    noun: Noun
    determiner: Determiner
    plural: bool = False
    adjective: Adjective | None = None

    @property
    def person(self) -> Person:
        """Descriptions are third persons."""
        return Person.THIRD_PLURAL if self.plural else Person.THIRD

    @property
    def is_definite(self) -> bool:
        """Whether the hearer knows which one is meant."""
        return self.determiner.is_definite


Phrase = Pronoun | Name | Description

I = Pronoun(("I", "me"), ("ich", "mich", "mir"), Person.FIRST)  # noqa: E741
YOU = Pronoun(("you", "you"), ("du", "dich", "dir"), Person.SECOND)
HE = Pronoun(("he", "him"), ("er", "ihn", "ihm"), Person.THIRD)
SHE = Pronoun(("she", "her"), ("sie", "sie", "ihr"), Person.THIRD)
WE = Pronoun(("we", "us"), ("wir", "uns", "uns"), Person.FIRST_PLURAL)
THEY = Pronoun(("they", "them"), ("sie", "sie", "ihnen"), Person.THIRD_PLURAL)
IT = Pronoun(("it", "it"), ("es", "es", "ihm"), Person.THIRD)  # only the weather's
WHO = Pronoun(("who", "who"), ("wer", "wen", "wem"), Person.THIRD)
PRONOUNS = (I, YOU, HE, SHE, WE, THEY)
OWNERS = {
    I: Determiner.MY,
    YOU: Determiner.YOUR,
    HE: Determiner.HIS,
    SHE: Determiner.HER,
    WE: Determiner.OUR,
    THEY: Determiner.THEIR,
}


def pronoun_of(phrase: Phrase) -> Pronoun | None:
    """The pronoun that takes a phrase up again; None where the languages disagree ("das Mädchen", "it" or "she")."""
    if isinstance(phrase, Pronoun):
        return phrase
    if phrase.person.is_plural:
        return THEY
    gender = phrase.gender if isinstance(phrase, Name) else phrase.noun.gender
    return {Gender.M: HE, Gender.F: SHE, Gender.N: None}[gender]


@dataclass(frozen=True)
class Complement:
    """A preposition with its phrase."""

    preposition: Preposition
    phrase: Phrase


@dataclass(frozen=True)
class Clause:
    """One finite verb with all that belongs to it. With a `modal`, `tense` is the modal's."""

    subject: Phrase
    verb: Verb
    tense: Tense = Tense.PRESENT
    modal: Modal | None = None
    accusative: Phrase | None = None
    dative: Phrase | None = None
    complement: Complement | Fixed | Adjective | None = None
    adverb: Adverb | None = None
    negated: bool = False

    @property
    def negates_object(self) -> bool:
        """Whether German says `kein`: the negation of an indefinite object."""
        return self.negated and self.accusative is not None and not self.accusative.is_definite

    @property
    def direct_object(self) -> Phrase | None:
        """The accusative object, with the determiner that the negation gives it."""
        if self.negates_object and isinstance(self.accusative, Description):
            return replace(self.accusative, determiner=Determiner.NO)
        return self.accusative

    @property
    def progressive(self) -> bool:
        """Whether the English present is the progressive: an action, and no habit."""
        habit = self.adverb is not None and Season.HABIT in self.adverb.season
        plain_present = self.tense is Tense.PRESENT and self.modal is None
        return plain_present and self.verb.aspect is Aspect.ACTION and not habit
