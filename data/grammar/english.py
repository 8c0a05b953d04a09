"""English: forms of words, and clauses from their meaning."""

import re

from data.grammar.alignment import Word, Words, expression, part_of
from data.grammar.meaning import Clause, Complement, Description, Determiner, Name, Phrase
from data.grammar.verbs import BE
from data.grammar.words import Adjective, Fixed, Person, Tense, Verb


def third_person(base: str) -> str:
    """The third person singular of the present: `kisses`, `cries`, `goes`, `buys`; `has` and `is` are irregular."""
    if base == "have":
        return "has"
    if re.search(r"(s|sh|ch|x|o)$", base):
        return base + "es"
    return re.sub(r"(?<=[^aeiou])y$", "ie", base) + "s"


def ing(base: str) -> str:
    """The present participle: `writing` drops its e, `swimming` doubles after one short vowel."""
    if re.fullmatch(r"[^aeiou]+[aeiou][^aeiouwxy]", base):
        return base + base[-1] + "ing"
    return re.sub(r"(?<=[^e])e$", "", base) + "ing"


def regular_past(base: str) -> str:
    """The past of a regular verb: `loved`, `cried`, `played`."""
    return re.sub(r"(?<=[^aeiou])y$", "i", re.sub(r"e$", "", base)) + "ed"


def _inflect(verb: Verb, form: str) -> Words:
    """Put a form in the place of the first word: "look for" inflects as "looked for"."""
    return Word(form, "verb"), *(Word(particle, None, ("verb",)) for particle in verb.english.split()[1:])


def base(verb: Verb) -> Words:
    """The infinitive without "to"."""
    return _inflect(verb, verb.english.split()[0])


def past(verb: Verb) -> Words:
    """The simple past."""
    return _inflect(verb, verb.english_past or regular_past(verb.english.split()[0]))


def past_participle(verb: Verb) -> Words:
    """The past participle, which equals the past unless the lexicon has another."""
    return _inflect(verb, verb.english_participle) if verb.english_participle else past(verb)


def _be(person: Person, tense: Tense) -> str:
    """The finite forms of `be`: you -> are, were."""
    present = ("am", "are", "is", "are", "are")
    was = ("was", "were", "was", "were", "were")
    return (present if tense is Tense.PRESENT else was)[person.value]


def _present(base: str, person: Person) -> str:
    return third_person(base) if person is Person.THIRD else base


def noun_phrase(phrase: Phrase, *, is_subject: bool = False) -> Words:
    """A phrase; only pronouns show whether they are the subject. `a` is `an` before a vowel."""
    if isinstance(phrase, Description):
        return _description(phrase)
    if isinstance(phrase, Name):
        return expression(phrase.english, phrase.german)
    return (Word(phrase.english[0 if is_subject else 1], "pronoun"),)


def _description(phrase: Description) -> Words:
    noun = phrase.noun
    head = noun.plural[0] if phrase.plural and noun.plural else noun.english
    words: Words = (Word(head, "noun"),)
    if phrase.adjective:
        words = Word(phrase.adjective.english, "adjective"), *words
    determiner = phrase.determiner.value[0]
    if not phrase.determiner.is_definite and noun.countable and not phrase.plural:
        determiner = "an" if words[0].text[0] in "aeiou" else "a"
    elif phrase.determiner is Determiner.A:
        return words
    return Word(determiner, "determiner"), *words


def _complement(complement: Complement | Fixed | Adjective | None) -> Words:
    if complement is None:
        return ()
    if isinstance(complement, Complement):
        return Word(complement.preposition.english, "preposition"), *noun_phrase(complement.phrase)
    return expression(complement.english, complement.german)


def _modal(text: str) -> Words:
    """A modal verb; its `to` belongs to it as well as to the infinitive."""
    return tuple(Word("to", None, ("modal", "verb")) if word == "to" else Word(word, "modal") for word in text.split())


def verbs(clause: Clause, *, inverted: bool = False) -> tuple[Words, Words]:
    """The auxiliary and the rest of the verb: "has" and "kissed", nothing and "kissed".

    Questions and negations need an auxiliary and take `do` when there is none. `do` and the `be` of the progressive
    mean no more than the ending of the German verb.
    """
    person, tense, modal, verb = clause.subject.person, clause.tense, clause.modal, clause.verb
    if modal is not None and modal.english_base is None:
        return _modal(modal.english_past or "" if tense is Tense.PAST else modal.english), base(verb)
    if tense is Tense.PERFECT:
        return (Word(_present("have", person), "auxiliary"),), past_participle(verb)
    if verb is BE:
        return (Word(_be(person, tense), "verb"),), ()
    if clause.progressive:
        return (Word(_be(person, tense), None, ("finite",)),), _inflect(verb, ing(verb.english.split()[0]))
    if inverted or clause.negated:
        do = Word("did" if tense is Tense.PAST else _present("do", person), None, ("finite",))
        return (do,), (*_modal(modal.english_base or "" if modal else ""), *base(verb))
    if modal is not None:
        present = modal.english if person is Person.THIRD else modal.english_base
        return (), (*_modal((modal.english_past if tense is Tense.PAST else present) or ""), *base(verb))
    return (), past(verb) if tense is Tense.PAST else _inflect(verb, _present(verb.english.split()[0], person))


def _adverb(clause: Clause) -> Words:
    return part_of("adverb", expression(clause.adverb.english, clause.adverb.german)) if clause.adverb else ()


def _predicate(clause: Clause, verb: Words, *, adverb: bool) -> Words:
    """All after the auxiliary and the subject: not, often, the verb, objects, complement, yesterday."""
    is_inner = clause.adverb is not None and clause.adverb.inner
    return (
        *((Word("not", "negation"),) if clause.negated else ()),
        *(_adverb(clause) if is_inner else ()),
        *verb,
        *(part_of("dative", noun_phrase(clause.dative)) if clause.dative else ()),
        *(part_of("accusative", noun_phrase(clause.direct_object)) if clause.direct_object else ()),
        *part_of("complement", _complement(clause.complement)),
        *(_adverb(clause) if adverb and not is_inner else ()),
    )


def _subject(clause: Clause) -> Words:
    return part_of("subject", noun_phrase(clause.subject, is_subject=True))


def statement(clause: Clause, *, fronted: bool = False) -> Words:
    """Subject, verb, object. With `fronted` the adverb opens the clause, which changes nothing else."""
    auxiliary, verb = verbs(clause)
    front = _adverb(clause) if fronted else ()
    return *front, *_subject(clause), *auxiliary, *_predicate(clause, verb, adverb=not fronted)


def question(clause: Clause, word: Words = ()) -> Words:
    """The auxiliary before the subject, perhaps after a question word."""
    auxiliary, verb = verbs(clause, inverted=True)
    return *word, *auxiliary, *_subject(clause), *_predicate(clause, verb, adverb=True)
