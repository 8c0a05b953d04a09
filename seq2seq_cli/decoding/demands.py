"""Demands of a user on translations: their beginning, and the translations of terms."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from seq2seq_cli.decoding.alignment import positions_of_span
from seq2seq_cli.decoding.glossary import Glossary
from seq2seq_cli.decoding.search.constraints import Constraints, Form, Term
from seq2seq_cli.errors import InputError
from seq2seq_cli.text.codec import Codec, Reading
from seq2seq_cli.text.normalise import SPACING, in_spaced_word, normalise
from seq2seq_cli.text.vocabulary import UNK

MOST_DEMANDED = 8
"""Most numbers and names of a sentence that its translation is searched for: the time grows with their square."""


@dataclass(frozen=True, kw_only=True)
class Demands:
    """A beginning of each translation, and the translations of terms that occur in its source."""

    prefix: str = ""
    glossary: Glossary = field(default_factory=Glossary)

    def check(self, codec: Codec) -> None:
        """Raise InputError for words that cannot be written with the codec of the target."""
        if UNK in codec.read(self.prefix).ids:
            raise InputError(f"--prefix {self.prefix}: has words that the model cannot write: choose others")
        for term, translations in self.glossary.terms.items():
            if not any(True for _ in forms(translations, codec)):
                raise InputError(
                    f"--glossary: {term}: the model cannot write all words of {' or '.join(translations)}: give another"
                    " translation"
                )

    def constraints(
        self, sentence: Reading, codec: Codec, *, protected: AbstractSet[int] = frozenset(), is_first: bool = True
    ) -> Constraints:
        """The constraints on the translation of a sentence, without terms at positions that are `protected`.

        The prefix is for the first sentence of a text.
        """
        prefix = normalise(self.prefix) if is_first else ""
        terms = tuple(
            Term(tuple(forms(translations, codec)), positions)
            for positions, translations in self.terms(sentence, protected)
        )
        return Constraints(
            prefix=tuple(codec.read(prefix).ids) if prefix else (),
            terms=terms,
            after_prefix=codec.inner_ids if in_spaced_word(prefix[-1:]) else frozenset(),
        )

    def terms(
        self, sentence: Reading, protected: AbstractSet[int]
    ) -> Iterator[tuple[tuple[int, ...], tuple[str, ...]]]:
        """The positions of each term of the glossary in a sentence, but for those `protected`, and its translations."""
        text = normalise(sentence.text)
        for span, translations in self.glossary.demanded(text):
            positions = positions_of_span(sentence, text, span)
            if protected.isdisjoint(positions):
                yield positions, translations


def forms(translations: Sequence[str], codec: Codec) -> Iterator[Form]:
    """The ids of each translation that the codec can write, with a space before it and, behind a bracket, without."""
    for translation in translations:
        words = codec.read(translation).words
        ids = tuple(id_ for word in words for id_ in word.ids)
        if UNK in ids or not ids:
            continue
        if codec.unit == "character":
            space = codec.vocabulary.id(SPACING)
            spaced, unspaced = ids if space == UNK else (space, *ids), ids
        else:
            begin = codec.token_ids(codec.segmenter.tokens(normalise(translation))[0].removeprefix(SPACING))
            spaced, unspaced = ids, (*begin, *ids[len(words[0].ids) :])
        yield spaced
        if unspaced != spaced and unspaced[0] in codec.inner_ids and UNK not in unspaced:
            yield unspaced
