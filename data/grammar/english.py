"""English: forms of words, and clauses from their meaning."""

import re

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


def _inflect(verb: Verb, form: str) -> str:
    """Put a form in the place of the first word: "look for" inflects as "looked for"."""
    return " ".join([form, *verb.english.split()[1:]])


def past(verb: Verb) -> str:
    """The simple past."""
    return _inflect(verb, verb.english_past or regular_past(verb.english.split()[0]))


def past_participle(verb: Verb) -> str:
    """The past participle, which equals the past unless the lexicon has another."""
    return _inflect(verb, verb.english_participle) if verb.english_participle else past(verb)


def _be(person: Person, tense: Tense) -> str:
    """The finite forms of `be`: you -> are, were."""
    present = ("am", "are", "is", "are", "are")
    was = ("was", "were", "was", "were", "were")
    return (present if tense is Tense.PRESENT else was)[person.value]


def _present(base: str, person: Person) -> str:
    first, *rest = base.split()
    return " ".join([third_person(first) if person is Person.THIRD else first, *rest])


def noun_phrase(phrase: Phrase, *, is_subject: bool = False) -> str:
    """A phrase; only pronouns show whether they are the subject. `a` is `an` before a vowel."""
    if isinstance(phrase, Description):
        return _description(phrase)
    if isinstance(phrase, Name):
        return phrase.english
    return phrase.english[0 if is_subject else 1]


def _description(phrase: Description) -> str:
    noun = phrase.noun
    head = noun.plural[0] if phrase.plural and noun.plural else noun.english
    words = [phrase.adjective.english, head] if phrase.adjective else [head]
    determiner = phrase.determiner.value[0]
    if not phrase.determiner.is_definite and noun.countable and not phrase.plural:
        determiner = "an" if words[0][0] in "aeiou" else "a"
    elif phrase.determiner is Determiner.A:
        return " ".join(words)
    return " ".join([determiner, *words])


def _complement(complement: Complement | Fixed | Adjective | None) -> str:
    if complement is None:
        return ""
    if isinstance(complement, Complement):
        return f"{complement.preposition.english} {noun_phrase(complement.phrase)}"
    return complement.english


def verbs(clause: Clause, *, inverted: bool = False) -> tuple[str, str]:
    """The auxiliary and the rest of the verb: ("has", "kissed"), ("", "kissed").

    Questions and negations need an auxiliary and take `do` when there is none.
    """
    person, tense, modal, verb = clause.subject.person, clause.tense, clause.modal, clause.verb
    if modal is not None and modal.english_base is None:
        return (modal.english_past or "" if tense is Tense.PAST else modal.english), verb.english
    if tense is Tense.PERFECT:
        return _present("have", person), past_participle(verb)
    if verb is BE:
        return _be(person, tense), ""
    if clause.progressive:
        return _be(person, tense), _inflect(verb, ing(verb.english.split()[0]))
    base, past_form = verb.english, past(verb)
    if modal is not None:
        base, past_form = f"{modal.english_base} {verb.english}", f"{modal.english_past} {verb.english}"
    if inverted or clause.negated:
        return ("did" if tense is Tense.PAST else _present("do", person)), base
    return "", (past_form if tense is Tense.PAST else _present(base, person))


def _join(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _predicate(clause: Clause, verb: str, *, adverb: bool) -> str:
    """All after the auxiliary and the subject: not, often, the verb, objects, complement, yesterday."""
    time = clause.adverb
    return _join(
        "not" if clause.negated else "",
        time.english if time and time.inner else "",
        verb,
        noun_phrase(clause.dative) if clause.dative else "",
        noun_phrase(clause.direct_object) if clause.direct_object else "",
        _complement(clause.complement),
        time.english if time and adverb and not time.inner else "",
    )


def statement(clause: Clause, *, fronted: bool = False) -> str:
    """Subject, verb, object. With `fronted` the adverb opens the clause, which changes nothing else."""
    auxiliary, verb = verbs(clause)
    subject = noun_phrase(clause.subject, is_subject=True)
    front = clause.adverb.english if fronted and clause.adverb else ""
    return _join(front, subject, auxiliary, _predicate(clause, verb, adverb=not fronted)).replace("can not", "cannot")


def question(clause: Clause, word: str = "") -> str:
    """The auxiliary before the subject, perhaps after a question word."""
    auxiliary, verb = verbs(clause, inverted=True)
    subject = noun_phrase(clause.subject, is_subject=True)
    return _join(word, auxiliary, subject, _predicate(clause, verb, adverb=True))
