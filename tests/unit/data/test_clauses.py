"""The two languages from the same meaning, against translations written by hand."""

import pytest

from data.grammar import english, german
from data.grammar.alignment import written
from data.grammar.lexicon import ADJECTIVES, ADVERBS, NOUNS, TIRED
from data.grammar.meaning import HE, SHE, THEY, WE, YOU, Clause, Complement, Description, Determiner, I
from data.grammar.verbs import BE, CAN, HOMEWARDS, VERBS, WANT, WILL, WITH
from data.grammar.words import Tense

VERB = {verb.english: verb for verb in VERBS}
ADVERB = {adverb.english: adverb for adverb in ADVERBS}
PAST, PERFECT = Tense.PAST, Tense.PERFECT


def a(noun: str, adjective: str = "", *, plural: bool = False, determiner: Determiner = Determiner.A) -> Description:
    """A phrase by its English words."""
    noun_entry = next(entry for entry in NOUNS if entry.english == noun)
    fitting = next((entry for entry in ADJECTIVES if entry.english == adjective), None)
    return Description(noun_entry, determiner, plural, fitting)


def the(noun: str, adjective: str = "", *, plural: bool = False) -> Description:
    return a(noun, adjective, plural=plural, determiner=Determiner.THE)


def her(noun: str, adjective: str = "", *, plural: bool = False) -> Description:
    return a(noun, adjective, plural=plural, determiner=Determiner.HER)


IN_GERMAN = [
    (Clause(SHE, VERB["call"], PERFECT, accusative=HE), "sie ihn angerufen hat"),
    (Clause(SHE, VERB["get up"], PAST), "sie aufstand"),
    (Clause(WE, VERB["close"], modal=WILL, accusative=the("window")), "wir das Fenster zumachen werden"),
    (Clause(HE, VERB["stay"], PERFECT), "er geblieben ist"),
]
STATEMENTS = [
    (Clause(SHE, VERB["kiss"], PAST, accusative=HE), "she kissed him", "sie küsste ihn"),
    (
        Clause(HE, VERB["buy"], PAST, accusative=a("hat", "expensive"), negated=True),
        *("he did not buy an expensive hat", "er kaufte keinen teuren Hut"),
    ),
    (
        Clause(I, VERB["eat"], PERFECT, accusative=a("apple", plural=True), negated=True),
        *("I have not eaten any apples", "ich habe keine Äpfel gegessen"),
    ),
    (
        Clause(YOU, VERB["invite"], accusative=the("boy"), adverb=ADVERB["today"]),
        *("you are inviting the boy today", "du lädst den Jungen heute ein"),
    ),
    (
        Clause(THEY, VERB["help"], dative=her("daughter", plural=True), adverb=ADVERB["often"]),
        *("they often help her daughters", "sie helfen ihren Töchtern oft"),
    ),
    (
        Clause(SHE, VERB["give"], PERFECT, accusative=a("book"), dative=the("child", "small")),
        *("she has given the small child a book", "sie hat dem kleinen Kind ein Buch gegeben"),
    ),
    (
        Clause(WE, VERB["go"], PERFECT, complement=HOMEWARDS, negated=True),
        *("we have not gone home", "wir sind nicht nach Hause gegangen"),
    ),
    (
        Clause(SHE, VERB["dance"], PAST, complement=Complement(WITH, her("neighbor", "nice"))),
        *("she danced with her nice neighbor", "sie tanzte mit ihrem netten Nachbarn"),
    ),
    (
        Clause(HE, VERB["look for"], modal=WANT, accusative=the("key"), negated=True),
        *("he does not want to look for the key", "er will den Schlüssel nicht suchen"),
    ),
    (Clause(I, BE, PAST, complement=TIRED, negated=True), "I was not tired", "ich war nicht müde"),
]
QUESTIONS = [
    (Clause(YOU, VERB["like"], accusative=the("dog", "old")), "do you like the old dog", "magst du den alten Hund"),
    (Clause(HE, VERB["arrive"], PERFECT), "has he arrived", "ist er angekommen"),
    (Clause(THEY, VERB["swim"], modal=CAN), "can they swim", "können sie schwimmen"),
]


def test_clauses_by_hand() -> None:
    for clause, says, sagt in STATEMENTS:
        assert (written(english.statement(clause)), written(german.verb_second(clause))) == (says, sagt)
    for clause, asks, fragt in QUESTIONS:
        assert (written(english.question(clause)), written(german.verb_first(clause))) == (asks, fragt)
    for clause, subordinate in IN_GERMAN:
        assert written(german.verb_final(clause)) == subordinate


@pytest.mark.parametrize(
    ("base", "third", "progressive"),
    [
        ("kiss", "kisses", "kissing"),
        ("cry", "cries", "crying"),
        ("play", "plays", "playing"),
        ("go", "goes", "going"),
        ("have", "has", "having"),
        ("write", "writes", "writing"),
        ("swim", "swims", "swimming"),
        ("see", "sees", "seeing"),
        ("visit", "visits", "visiting"),
        ("open", "opens", "opening"),
    ],
)
def test_english_endings(base: str, third: str, progressive: str) -> None:
    assert (english.third_person(base), english.ing(base)) == (third, progressive)
