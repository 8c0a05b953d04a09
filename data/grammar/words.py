"""The kinds of words, and what a dictionary says of each; the words themselves are in `lexicon.py`."""

from dataclasses import dataclass
from enum import Enum, Flag, auto


class Gender(Enum):
    """The German gender; English knows it only in `he`, `she` and `it`."""

    M = "masculine"
    F = "feminine"
    N = "neuter"


class Case(Enum):
    """The German cases in use here; the genitive is left out."""

    NOMINATIVE = 0
    ACCUSATIVE = 1
    DATIVE = 2


class Person(Enum):
    """Person and number; the value is the place in a German paradigm. `you` is always the singular `du`."""

    FIRST = 0
    SECOND = 1
    THIRD = 2
    FIRST_PLURAL = 3
    THIRD_PLURAL = 4

    @property
    def is_plural(self) -> bool:
        """Whether German counts it as a plural."""
        return self in (Person.FIRST_PLURAL, Person.THIRD_PLURAL)


class Tense(Enum):
    """The tenses, one German tense for each English one, so that a sentence has one translation."""

    PRESENT = "simple present or present progressive: Präsens"
    PAST = "simple past: Präteritum"
    PERFECT = "present perfect: Perfekt"


class Kind(Flag):
    """What a noun means, so that nobody drinks a chair."""

    NOTHING = 0
    PERSON = auto()
    GROWN = auto()  # people who may be old
    CLOSE = auto()  # people one kisses
    RELATIVE = auto()  # always somebody's: "my brother"
    ANIMAL = auto()
    FOOD = auto()
    DISH = auto()  # food that is cooked
    DRINK = auto()
    GOODS = auto()  # bought, sold, shown
    SMALL = auto()  # carried, lost, found
    GIFT = auto()
    TEXT = auto()  # written and read
    PAPER = auto()  # only read
    FILM = auto()
    SONG = auto()
    DOOR = auto()  # opened and closed
    MEANS = auto()  # time and money
    LANGUAGE = auto()
    ROOM = auto()  # one is in it, goes into it
    GOAL = auto()  # one goes to it
    HOME = auto()  # one lives in it
    SPOT = auto()  # one is at it
    HUMAN = PERSON | RELATIVE


class Season(Flag):
    """The kinds of clauses that an adverb goes with."""

    NOW = auto()  # English present progressive
    HABIT = auto()  # English simple present
    PAST = auto()
    PERFECT = auto()
    FUTURE = auto()
    ANY = HABIT | PAST | FUTURE


class Aspect(Enum):
    """How a verb sees time, which decides its English present."""

    ACTION = "progressive, or simple with a frequency: he is working, he often works"
    EVENT = "no progressive: he often forgets the key"
    PERCEPTION = "simple present: he sees the dog"
    STATE = "simple present, no perfect, no adverbs: he knows her"


@dataclass(frozen=True)
class Noun:
    """A common noun, with the plural if we use it; `oblique` is a weak noun's singular outside the nominative."""

    english: str
    german: str
    gender: Gender
    kind: Kind
    plural: tuple[str, str] | None = None
    oblique: str | None = None
    countable: bool = True


@dataclass(frozen=True)
class Adjective:
    """An adjective and the nouns that it describes; the German endings are put to `stem`."""

    english: str
    german: str
    kind: Kind
    irregular_stem: str | None = None

    @property
    def stem(self) -> str:
        """The German form that takes endings: `teuer`, but `teur-e`."""
        return self.irregular_stem or self.german


@dataclass(frozen=True)
class Preposition:
    """A preposition with the German case that it governs here and the nouns that may follow it."""

    english: str
    german: str
    case: Case
    kind: Kind


@dataclass(frozen=True)
class Fixed:
    """A phrase that never changes, e.g. "at home", "zu Hause"."""

    english: str
    german: str


@dataclass(frozen=True)
class Adverb:
    """A time or a frequency. `inner`: it stands before the English verb ("he often works") and is never in front."""

    english: str
    german: str
    season: Season
    inner: bool = False


@dataclass(frozen=True)
class Verb:
    """A verb in both languages, with its frame: what it takes, and of which kind.

    The English past and participle are None where they are regular; the participle is None where it equals the past.
    `past` and `participle` are the German forms of a strong verb, without its separable `prefix`; `vowel` is the
    changed stem of `du` and `er` (`sieh-st`), `present` a present that follows no rule. What is `daily` goes with
    "every day", what is `wanted` with modals. `needs` are complements of which one must be there, `allows` those
    that may be. Pronouns and names count as people.
    """

    english: str
    german: str
    english_past: str | None = None
    english_participle: str | None = None
    past: str | None = None
    participle: str | None = None
    vowel: str | None = None
    present: tuple[str, str, str, str, str] | None = None
    prefix: str = ""
    with_sein: bool = False
    aspect: Aspect = Aspect.ACTION
    daily: bool = True
    wanted: bool = True
    subject: Kind = Kind.HUMAN
    accusative: Kind = Kind.NOTHING
    dative: Kind = Kind.NOTHING
    needs: tuple[Preposition | Fixed, ...] = ()
    allows: tuple[Preposition | Fixed, ...] = ()


@dataclass(frozen=True)
class Modal:
    """A verb before a bare infinitive, which German puts at the end of the clause.

    `english_base` is the form after `do` for those that English does not invert ("want to"); what cannot be negated
    without a change of sense ("must") is not `negatable`. `german_past` is None where we form no past.
    """

    english: str
    present: tuple[str, str, str, str, str]
    english_past: str | None = None
    german_past: str | None = None
    english_base: str | None = None
    negatable: bool = True
