"""From texts to translations.

S source length with ``<eos>``, T target length.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from seq2seq_cli.decoding.copying import copy_by_attention, copy_in_order
from seq2seq_cli.decoding.demands import Demands
from seq2seq_cli.decoding.engine import Engine
from seq2seq_cli.decoding.options import with_changes
from seq2seq_cli.decoding.search.hypothesis import Hypothesis
from seq2seq_cli.decoding.search.search import search
from seq2seq_cli.decoding.translation import Place, SentenceTranslation, Translation
from seq2seq_cli.errors import InputError
from seq2seq_cli.text.codec import Codec, Reading
from seq2seq_cli.text.vocabulary import EOS_UNIT

if TYPE_CHECKING:  # pydantic is not imported to translate
    from seq2seq_cli.config.schema import DecodingConfig

_CHUNK_TEXTS = 2048
_CHUNK_CHARACTERS = 2**18
_BATCH_POSITIONS = 2**14
"""Most source positions per batch, padding counted."""


@dataclass(frozen=True, kw_only=True)
class Translator:
    """Translates with one engine; the translation of a text does not depend on the texts around it."""

    engine: Engine[Any]
    src_codec: Codec
    tgt_codec: Codec
    options: "DecodingConfig"
    demands: Demands = field(default_factory=Demands)

    def with_options(self, **changes: Any) -> "Translator":
        """The same translator with other values of these keys of `DecodingConfig`; the engine is not loaded again."""
        return replace(self, options=with_changes(self.options, **changes))

    def with_n_best(self, n: int) -> "Translator":
        """The same translator with `n` translations of each text, and a beam that is large enough for them."""
        return self.with_options(n_best=n, beam_size=max(n, self.options.beam_size))

    def with_demands(self, demands: Demands) -> "Translator":
        """The same translator with other demands; raises InputError for words that its codec cannot write."""
        demands.check(self.tgt_codec)
        return replace(self, demands=demands)

    def translate(self, texts: Iterable[str]) -> list[Translation]:
        """The translations, in the order of the texts; a blank text has a blank one. See translate_stream."""
        return list(self.translate_stream(texts))

    def translate_stream(self, texts: Iterable[str], place: Place = "text {}".format) -> Iterator[Translation]:
        """The translations one by one; of a long stream only a chunk of texts is in memory at a time.

        Raises InputError for a text that is too long for the model, once the texts before it are translated.
        The message names the text by `place`.
        """
        for chunk in _chunks(self._read(texts, place)):
            translations = self._translate({reading.text: reading for reading in chunk})
            yield from (translations[reading.text] for reading in chunk)

    def _read(self, texts: Iterable[str], place: Place) -> Iterator[Reading]:
        longest = self.engine.max_source_length
        for number, text in enumerate(texts, start=1):
            tidy = self.src_codec.conventions.apply(text) if self.options.tidy_input else text
            reading = self.src_codec.read(tidy)._replace(text=text)
            length = len(reading.ids) + 1
            if longest is not None and length > longest:
                raise InputError(
                    f"{place(number)}: {length} tokens, <eos> counted, but this model's location attention takes"
                    f" at most {longest} (model.attention.max_length): shorten it, or train with another score"
                )
            yield reading

    def _translate(self, readings: dict[str, Reading]) -> dict[str, Translation]:
        """The translation of each different text of a chunk."""
        sources = list(readings.values())
        translations = {reading.text: _blank(reading.text) for reading in sources if not reading.ids}
        for batch in similar_lengths([len(source.ids) for source in sources], self.options.batch_size):
            of_batch = [sources[i] for i in batch]
            constraints = [self.demands.constraints(source.text, self.tgt_codec) for source in of_batch]
            found = search(self.engine, [source.ids for source in of_batch], self.options, constraints)
            for source, hypotheses in zip(of_batch, found, strict=True):
                translations[source.text] = self._finish(source, hypotheses)
        return translations

    def _finish(self, source: Reading, hypotheses: Sequence[Hypothesis]) -> Translation:
        best, *others = [self._written(source, hypothesis) for hypothesis in hypotheses]
        alternatives = tuple(_of_one(sentence) for sentence in (best, *others)) if self.options.n_best > 1 else ()
        return Translation(source=best.source, text=best.text, sentences=(best,), alternatives=alternatives)

    def _written(self, source: Reading, hypothesis: Hypothesis) -> SentenceTranslation:
        # Without the columns that pad the source to the longest of its batch.
        weights = hypothesis.weights[:, : len(source.ids) + 1]
        ids = hypothesis.ids[:-1] if hypothesis.ended else hypothesis.ids
        words = source.words
        has_attention = self.engine.has_attention
        copies = copy_by_attention(ids, weights, words) if has_attention else copy_in_order(ids, words)
        written = self.tgt_codec.write(ids, copies)
        return SentenceTranslation(
            source=source.text,
            text=written.text,
            src_tokens=[*source.parts, EOS_UNIT],
            tgt_tokens=written.units + [EOS_UNIT] * hypothesis.ended,
            weights=weights,
            log_probability=hypothesis.log_probability,
            length=len(hypothesis.ids),
            unknown=tuple(word.text for word in words if word.is_unknown),
            copied=tuple(copies.values()),
            forced=tuple(written.units[position] for position in sorted(hypothesis.forced)),
        )


def similar_lengths(lengths: Sequence[int], batch_size: int) -> Iterator[list[int]]:
    """Batches of indices, longest sentences first, so that there is little padding; those of length 0 are left out.

    A batch of very long sentences is smaller: it has at most `_BATCH_POSITIONS` positions, or one sentence.
    """
    order = sorted((i for i, length in enumerate(lengths) if length > 0), key=lambda i: (-lengths[i], i))
    start = 0
    while start < len(order):
        size = min(batch_size, max(1, _BATCH_POSITIONS // (lengths[order[start]] + 1)))
        yield order[start : start + size]
        start += size


def _chunks(sources: Iterable[Reading]) -> Iterator[list[Reading]]:
    """Sentences to translate together: as many as make good batches, few enough for the memory.

    An InputError of the iterator is raised again once the sentences before it have been translated.
    """
    chunk: list[Reading] = []
    characters = 0
    try:
        for source in sources:
            chunk.append(source)
            characters += len(source.text)
            if len(chunk) == _CHUNK_TEXTS or characters >= _CHUNK_CHARACTERS:
                yield chunk
                chunk, characters = [], 0
    except InputError:
        yield chunk
        raise
    yield chunk


def _of_one(sentence: SentenceTranslation) -> Translation:
    return Translation(source=sentence.source, text=sentence.text, sentences=(sentence,))


def _blank(text: str) -> Translation:
    return Translation(source=text, text="", sentences=())
