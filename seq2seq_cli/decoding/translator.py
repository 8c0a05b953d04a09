"""From sentences to translations.

B sentences of a batch, R rows kept of them, S source length with ``<eos>``, T target length, V target vocabulary.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from seq2seq_cli.config.schema import DecodingConfig
from seq2seq_cli.decoding.copying import copy_by_attention, copy_in_order
from seq2seq_cli.decoding.greedy import Hypothesis, greedy_search
from seq2seq_cli.errors import InputError
from seq2seq_cli.model.seq2seq import Seq2Seq, evaluating
from seq2seq_cli.model.state import DecoderState, Memory
from seq2seq_cli.plots.attention_map import AttentionMap
from seq2seq_cli.text.casing import is_all_upper, upper
from seq2seq_cli.text.codec import Codec, Reading
from seq2seq_cli.text.vocabulary import EOS, EOS_UNIT, PAD

_CHUNK_SENTENCES = 2048
_CHUNK_CHARACTERS = 2**18
_BATCH_POSITIONS = 2**14
"""Most source positions per batch, padding counted."""


@dataclass(frozen=True, kw_only=True)
class Translation(AttentionMap):
    """A sentence, its translation, and the attention between them."""

    unknown: list[str]
    """The words of the source that are not in the vocabulary."""


@dataclass(frozen=True)
class Translator:
    """Translates with one model; the translation of a sentence does not depend on the sentences around it."""

    model: Seq2Seq
    src_codec: Codec
    tgt_codec: Codec
    config: DecodingConfig
    device: torch.device

    @property
    def has_attention(self) -> bool:
        """Whether the model has attention weights to show and to copy unknown words by."""
        return self.model.decoder.attention.has_weights

    def translate(self, sentences: Iterable[str]) -> list[Translation]:
        """The translations, in the order of the sentences; a blank sentence has a blank one. See translate_stream."""
        return list(self.translate_stream(sentences))

    def translate_stream(self, sentences: Iterable[str], place: str = "sentence {}") -> Iterator[Translation]:
        """The translations one by one; of a long stream only a chunk of sentences is in memory at a time.

        Raises InputError for a sentence that is too long for the model, once the sentences before it are translated.
        The message names the sentence by `place`, in which {} is its number, counted from 1.
        """
        for chunk in _chunks(self._read(sentences, place)):
            yield from self._translate(chunk)

    def _read(self, sentences: Iterable[str], place: str) -> Iterator[Reading]:
        longest = self.model.decoder.attention.max_length
        for number, sentence in enumerate(sentences, start=1):
            reading = self.src_codec.read(sentence)
            length = len(reading.ids) + 1
            if longest is not None and length > longest:
                raise InputError(
                    f"{place.format(number)}: {length} tokens, <eos> counted, but this model's location attention takes"
                    f" at most {longest} (model.attention.max_length): shorten it, or train with another score"
                )
            yield reading

    def _translate(self, sources: Sequence[Reading]) -> list[Translation]:
        hypotheses: dict[int, Hypothesis] = {}
        with evaluating(self.model), torch.inference_mode():
            for batch in similar_lengths([len(source.ids) for source in sources], self.config.batch_size):
                hypotheses.update(zip(batch, self._search([sources[i].ids for i in batch]), strict=True))
        return [
            self._finish(source, hypotheses[i]) if source.ids else _blank(source.text)
            for i, source in enumerate(sources)
        ]

    def _search(self, sources: list[list[int]]) -> list[Hypothesis]:
        rows = [torch.tensor([*source, EOS]) for source in sources]
        src = pad_sequence(rows, batch_first=True, padding_value=PAD).to(self.device)
        memory, state = self.model.encode(src, torch.tensor([len(row) for row in rows]))
        factor, extra = self.config.max_length_factor, self.config.max_length_extra
        max_lengths = torch.tensor([int(factor * len(source)) + extra for source in sources], device=self.device)
        return greedy_search(self._step, _SearchState(memory=memory, decoder=state), max_lengths)

    def _step(
        self, tokens: Int[Tensor, " B"], state: "_SearchState"
    ) -> tuple[Float[Tensor, "B V"], "_SearchState", Float[Tensor, "B S"]]:
        logits, decoder, weights = self.model.step(tokens, state.decoder, state.memory)
        return logits, _SearchState(memory=state.memory, decoder=decoder), weights

    def _finish(self, source: Reading, hypothesis: Hypothesis) -> Translation:
        # Without the columns that pad the source to the longest of its batch.
        weights = torch.stack(hypothesis.weights)[:, : len(source.ids) + 1].float().numpy()
        ended = hypothesis.ids[-1] == EOS
        ids = hypothesis.ids[:-1] if ended else hypothesis.ids
        words = source.words
        copies = copy_by_attention(ids, weights, words) if self.has_attention else copy_in_order(ids, words)
        written = self.tgt_codec.write(ids, copies)
        recase = self._recasing(source.text)
        return Translation(
            source=source.text,
            text=recase(written.text),
            src_tokens=[*source.parts, EOS_UNIT],
            tgt_tokens=[recase(unit) for unit in written.units] + [EOS_UNIT] * ended,
            weights=weights,
            unknown=[word.text for word in words if word.is_unknown],
        )

    def _recasing(self, sentence: str) -> Callable[[str], str]:
        """The function for the case of a translation: upper case for a sentence in upper case, else no change.

        Also no change for a model that sees the case of its source, or that does not write upper case.
        """
        src, tgt = self.src_codec.config, self.tgt_codec.config
        if src.lowercase and not tgt.lowercase and is_all_upper(sentence):
            return partial(upper, language=tgt.language)
        return str


@dataclass(frozen=True, kw_only=True)
class _SearchState:
    """The state of a search: the memory of each sentence and the decoder's state."""

    memory: Memory
    decoder: DecoderState

    def select(self, rows: Int[Tensor, " R"]) -> "_SearchState":
        return _SearchState(memory=self.memory.select(rows), decoder=self.decoder.select(rows))


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
            if len(chunk) == _CHUNK_SENTENCES or characters >= _CHUNK_CHARACTERS:
                yield chunk
                chunk, characters = [], 0
    except InputError:
        yield chunk
        raise
    yield chunk


def _blank(sentence: str) -> Translation:
    weights = np.zeros((0, 0), dtype=np.float32)
    return Translation(source=sentence, text="", src_tokens=[], tgt_tokens=[], weights=weights, unknown=[])
