"""Demands of a user on translations: their beginning, and the translations of terms."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from seq2seq_cli.decoding.alignment import positions_of_span
from seq2seq_cli.decoding.glossary import Glossary
from seq2seq_cli.decoding.search.constraints import Constraints, Form, Term
from seq2seq_cli.errors import InputError
from seq2seq_cli.text.codec import Codec, Reading
from seq2seq_cli.text.normalise import SPACING, normalise
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
            raise InputError(f"--prefix {self.prefix}: the model does not know all of its words")
        for term, translations in self.glossary.terms.items():
            if not any(True for _ in forms(translations, codec)):
                raise InputError(
                    f"--glossary: {term}: the model does not know all words of {' or '.join(translations)}"
                )

    def constraints(self, sentence: Reading, codec: Codec, *, is_first: bool = True) -> Constraints:
        """The constraints on the translation of a sentence; the prefix is for the first sentence of a text."""
        text = normalise(sentence.text)
        terms = tuple(
            Term(tuple(forms(translations, codec)), positions_of_span(sentence, text, span))
            for span, translations in self.glossary.demanded(text)
        )
        return Constraints(
            prefix=tuple(codec.read(self.prefix).ids) if self.prefix and is_first else (),
            terms=terms,
            continuing=codec.inner_ids if terms else frozenset(),
        )


def forms(translations: Sequence[str], codec: Codec) -> Iterator[Form]:
    """The ids of each translation that the codec can write."""
    for translation in translations:
        ids = tuple(codec.read(translation).ids)
        if codec.unit == "character" and (space := codec.vocabulary.id(SPACING)) != UNK:
            ids = (space, *ids)  # so that it is no end of a longer word
        if UNK not in ids:
            yield ids
