"""German: forms of words, and clauses from their meaning."""

import re

from data.grammar.alignment import Word, Words, expression, part_of
from data.grammar.meaning import Clause, Complement, Description, Determiner, Name, Phrase, Pronoun
from data.grammar.verbs import BE
from data.grammar.words import Adjective, Case, Fixed, Gender, Noun, Person, Preposition, Tense, Verb

HABE = ("habe", "hast", "hat", "haben", "haben")
BIN = BE.present or ()
INSEPARABLE = ("be", "ver")  # prefixes that take the place of ge- in the participle
CONTRACTED = {"in dem": "im", "in das": "ins", "an dem": "am", "zu dem": "zum", "zu der": "zur"}
NUMBER_OF_GENDERS = 3

# Endings by case (rows) and by masculine, feminine, neuter, plural (columns).
DER = (("er", "ie", "as", "ie"), ("en", "ie", "as", "ie"), ("em", "er", "em", "en"))
EIN = (("", "e", "", "e"), ("en", "e", "", "e"), ("em", "er", "em", "en"))
WEAK = (("e", "e", "e", "en"), ("en", "e", "e", "en"), ("en", "en", "en", "en"))  # after der
MIXED = (("er", "e", "es", "en"), ("en", "e", "es", "en"), ("en", "en", "en", "en"))  # after ein, kein, mein
STRONG = (("er", "e", "es", "e"), ("en", "e", "es", "e"), ("em", "er", "em", "en"))  # after nothing


def _stem(verb: Verb) -> str:
    return verb.german.removesuffix("en")


def _linking_e(stem: str) -> str:
    """The e that makes `arbeit-e-t` and `öffn-e-t` speakable: after t, d, and n or m behind another consonant."""
    return "e" if re.search(r"([td]|[^aeiouäöühlmnr][nm])$", stem) else ""


def present(verb: Verb, person: Person) -> str:
    """The present: -e, -st, -t, -en, -en; a stem in s, ß or z takes only -t for `du` (`du küsst`, `du isst`)."""
    if verb.present:
        return verb.present[person.value]
    stem, link = _stem(verb), _linking_e(_stem(verb))
    if verb.vowel and person in (Person.SECOND, Person.THIRD):
        stem, link = verb.vowel, ""
    if person is Person.SECOND:
        return stem + ("t" if re.search(r"[sßz]$", stem) else f"{link}st")
    endings = {Person.FIRST: "e", Person.THIRD: f"{link}t"}
    return stem + endings.get(person, "en")


def past(verb: Verb, person: Person) -> str:
    """The Präteritum: `ich küsste`, `wir küssten`; `ich sah`, `wir sahen`; `du` only of hatte, war and modals."""
    weak = f"{_stem(verb)}{_linking_e(_stem(verb))}te"
    return _past_with_ending(verb.past or weak, person)


def _past_with_ending(first: str, person: Person) -> str:
    if person is Person.SECOND:
        return f"{first}st"
    if person.is_plural:
        return first + ("n" if first.endswith("e") else "en")
    return first


def past_participle(verb: Verb) -> str:
    """`geküsst`, `besucht`, `gesehen`, and with a separable prefix `angerufen`."""
    stem = _stem(verb)
    ge = "" if stem.startswith(INSEPARABLE) else "ge"
    return verb.prefix + (verb.participle or f"{ge}{stem}{_linking_e(stem)}t")


def infinitive(verb: Verb) -> str:
    """`anrufen`: with the prefix."""
    return verb.prefix + verb.german


def _column(noun: Noun, *, plural: bool) -> int:
    return NUMBER_OF_GENDERS if plural else list(Gender).index(noun.gender)


def _noun(noun: Noun, case: Case, *, plural: bool) -> str:
    """The noun itself: dative plurals end in -n (not after -n, -s), weak nouns have one form beside the nominative."""
    if plural and noun.plural:
        form = noun.plural[1]
        return f"{form}n" if case is Case.DATIVE and not form.endswith(("n", "s")) else form
    return noun.oblique if noun.oblique and case is not Case.NOMINATIVE else noun.german


def _has_no_article(phrase: Description) -> bool:
    return phrase.determiner is Determiner.A and (phrase.plural or not phrase.noun.countable)


def _description(phrase: Description, case: Case) -> Words:
    column = _column(phrase.noun, plural=phrase.plural)
    stem = phrase.determiner.value[1]
    if _has_no_article(phrase):
        article, endings = "", STRONG
    elif phrase.determiner is Determiner.THE:
        article, endings = stem + DER[case.value][column], WEAK
    else:
        article, endings = stem + EIN[case.value][column], MIXED
    adjective = phrase.adjective.stem + endings[case.value][column] if phrase.adjective else ""
    return (
        *((Word(article, "determiner"),) if article else ()),
        *((Word(adjective, "adjective"),) if adjective else ()),
        Word(_noun(phrase.noun, case, plural=phrase.plural), "noun"),
    )


def noun_phrase(phrase: Phrase, case: Case) -> Words:
    """A phrase in its case."""
    if isinstance(phrase, Description):
        return _description(phrase, case)
    if isinstance(phrase, Name):
        return expression(phrase.german, phrase.english)
    return (Word(phrase.german[case.value], "pronoun"),)


def prepositional_phrase(preposition: Preposition, phrase: Phrase) -> Words:
    """The phrase in the preposition's case; `in dem` becomes `im` and so on."""
    first, *others = noun_phrase(phrase, preposition.case)
    if contracted := CONTRACTED.get(f"{preposition.german} {first.text}"):
        return Word(contracted, "preposition", ("determiner",)), *others
    return Word(preposition.german, "preposition"), first, *others


def _complement(complement: Complement | Fixed | Adjective | None) -> Words:
    if complement is None:
        return ()
    if isinstance(complement, Complement):
        return prepositional_phrase(complement.preposition, complement.phrase)
    return expression(complement.german, complement.english)


def verbs(clause: Clause) -> tuple[Word, Words]:
    """The finite verb and the right bracket, which closes the clause: "hat" and "geküsst", "ruft" and "an"."""
    person, tense, modal, verb = clause.subject.person, clause.tense, clause.modal, clause.verb
    if modal is not None:
        finite = modal.present[person.value]
        if tense is Tense.PAST:
            finite = _past_with_ending(modal.german_past or "", person)
        return Word(finite, "modal", ("finite",)), (Word(infinitive(verb), "verb"),)
    if tense is Tense.PERFECT:
        auxiliary = (BIN if verb.with_sein else HABE)[person.value]
        return Word(auxiliary, "auxiliary"), (Word(past_participle(verb), "verb"),)
    finite = (present if tense is Tense.PRESENT else past)(verb, person)
    return Word(finite, "verb", ("finite",)), (Word(verb.prefix, None, ("verb",)),) if verb.prefix else ()


def _object(clause: Clause, role: str, phrase: Phrase, case: Case) -> Words:
    """An object; `kein` says the negation, and hints at the English article."""
    first, *others = part_of(role, noun_phrase(phrase, case))
    if role == "accusative" and clause.negates_object:
        first = Word(first.text, "negation", (f"{role}.determiner",))
    return first, *others


def _middle(clause: Clause) -> Words:
    """What stands between the brackets: pronouns, what is known, the time, `nicht`, the place, what is new.

    The accusative goes before the dative when both are pronouns, after it when both are nouns.
    """
    dative = [("dative", clause.dative, Case.DATIVE)] if clause.dative else []
    accusative = [("accusative", clause.direct_object, Case.ACCUSATIVE)] if clause.direct_object else []
    pronouns = [each for each in accusative + dative if isinstance(each[1], Pronoun)]
    nouns = [each for each in dative + accusative if not isinstance(each[1], Pronoun)]
    known = [each for each in nouns if each[1].is_definite]
    new = [each for each in nouns if not each[1].is_definite]
    return (
        *(word for each in pronouns + known for word in _object(clause, *each)),
        *adverb(clause),
        *((Word("nicht", "negation"),) if clause.negated and not clause.negates_object else ()),
        *part_of("complement", _complement(clause.complement)),
        *(word for each in new for word in _object(clause, *each)),
    )


def adverb(clause: Clause) -> Words:
    """The adverb, wherever it stands."""
    return part_of("adverb", expression(clause.adverb.german, clause.adverb.english)) if clause.adverb else ()


def _subject(clause: Clause) -> Words:
    return part_of("subject", noun_phrase(clause.subject, Case.NOMINATIVE))


def verb_second(clause: Clause) -> Words:
    """The statement that opens with its subject. Whatever else opens it goes before `verb_first`."""
    finite, bracket = verbs(clause)
    return *_subject(clause), finite, *_middle(clause), *bracket


def verb_first(clause: Clause) -> Words:
    """The finite verb, then the subject: yes/no questions, and all that follows an opening adverb or clause."""
    finite, bracket = verbs(clause)
    return finite, *_subject(clause), *_middle(clause), *bracket


def verb_final(clause: Clause) -> Words:
    """The subordinate clause: the finite verb closes it and rejoins its prefix (`dass er sie anrief`)."""
    finite, bracket = verbs(clause)
    if bracket and bracket[0].part is None:
        end: Words = (finite._replace(text=bracket[0].text + finite.text),)
    else:
        end = *bracket, finite
    return *_subject(clause), *_middle(clause), *end
