"""Demands of a user on translations: their beginning, and the translations of terms."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeAlias

from seq2seq_cli.decoding.search.constrained import Constraints, Form, Term
from seq2seq_cli.errors import InputError
from seq2seq_cli.text import characters
from seq2seq_cli.text.characters import BEGINNING, SPACING, Case, Span, lowered, normalise, solid_length
from seq2seq_cli.text.codec import Codec, Reading, Word
from seq2seq_cli.text.vocabulary import BOS, PAD, UNK

Terms: TypeAlias = Mapping[str, tuple[str, ...]]
"""A glossary: terms of the source, each with its translations, of which one must be used."""

_ONE_MARK = str.maketrans(dict.fromkeys(characters.INNER_MARKS, "'"))


def glossary_of(lines: Iterable[str], name: str) -> Terms:
    """The glossary in lines with a term, a tab or ``=``, and its translation; several of a term are alternatives.

    Blank lines are skipped. Raises InputError for a line of another form, with the name of the glossary and its number.
    """
    terms: dict[str, tuple[str, ...]] = {}
    tabbed = (line if "\t" in line else line.replace("=", "\t") for line in lines)
    for _, term, translation in translated_lines(tabbed, name, "a term, a tab or =,"):
        terms[term] = tuple(dict.fromkeys((*terms.get(term, ()), translation)))
    return terms


def translated_lines(lines: Iterable[str], name: str, what: str) -> Iterator[tuple[int, str, str]]:
    """The number of each line that is not blank, and what stands on both sides of its tab.

    Raises InputError for a line of another form.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        columns = [normalise(column) for column in line.split("\t")]
        if len(columns) != 2 or not all(columns):
            raise InputError(f"{name}:{number}: needs {what} and its translation, and nothing else")
        yield number, columns[0], columns[1]


def demanded(terms: Terms, text: str) -> list[tuple[Span, tuple[str, ...]]]:
    """The span of each term that occurs in a normalised text, in its order, and the translations of the term.

    A term occurs as whole words, with any of INNER_MARKS; one in lower case occurs in any case. Where terms overlap,
    the longer one counts.
    """
    cases = text, "".join(map(lowered, text)), "".join(map(lowered, text.replace("I", "ı")))  # as in Turkish
    as_it_is, small, dotless = (each.translate(_ONE_MARK) for each in cases)
    found: list[tuple[Span, tuple[str, ...]]] = []
    taken: set[int] = set()
    for term in sorted(terms, key=len, reverse=True):
        in_lower_case = dotless if "ı" in term else small
        spelled, place = (term.replace("ς", "σ"), in_lower_case) if term == term.lower() else (term, as_it_is)
        for start in _occurrences(spelled.translate(_ONE_MARK), place, text):
            span = range(start, start + len(term))
            if taken.isdisjoint(span):
                taken.update(span)
                found.append(((span.start, span.stop), terms[term]))
    return sorted(found)


def _occurrences(term: str, place: str, text: str) -> Iterator[int]:
    """The positions at which a term begins in a place, as whole words of the text that it spells."""
    start = place.find(term)
    while start >= 0:
        edges = [text[max(edge - 1, 0) : edge + 1] for edge in (start, start + len(term))]
        if not any(len(around) == 2 and all(map(characters.in_spaced_word, around)) for around in edges):
            yield start
        start = place.find(term, start + 1)


@dataclass(frozen=True, kw_only=True)
class Demands:
    """A beginning of each translation, and the translations of terms that occur in its source."""

    prefix: str | tuple[int, ...] = ""
    """Text, or the ids of tokens."""
    terms: Terms = field(default_factory=dict)

    def check(self, codec: Codec, glossary: str) -> None:
        """Raise InputError for words and ids that cannot be written with the codec of the target."""
        if not isinstance(self.prefix, str):
            if not {*range(len(codec.vocabulary))}.difference((PAD, BOS)).issuperset(self.prefix):
                raise InputError(f"prefix: the ids of tokens are 1 and from 3 to {len(codec.vocabulary) - 1}")
        elif UNK in _ids(codec.read_part(self.prefix, begins=True)):
            raise InputError(f"--prefix {self.prefix}: has words that the model cannot write: choose others")
        for term, translations in self.terms.items():
            if not any(True for _ in forms(translations, codec)):
                problem = f"{glossary}: {term}: the model cannot write all words of {' or '.join(translations)}"
                raise InputError(f"{problem}: give another translation")

    def case(self, sentence: Reading) -> Case:
        """The case of the translation of a sentence that begins with the prefix: at its beginning, the prefix's."""
        if not isinstance(self.prefix, str) or sentence.case not in ("usual", "small"):
            return sentence.case
        return "small" if self.prefix[:1].islower() else "usual"

    def constraints(self, sentence: Reading, codec: Codec, *, is_first: bool = True) -> Constraints:
        """The constraints on the translation of a sentence; `codec` is the codec of the target.

        The prefix is for the first sentence of a text. A term with a protected word is left alone.
        """
        given = self.prefix if is_first else ""
        prefix = given if isinstance(given, str) else ""
        has_other_case = sentence.case in ("capitals", "title")
        words = codec.read(prefix).words if has_other_case else codec.read_part(prefix, begins=True)
        terms = tuple(self._terms(sentence, codec)) if self.terms else ()
        # A sentence with a final mark inside, as in a quotation, may have a term behind it.
        is_plain = not any(characters.FINAL_MARKS.issuperset(word.text) for word in sentence.words[:-1] if word.text)
        return Constraints(
            prefix=_ids(words) if isinstance(given, str) else given,
            terms=terms,
            continuing=codec.inner_ids if terms else frozenset(),
            opening=codec.vocabulary.opening_ids if terms else frozenset(),
            after_prefix=codec.inner_ids if characters.in_spaced_word(prefix[-1:]) else frozenset(),
            closing=codec.vocabulary.final_ids if terms and is_plain else frozenset(),
        )

    def _terms(self, sentence: Reading, codec: Codec) -> Iterator[Term]:
        """The terms of a sentence, each with the positions of the ids of its words."""
        text = normalise(sentence.text)
        word_starts = list(accumulate((solid_length(word.text) for word in sentence.words), initial=0))
        firsts = list(accumulate((len(word.ids) for word in sentence.words), initial=0))
        for span, translations in demanded(self.terms, text):
            start, end = (solid_length(text[:offset]) for offset in span)
            words = [i for i in range(len(sentence.words)) if max(start, word_starts[i]) < min(end, word_starts[i + 1])]
            if not any(sentence.words[i].is_protected for i in words):
                positions = (position for word in words for position in range(firsts[word], firsts[word + 1]))
                yield Term(tuple(forms(translations, codec)), tuple(positions))


def forms(translations: Sequence[str], codec: Codec) -> Iterator[Form]:
    """The ids of each translation that the codec can write, with a space before it and, behind a bracket, without."""
    for translation in translations:
        words = codec.read_part(translation)
        ids = _ids(words)
        if UNK in ids or not ids:
            continue
        if codec.unit == "character":
            space = codec.vocabulary.id(SPACING)
            spaced, unspaced = ids if space == UNK else (space, *ids), ids
        else:
            begin = codec.token_ids(codec.segmenter.tokens(codec.spelt(translation))[0].lstrip(BEGINNING + SPACING))
            spaced, unspaced = ids, (*begin, *ids[len(words[0].ids) :])
        yield spaced
        if unspaced != spaced and unspaced[0] in codec.inner_ids and UNK not in unspaced:
            yield unspaced


def _ids(words: Sequence[Word]) -> tuple[int, ...]:
    return tuple(id_ for word in words for id_ in word.ids)
