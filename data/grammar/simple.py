"""Patterns of one clause: each draws a meaning and says it in both languages; a statement has no mark yet."""

from dataclasses import replace

from data.grammar import english, german
from data.grammar.alignment import Sentence, Word, Words
from data.grammar.lexicon import ADJECTIVES, COLD, STATES, WARM, WEATHER_ADVERBS
from data.grammar.meaning import IT, WE, WHO, Clause, Determiner, I, Phrase
from data.grammar.sampler import PAST, PRESENT, UNOWNED, Form, Sampler
from data.grammar.verbs import AT, BE, CAN, IN, MUST, RAIN, SNOW, VERBS, WILL
from data.grammar.words import Adjective, Aspect, Kind, Season, Tense, Verb

BY_NAME = {verb.english: verb for verb in VERBS}
PEOPLE_VERBS = tuple(verb for verb in VERBS if verb.accusative & (Kind.HUMAN | Kind.CLOSE))
THING_VERBS = tuple(verb for verb in VERBS if verb.accusative & ~(Kind.HUMAN | Kind.CLOSE | Kind.ANIMAL))


def named(*names: str) -> tuple[Verb, ...]:
    """Verbs by their English base forms."""
    return tuple(BY_NAME[name] for name in names)


def say(clause: Clause, *, fronted: bool = False) -> Sentence:
    """A statement; with `fronted`, its adverb opens it and the German verb comes before the subject."""
    if fronted and clause.adverb:
        inverted = german.verb_first(replace(clause, adverb=None))
        return english.statement(clause, fronted=True), (*german.adverb(clause), *inverted)
    return english.statement(clause), german.verb_second(clause)


def ask(clause: Clause, word: tuple[str, str] | None = None) -> Sentence:
    """A question, after a question word or without one."""
    in_english, in_german = ((Word(text, "question word"),) for text in word) if word else ((), ())
    return question(english.question(clause, in_english), (*in_german, *german.verb_first(clause)))


def question(in_english: Words, in_german: Words) -> Sentence:
    """The two with their marks."""
    return (*in_english, Word("?", "mark")), (*in_german, Word("?", "mark"))


# ------------------------------------------------------------ simple sentences


def statement(draw: Sampler) -> Sentence:
    """She has bought a new car."""
    return statement_of(draw.clause(), draw)


def statement_of(clause: Clause, draw: Sampler) -> Sentence:
    """The clause, opened by its adverb half the time."""
    may_open = clause.adverb is not None and not clause.adverb.inner
    return say(clause, fronted=may_open and draw.chance(0.5))


def yes_no(draw: Sampler) -> Sentence:
    """Has she bought a new car (yes or no)."""
    clause = draw.clause(negated=0.0, adverbs=0.3, fits=_can_be_asked)
    return ask(clause)


def _can_be_asked(clause: Clause) -> bool:
    """Whether it makes a natural question: not "had I to", nor "did I see her", nor "has she just arrived"."""
    inverts = not (clause.modal is MUST and clause.tense is PAST)
    known = clause.modal is None and (
        clause.subject is I or (clause.subject is WE and clause.verb.aspect is Aspect.STATE)
    )
    return inverts and not known and (clause.adverb is None or clause.adverb.english not in ("never", "just"))


def state(subject: Phrase, adjective: Adjective, tense: Tense = PRESENT, *, negated: bool = False) -> Clause:
    """Somebody is tired."""
    return Clause(subject, BE, tense, complement=adjective, negated=negated)


def predicate(draw: Sampler) -> Sentence:
    """She is not tired. The car was expensive. Our dog is in the garden."""
    tense = draw.choose((PRESENT, PAST))
    negated = draw.chance(0.25)
    kind = draw.choose(("person", "thing", "place"))
    if kind == "person":
        clause = state(draw.subject(), draw.choose(STATES), tense, negated=negated)
    elif kind == "thing":
        adjective = draw.choose(ADJECTIVES)
        noun = draw.noun(adjective.kind)
        owned = not noun.kind & (UNOWNED | Kind.PERSON) and draw.chance(0.4)
        determiner = draw.owner(None) if owned else Determiner.THE
        thing = replace(draw.describe(noun, determiner), adjective=None)
        clause = state(thing, adjective, tense, negated=negated)
    else:
        subject = draw.subject(Kind.HUMAN | Kind.ANIMAL)
        place = draw.complement(draw.choose((IN, IN, AT)), subject)
        clause = Clause(subject, BE, tense, complement=place, negated=negated)
    return ask(clause) if not negated and clause.subject is not I and draw.chance(0.25) else say(clause)


def weather(draw: Sampler) -> Sentence:
    """It is raining today. On Sunday it was cold."""
    clause = weather_clause(draw, draw.choose((PRESENT, PAST)), negated=draw.chance(0.25))
    seasons = Season.NOW if clause.tense is PRESENT else Season.PAST
    adverbs = [adverb for adverb in WEATHER_ADVERBS if adverb.season & seasons]
    clause = replace(clause, adverb=draw.choose(adverbs) if draw.chance(0.8) else None)
    return say(clause, fronted=draw.chance(0.5))


def weather_clause(draw: Sampler, tense: Tense, *, negated: bool = False) -> Clause:
    """It rains, it snows, it is cold or warm."""
    if draw.chance(0.25):
        return state(IT, WARM, tense, negated=negated)
    return replace(bad_weather(draw, tense), negated=negated)


def bad_weather(draw: Sampler, tense: Tense) -> Clause:
    """It rains, it snows, it is cold."""
    verb = draw.choose((RAIN, SNOW, BE))
    return state(IT, COLD, tense) if verb is BE else Clause(IT, verb, tense)


# ------------------------------------------------------------ questions with a question word


def what(draw: Sampler) -> Sentence:
    """A question for a thing: what did she buy yesterday."""
    clause = draw.clause(verbs=THING_VERBS, negated=0.0, adverbs=0.3, fits=_can_be_asked)
    return ask(replace(clause, accusative=None, complement=None), ("what", "was"))


def who(draw: Sampler) -> Sentence:
    """A question for a person in any case: who kissed her (wer), who did she kiss (wen), who did she help (wem)."""
    if draw.chance(0.4):
        clause = draw.clause(subject=WHO, negated=0.1, adverbs=0.3, fits=_can_be_asked)
        return question(english.statement(clause), german.verb_second(clause))
    if draw.chance(0.3):
        clause = draw.clause(verbs=named("help", "thank"), negated=0.0, adverbs=0.4, fits=_can_be_asked)
        return ask(replace(clause, dative=None), ("who", "wem"))
    clause = draw.clause(verbs=PEOPLE_VERBS, negated=0.0, adverbs=0.3, fits=_can_be_asked)
    return ask(replace(clause, accusative=None), ("who", "wen"))


def where(draw: Sampler) -> Sentence:
    """Two questions in German: where does she live (wo), where did she go (wohin)."""
    if draw.chance(0.4):
        goers = named("go", "drive")
        clause = draw.clause(verbs=goers, negated=0.0, adverbs=0.5, fits=_can_be_asked)
        return ask(replace(clause, complement=None), ("where", "wohin"))
    stayers = named("live", "work", "sleep", "play", "dance", "meet", "see", "read", "eat", "find", "buy", "lose")
    clause = draw.clause(verbs=stayers, negated=0.0, adverbs=0.0, fits=_can_be_asked)
    return ask(replace(clause, complement=None), ("where", "wo"))


def when_question(draw: Sampler) -> Sentence:
    """A question for the time: when did she come home."""
    forms: tuple[Form, ...] = ((PAST, None), (PAST, None), (PRESENT, WILL), (PRESENT, CAN), (PRESENT, MUST))
    verbs = [verb for verb in VERBS if verb.aspect in (Aspect.ACTION, Aspect.PERCEPTION, Aspect.EVENT)]
    clause = draw.clause(verbs=verbs, forms=forms, negated=0.0, adverbs=0.0, fits=_can_be_asked)
    return ask(clause, ("when", "wann"))


def why(draw: Sampler) -> Sentence:
    """A question for the cause: why did she not call him."""
    clause = draw.clause(negated=0.3, adverbs=0.2, fits=_can_be_asked)
    return ask(clause, ("why", "warum"))
