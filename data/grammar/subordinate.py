"""Patterns of two clauses: a German subordinate clause ends with its finite verb."""

from collections.abc import Sequence
from dataclasses import replace

from data.grammar import english, german
from data.grammar.alignment import Sentence, Word, part_of
from data.grammar.lexicon import HAPPY, HUNGRY, MONEY, SAD, SICK, STATES, THIRSTY, TIME, TIRED
from data.grammar.meaning import PRONOUNS, WE, YOU, Clause, Description, Determiner, I, Phrase, Pronoun, pronoun_of
from data.grammar.sampler import PAST, PERFECT, PRESENT, Form, Sampler
from data.grammar.simple import BY_NAME, PEOPLE_VERBS, bad_weather, named, question, state, weather_clause
from data.grammar.verbs import ASK, BE, CAN, HOMEWARDS, HOPE, KNOW_THAT, MUST, SAY, THINK, WILL
from data.grammar.words import Adjective, Modal, Noun, Tense


def join(main: Clause, conjunction: tuple[str, str], clause: Clause, *, main_first: bool) -> Sentence:
    """Main and subordinate clause in one order or the other; after a subordinate clause German inverts the main."""
    says, sagt = _subordinate(conjunction, clause)
    main_says = part_of("main", english.statement(main))
    if main_first:
        return (*main_says, *says), (*part_of("main", german.verb_second(main)), _GERMAN_COMMA, *sagt)
    return (*says, _COMMA, *main_says), (*sagt, _COMMA, *part_of("main", german.verb_first(main)))


def _subordinate(conjunction: tuple[str, str], clause: Clause) -> Sentence:
    says, sagt = (Word(text, "conjunction") for text in conjunction)
    return (
        (says, *part_of("subordinate", english.statement(clause))),
        (sagt, *part_of("subordinate", german.verb_final(clause))),
    )


_COMMA = Word(",", "comma")
_GERMAN_COMMA = Word(",", None, ("conjunction",))
"""The comma before a subordinate clause that English does not have."""

KINDS_OF_CONTENT = ("state", "weather", *["event"] * 13)
HOPED: tuple[Form, ...] = ((PERFECT, None), (PRESENT, WILL), (PRESENT, WILL), (PRESENT, CAN))


def that(draw: Sampler, clause: Clause | None = None) -> Sentence:
    """I know that she has bought a new car. The clause is drawn unless it is given."""
    verbs = (KNOW_THAT, THINK, SAY) if clause else (KNOW_THAT, THINK, SAY, HOPE)
    matrix = Clause(_speaker(draw), draw.choose(verbs), negated=draw.chance(0.2))
    if matrix.verb is HOPE:
        return join(replace(matrix, negated=False), ("that", "dass"), draw.clause(forms=HOPED), main_first=True)
    clause = clause or _content(draw)
    if not matrix.negated and matrix.subject not in (I, WE) and draw.chance(0.25):
        return _ask_about(matrix, ("that", "dass"), clause)
    return join(matrix, ("that", "dass"), clause, main_first=True)


def whether(draw: Sampler) -> Sentence:
    """He asks whether she has bought a new car. I do not know whether she is at home."""
    conjunction, subject, clause = ("whether", "ob"), _speaker(draw), _content(draw, negated=0.05)
    if draw.chance(0.35):
        return join(Clause(subject, ASK), conjunction, clause, main_first=True)
    if subject not in (I, WE) and draw.chance(0.4):
        return _ask_about(Clause(subject, KNOW_THAT), conjunction, clause)
    return join(Clause(subject, KNOW_THAT, negated=True), conjunction, clause, main_first=True)


def _ask_about(matrix: Clause, conjunction: tuple[str, str], clause: Clause) -> Sentence:
    says, sagt = _subordinate(conjunction, clause)
    asks, fragt = part_of("main", english.question(matrix)), part_of("main", german.verb_first(matrix))
    return question((*asks, *says), (*fragt, _GERMAN_COMMA, *sagt))


def _speaker(draw: Sampler) -> Phrase:
    return draw.choose(PRONOUNS) if draw.chance(0.75) else draw.name()


def _content(draw: Sampler, negated: float = 0.2) -> Clause:
    """What is known, said or asked."""
    tense, negative = draw.choose((PRESENT, PAST)), draw.chance(negated)
    kind = draw.choose(KINDS_OF_CONTENT)
    if kind == "state":
        return state(draw.subject(), draw.choose(STATES), tense, negated=negative)
    if kind == "weather":
        return weather_clause(draw, tense, negated=negative)
    return draw.clause(adverbs=0.3, negated=negated)


def _two_mentions(draw: Sampler) -> tuple[Phrase, Pronoun]:
    """Somebody, and the pronoun that takes him up in the other clause."""
    while True:
        subject = draw.subject()
        if pronoun := pronoun_of(subject):
            return subject, pronoun


def _has(subject: Phrase, means: Noun, tense: Tense, *, negated: bool = False) -> Clause:
    """To have time or money."""
    return Clause(subject, BY_NAME["have"], tense, accusative=Description(means, Determiner.A), negated=negated)


CAUSES: dict[str, tuple[Adjective, ...]] = {
    "eat": (HUNGRY,),
    "drink": (THIRSTY,),
    "cook": (HUNGRY,),
    "sleep": (TIRED, SICK),
    "stay": (TIRED, SICK),
    "laugh": (HAPPY,),
    "sing": (HAPPY,),
    "dance": (HAPPY,),
    "cry": (SAD, TIRED, HUNGRY),
}
"""What states make people do."""

HINDRANCES = (TIRED, SICK, SAD)
DONE_FOR_LOVE = ("help", "visit", "call", "kiss", "invite", "thank")
ACTIVE = (
    "work", "dance", "sing", "swim", "play", "go", "drive", "cook", "write", "read", "help", "visit", "call", "get up",
)  # fmt: skip
REASON_FORMS: tuple[Form, ...] = ((PRESENT, None), (PAST, None), (PAST, None), (PERFECT, None), (PRESENT, WILL))


def because(draw: Sampler) -> Sentence:
    """She went home because she was tired."""
    subject, pronoun = _two_mentions(draw)
    main_first = draw.chance(0.65)
    first, second = (subject, pronoun) if main_first else (pronoun, subject)
    pattern = draw.choose(
        (_because_of_state, _because_of_state, _because_hindered, _because_hindered, _because_of_love)
    )
    main, reason = pattern(draw, first, second)
    return join(main, ("because", "weil"), reason, main_first=main_first)


def _reason_tense(main: Clause) -> Tense:
    return PAST if main.tense is PAST else PRESENT


def _because_of_state(draw: Sampler, subject: Phrase, other: Phrase) -> tuple[Clause, Clause]:
    main = draw.clause(verbs=named(*CAUSES), subject=subject, forms=REASON_FORMS, negated=0.0, adverbs=0.0)
    return main, state(other, draw.choose(CAUSES[main.verb.english]), _reason_tense(main))


def _because_hindered(draw: Sampler, subject: Phrase, other: Phrase) -> tuple[Clause, Clause]:
    verbs = named(*ACTIVE, "buy", "drive")
    main = draw.clause(verbs=verbs, subject=subject, forms=REASON_FORMS, negated=1.0, adverbs=0.0)
    tense = _reason_tense(main)
    if main.verb.english == "buy":
        return main, _has(other, MONEY, tense, negated=True)
    if draw.chance(0.4):
        return main, _has(other, TIME, tense, negated=True)
    return main, state(other, draw.choose(HINDRANCES), tense)


def _because_of_love(draw: Sampler, subject: Phrase, other: Phrase) -> tuple[Clause, Clause]:
    while True:
        main = draw.clause(verbs=named(*DONE_FOR_LOVE), subject=subject, forms=REASON_FORMS, negated=0.1, adverbs=0.0)
        loved = main.accusative or main.dative
        pronoun = pronoun_of(loved) if loved and loved.is_definite else None
        if pronoun and pronoun is not pronoun_of(subject):
            verb = BY_NAME[draw.choose(("love", "like"))]
            return main, Clause(other, verb, _reason_tense(main), accusative=pronoun, negated=main.negated)


def although(draw: Sampler) -> Sentence:
    """Although he was tired, he helped her."""
    subject, pronoun = _two_mentions(draw)
    main_first = draw.chance(0.4)
    first, second = (subject, pronoun) if main_first else (pronoun, subject)
    main = draw.clause(verbs=named(*ACTIVE), subject=first, forms=REASON_FORMS, negated=0.0, adverbs=0.0)
    tense = _reason_tense(main)
    obstacle = draw.choose(
        (
            state(second, draw.choose(HINDRANCES), tense),
            _has(second, TIME, tense, negated=True),
            bad_weather(draw, tense),
        )
    )
    if obstacle.verb.english in ("rain", "snow", "be") and obstacle.subject is not second:
        main = replace(main, subject=subject)
    return join(main, ("although", "obwohl"), obstacle, main_first=main_first)


USUAL, OUGHT = (WILL, CAN), (WILL, CAN, MUST)
CONSEQUENCES: tuple[tuple[Adjective | Noun | None, tuple[Modal, ...], tuple[str, ...]], ...] = (
    (HUNGRY, USUAL, ("eat", "cook", "go")),
    (THIRSTY, USUAL, ("drink",)),
    (TIRED, OUGHT, ("sleep", "stay", "go")),
    (SICK, OUGHT, ("stay", "sleep", "go")),
    (HAPPY, (WILL,), ("sing", "dance", "laugh")),
    (TIME, USUAL, ("help", "visit", "call", "read", "write", "cook", "swim", "play", "meet")),
    (TIME, USUAL, ("help", "visit", "call", "invite", "learn", "dance")),
    (MONEY, USUAL, ("buy",)),
    (MONEY, USUAL, ("buy", "drive")),
    (None, USUAL, ("stay", "read", "cook", "drive")),
)
"""What one can or will do if one is hungry, has time, or (None) if the weather is bad."""


def if_(draw: Sampler) -> Sentence:
    """If I have time, I will help you."""
    subject, pronoun = _two_mentions(draw)
    main_first = draw.chance(0.3)
    first, second = (subject, pronoun) if main_first else (pronoun, subject)
    cause, modals, names = draw.choose(CONSEQUENCES)
    forms: list[Form] = [(PRESENT, modal) for modal in modals]
    main = draw.clause(verbs=named(*names), subject=first, forms=forms, negated=0.0, adverbs=0.0)
    if main.verb.english == "go":
        main = replace(main, complement=HOMEWARDS)
    if cause is None:
        condition, main = bad_weather(draw, PRESENT), replace(main, subject=subject)
    elif isinstance(cause, Noun):
        condition = _has(second, cause, PRESENT)
    else:
        condition = state(second, cause)
    return join(main, ("if", "wenn"), condition, main_first=main_first)


SCENES = ("come", "see", "hear", "find", "meet", "open", "call", "get up", "arrive")
REACTIONS = ("laugh", "cry", "kiss", "thank", "help", "invite", "call", "go", "sing", "show", "give", "ask", "speak")


def when(draw: Sampler) -> Sentence:
    """When he came home, she kissed him."""
    while YOU in (mentions := _two_mentions(draw)):  # du has no Präteritum of most verbs
        pass
    subject, pronoun = mentions
    scene = state(subject, draw.choose(STATES), PAST)
    if draw.chance(0.75):
        scene = _event(draw, SCENES, subject)
    reactor = pronoun if draw.chance(0.4) else _somebody_else(draw, pronoun)
    main = state(reactor, draw.choose((HAPPY, SAD)), PAST)
    if scene.verb is BE or draw.chance(0.75):
        main = _event(draw, REACTIONS, reactor)
        if reactor is not pronoun:
            main = _directed_at(main, pronoun)
    return join(main, ("when", "als"), scene, main_first=draw.chance(0.3))


def _somebody_else(draw: Sampler, person: Pronoun) -> Pronoun:
    """Another than the person, and not `du`, as above."""
    while (other := draw.person(person)) in (YOU, person):
        pass
    return other


def _event(draw: Sampler, verbs: Sequence[str], subject: Phrase) -> Clause:
    return draw.clause(verbs=named(*verbs), subject=subject, forms=[(PAST, None)], negated=0.0, adverbs=0.0)


def _directed_at(clause: Clause, person: Pronoun) -> Clause:
    """The clause with a person as its object, if it has one: he came home, and she kissed him."""
    if clause.dative:
        return replace(clause, dative=person)
    return replace(clause, accusative=person) if clause.verb in PEOPLE_VERBS else clause
