"""Demands of a user on translations: their beginning, and the translations of terms."""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from seq2seq_cli.decoding.alignment import positions_of_span
from seq2seq_cli.decoding.glossary import Glossary
from seq2seq_cli.decoding.search.constrained import Constraints, Form, Term
from seq2seq_cli.errors import InputError
from seq2seq_cli.text.codec import FINAL_MARKS, Codec, Reading, Word
from seq2seq_cli.text.normalise import SPACING, in_spaced_word, normalise
from seq2seq_cli.text.vocabulary import UNK


@dataclass(frozen=True, kw_only=True)
class Demands:
    """A beginning of each translation, and the translations of terms that occur in its source."""

    prefix: str = ""
    glossary: Glossary = field(default_factory=Glossary)

    @property
    def are_any(self) -> bool:
        """Whether there is any."""
        return bool(self.prefix or self.glossary.terms)

    def check(self, codec: Codec) -> None:
        """Raise InputError for words that cannot be written with the codec of the target."""
        if UNK in _ids(codec.read_part(self.prefix)):
            raise InputError(f"--prefix {self.prefix}: has words that the model cannot write: choose others")
        for term, translations in self.glossary.terms.items():
            if not any(True for _ in forms(translations, codec)):
                raise InputError(
                    f"--glossary: {term}: the model cannot write all words of {' or '.join(translations)}: give another"
                    " translation"
                )

    def constraints(
        self, sentence: Reading, codec: Codec, *, kept: AbstractSet[int] = frozenset(), is_first: bool = True
    ) -> Constraints:
        """The constraints on the translation of a sentence; `codec` is that of the target.

        The prefix is for the first sentence of a text. A term at one of the positions `kept` is left alone.
        """
        prefix = normalise(self.prefix) if is_first else ""
        # A translation in capitals begins with the unit for them, also before a prefix in capitals.
        prefix_ids = _ids(codec.read(prefix).words if sentence.is_in_capitals else codec.read_part(prefix))
        terms = tuple(self._terms(sentence, codec, kept))
        # A sentence with a final mark inside, as in a quotation, may have a term behind it.
        is_plain = not any(FINAL_MARKS.issuperset(word.text) for word in sentence.words[:-1] if word.text)
        return Constraints(
            prefix=prefix_ids,
            terms=terms,
            continuing=codec.inner_ids if terms else frozenset(),
            opening=codec.opening_ids if terms else frozenset(),
            after_prefix=codec.inner_ids if in_spaced_word(prefix[-1:]) else frozenset(),
            closing=codec.final_ids if terms and is_plain else frozenset(),
        )

    def _terms(self, sentence: Reading, codec: Codec, kept: AbstractSet[int]) -> Iterator[Term]:
        text = normalise(sentence.text)
        for span, translations in self.glossary.demanded(text):
            positions = positions_of_span(sentence, text, span)
            if kept.isdisjoint(positions):
                yield Term(tuple(forms(translations, codec)), positions)


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
            begin = codec.token_ids(codec.segmenter.tokens(normalise(translation))[0].removeprefix(SPACING))
            spaced, unspaced = ids, (*begin, *ids[len(words[0].ids) :])
        yield spaced
        if unspaced != spaced and unspaced[0] in codec.inner_ids and UNK not in unspaced:
            yield unspaced


def _ids(words: Sequence[Word]) -> tuple[int, ...]:
    return tuple(id_ for word in words for id_ in word.ids)
