"""Patterns of two clauses: a German subordinate clause ends with its finite verb."""

from dataclasses import replace

import english
import german
from lexicon import (
    ASK,
    COLD,
    HAPPY,
    HOPE,
    HUNGRY,
    CAN,
    KNOW_THAT,
    MONEY,
    MUST,
    SAD,
    SAY,
    SICK,
    STATES,
    THINK,
    THIRSTY,
    TIME,
    TIRED,
    WILL,
)
from meaning import PRONOUNS, YOU, Clause, Description, Determiner, Phrase, Pronoun, pronoun_of
from sampler import PAST, PERFECT, PRESENT, Form, Sampler
from simple import BY_NAME, Pair, ask, named, say, state, weather_clause
from words import Adjective, Aspect, Noun, Tense, Verb


def join(main: Clause, link: Pair, clause: Clause, *, main_first: bool) -> Pair:
    """Main and subordinate clause in one order or the other; after a subordinate clause German inverts the main."""
    sub_english, sub_german = f"{link[0]} {english.statement(clause)}", f"{link[1]} {german.verb_final(clause)}"
    if main_first:
        return f"{english.statement(main)} {sub_english}", f"{german.verb_second(main)}, {sub_german}"
    return f"{sub_english}, {english.statement(main)}", f"{sub_german}, {german.verb_first(main)}"


def that(draw: Sampler, clause: Clause | None = None) -> Pair:
    """I know that she has bought a new car. The clause is drawn unless it is given."""
    subject = draw.choose(PRONOUNS) if draw.chance(0.75) else draw.name()
    matrix = Clause(subject, draw.choose((KNOW_THAT, THINK, SAY, HOPE)))
    if matrix.verb is not HOPE and draw.chance(0.25):
        matrix = replace(matrix, negated=True)
    clause = clause or _content(draw)
    if matrix.verb in (KNOW_THAT, SAY, THINK) and not matrix.negated and draw.chance(0.25):
        head = ask(matrix)
        return f"{head[0]} that {english.statement(clause)}?", f"{head[1]}, dass {german.verb_final(clause)}?"
    return join(matrix, ("that", "dass"), clause, main_first=True)


def whether(draw: Sampler) -> Pair:
    """He asks whether she has bought a new car. Do you know whether she is at home?"""
    subject = draw.choose(PRONOUNS) if draw.chance(0.75) else draw.name()
    if draw.chance(0.35):
        return join(Clause(subject, ASK), ("whether", "ob"), _content(draw), main_first=True)
    matrix = Clause(subject, KNOW_THAT, negated=True)
    if draw.chance(0.4):
        head, clause = ask(Clause(subject, KNOW_THAT)), _content(draw)
        return f"{head[0]} whether {english.statement(clause)}?", f"{head[1]}, ob {german.verb_final(clause)}?"
    return join(matrix, ("whether", "ob"), _content(draw), main_first=True)


def _content(draw: Sampler) -> Clause:
    """What is known, said or asked."""
    if draw.chance(0.12):
        return state(draw.subject(), draw.choose(STATES), draw.choose((PRESENT, PAST)), negated=draw.chance(0.2))
    if draw.chance(0.06):
        return weather_clause(draw, draw.choose((PRESENT, PAST)), negated=draw.chance(0.4))
    return draw.clause(adverbs=0.3)


def _speakers(draw: Sampler) -> tuple[Phrase, Pronoun]:
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


def because(draw: Sampler) -> Pair:
    """She went home because she was tired."""
    subject, pronoun = _speakers(draw)
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
    main = draw.clause(verbs=named(*CAUSES), subject=subject, forms=REASON_FORMS, negated=0.0, adverbs=0.1)
    return main, state(other, draw.choose(CAUSES[main.verb.english]), _reason_tense(main))


def _because_hindered(draw: Sampler, subject: Phrase, other: Phrase) -> tuple[Clause, Clause]:
    main = draw.clause(verbs=named(*ACTIVE), subject=subject, forms=REASON_FORMS, negated=1.0, adverbs=0.1)
    if draw.chance(0.4):
        return main, _has(other, draw.choose((TIME, MONEY)), _reason_tense(main), negated=True)
    return main, state(other, draw.choose(HINDRANCES), _reason_tense(main))


def _because_of_love(draw: Sampler, subject: Phrase, other: Phrase) -> tuple[Clause, Clause]:
    while True:
        main = draw.clause(verbs=named(*DONE_FOR_LOVE), subject=subject, forms=REASON_FORMS, negated=0.1, adverbs=0.1)
        loved = main.accusative or main.dative
        pronoun = pronoun_of(loved) if loved else None
        if pronoun and pronoun is not pronoun_of(subject):
            verb = BY_NAME[draw.choose(("love", "like"))]
            return main, Clause(other, verb, _reason_tense(main), accusative=pronoun, negated=main.negated)


def although(draw: Sampler) -> Pair:
    """Although he was tired, he helped her."""
    subject, pronoun = _speakers(draw)
    main_first = draw.chance(0.4)
    first, second = (subject, pronoun) if main_first else (pronoun, subject)
    main = draw.clause(verbs=named(*ACTIVE), subject=first, forms=REASON_FORMS, negated=0.0, adverbs=0.2)
    tense = _reason_tense(main)
    obstacle = draw.choose(
        (
            state(second, draw.choose(HINDRANCES), tense),
            _has(second, TIME, tense, negated=True),
            weather_clause(draw, tense),
        )
    )
    if obstacle.verb.english in ("rain", "snow", "be") and obstacle.subject is not second:
        main = replace(main, subject=subject)
    return join(main, ("although", "obwohl"), obstacle, main_first=main_first)


CONSEQUENCES: tuple[tuple[Adjective | Noun | None, tuple[str, ...]], ...] = (
    (HUNGRY, ("eat", "cook", "go")),
    (THIRSTY, ("drink",)),
    (TIRED, ("sleep", "stay", "go")),
    (SICK, ("stay", "sleep", "go")),
    (HAPPY, ("sing", "dance", "laugh")),
    (TIME, ("help", "visit", "call", "read", "write", "cook", "swim", "play", "meet")),
    (TIME, ("help", "visit", "call", "invite", "learn", "dance")),
    (MONEY, ("buy",)),
    (MONEY, ("buy", "drive")),
    (None, ("stay", "read", "cook", "drive")),
)
"""What one can or will do if one is hungry, has time, or (None) if the weather is bad."""


def if_(draw: Sampler) -> Pair:
    """If I have time, I will help you."""
    subject, pronoun = _speakers(draw)
    main_first = draw.chance(0.3)
    first, second = (subject, pronoun) if main_first else (pronoun, subject)
    cause, names = draw.choose(CONSEQUENCES)
    forms: tuple[Form, ...] = tuple(
        (PRESENT, modal) for modal in (WILL, CAN, MUST) if modal is not MUST or cause in (TIRED, SICK)
    )
    main = draw.clause(verbs=named(*names), subject=first, forms=forms, negated=0.0, adverbs=0.15)
    if cause is None:
        condition, main = weather_clause(draw, PRESENT), replace(main, subject=subject)
    elif isinstance(cause, Noun):
        condition = _has(second, cause, PRESENT)
    else:
        condition = state(second, cause)
    return join(main, ("if", "wenn"), condition, main_first=main_first)


SCENES = ("come", "see", "hear", "find", "meet", "open", "read", "call", "get up", "arrive")
REACTIONS = ("laugh", "cry", "kiss", "thank", "help", "invite", "call", "go", "sing", "show", "give", "ask", "speak")


def when(draw: Sampler) -> Pair:
    """When he came home, she kissed him."""
    past: tuple[Form, ...] = ((PAST, None),)
    while YOU in (speakers := _speakers(draw)):  # du has no Präteritum of most verbs
        pass
    subject, pronoun = speakers
    other = subject if draw.chance(0.4) else draw.choose([pronoun for pronoun in PRONOUNS if pronoun is not YOU])
    if draw.chance(0.25):
        scene = state(subject, draw.choose(STATES), PAST)
    else:
        scene = draw.clause(verbs=named(*SCENES), subject=subject, forms=past, negated=0.0, adverbs=0.0)
    reactor = pronoun if other is subject else other
    if draw.chance(0.25):
        main = state(reactor, draw.choose((HAPPY, SAD)), PAST)
    else:
        main = draw.clause(verbs=named(*REACTIONS), subject=reactor, forms=past, negated=0.0, adverbs=0.0)
    return join(main, ("when", "als"), scene, main_first=draw.chance(0.3))
