"""From sentences to translations.

B sentences of a batch, S source length with ``<eos>``, T target length, V target vocabulary.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from seq2seq_cli.config.schema import DecodingConfig
from seq2seq_cli.corpus.batches import pad
from seq2seq_cli.decoding.copying import copy_unknown
from seq2seq_cli.decoding.greedy import Hypothesis, greedy_search
from seq2seq_cli.model.seq2seq import Seq2Seq, evaluating
from seq2seq_cli.model.state import DecoderState, Memory
from seq2seq_cli.text.casing import capitals, is_all_capitals
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.vocabulary import EOS, EOS_UNIT, UNK

_CHUNK_LINES = 2048
_CHUNK_CHARACTERS = 2**18
_BATCH_POSITIONS = 2**14


@dataclass(frozen=True, kw_only=True)
class Translation:
    """One sentence, its translation, and where the translator was looking while it wrote."""

    source: str
    """The sentence as it was given."""
    text: str
    """The translation as plain text; empty for a blank sentence."""
    src_tokens: list[str]
    """The source as it was written, a text for each position that the model reads, then ``<eos>``.

    These are words, or with other units than words their parts."""
    tgt_tokens: list[str]
    """The units of the translation, then ``<eos>`` unless the length limit came first."""
    weights: Float[np.ndarray, "T S"]
    """The attention: a row for each target token, a column for each source token; rows sum to 1."""
    unknown: list[str]
    """The words of the source that are not in the vocabulary."""


class Translator:
    """Translates with one model; the answer for a sentence does not depend on the sentences around it."""

    def __init__(
        self, model: Seq2Seq, src_codec: Codec, tgt_codec: Codec, config: DecodingConfig, device: torch.device | str
    ) -> None:
        self.model = model
        self.src_codec = src_codec
        self.tgt_codec = tgt_codec
        self.config = config
        self.device = torch.device(device)

    def translate(self, sentences: Sequence[str]) -> list[Translation]:
        """The translations, in the order of the sentences; a blank sentence has a blank one."""
        sources = [self.src_codec.encode(sentence) for sentence in sentences]
        hypotheses: dict[int, Hypothesis] = {}
        with evaluating(self.model), torch.inference_mode():
            for batch in similar_lengths([len(source) for source in sources], self.config.batch_size):
                found = self._search([sources[i] for i in batch])
                hypotheses.update(zip(batch, found, strict=True))
        return [
            self._finish(sentence, source, hypotheses[i]) if source else _blank(sentence)
            for i, (sentence, source) in enumerate(zip(sentences, sources, strict=True))
        ]

    def translate_stream(self, sentences: Iterable[str]) -> Iterator[Translation]:
        """As `translate`, for more sentences than fit in memory: they are read and translated a chunk at a time."""
        for chunk in _chunks(sentences):
            yield from self.translate(chunk)

    def _search(self, sources: list[list[int]]) -> list[Hypothesis]:
        src = pad([[*source, EOS] for source in sources]).to(self.device)
        memory, state = self.model.encode(src, torch.tensor([len(source) + 1 for source in sources]))
        factor, extra = self.config.max_length_factor, self.config.max_length_extra
        limits = torch.tensor([int(factor * len(source)) + extra for source in sources], device=self.device)
        return greedy_search(self._step, _Reading(memory=memory, decoder=state), limits)

    def _step(
        self, tokens: Int[Tensor, " B"], state: "_Reading"
    ) -> tuple[Float[Tensor, "B V"], "_Reading", Float[Tensor, "B S"]]:
        logits, decoder, weights = self.model.step(tokens, state.decoder, state.memory)
        return logits, _Reading(memory=state.memory, decoder=decoder), weights

    def _finish(self, sentence: str, source: list[int], hypothesis: Hypothesis) -> Translation:
        words, spans = self.src_codec.words(sentence), self.src_codec.token_spans(source)
        # A batch pads its sentences to the longest.
        weights = hypothesis.weights[:, : len(source) + 1].float().numpy()
        ended = hypothesis.ids[-1] == EOS
        ids = hypothesis.ids[:-1] if ended else hypothesis.ids
        copies = copy_unknown(ids, weights, source, words, spans)
        as_source = self._casing(sentence)
        return Translation(
            source=sentence,
            text=as_source(self.tgt_codec.decode(ids, copies)),
            src_tokens=[*self.src_codec.tokens(sentence), EOS_UNIT],
            tgt_tokens=[as_source(unit) for unit in self.tgt_codec.units(ids, copies)] + [EOS_UNIT] * ended,
            weights=weights,
            unknown=[word for word, span in zip(words, spans, strict=True) if source[span.start] == UNK],
        )

    def _casing(self, sentence: str) -> Callable[[str], str]:
        """What makes the translation shout when the sentence does and the model, which reads small letters, cannot."""
        src, tgt = self.src_codec.config, self.tgt_codec.config
        if src.lowercase and not tgt.lowercase and is_all_capitals(sentence):
            return partial(capitals, language=tgt.language)
        return str


@dataclass(frozen=True, kw_only=True)
class _Reading:
    """The state of a search: the sentences being read, and where the decoder stands in each."""

    memory: Memory
    decoder: DecoderState

    def select(self, rows: Int[Tensor, " R"]) -> "_Reading":
        return _Reading(memory=self.memory.select(rows), decoder=self.decoder.select(rows))


def similar_lengths(lengths: Sequence[int], batch_size: int) -> Iterator[list[int]]:
    """Batches of indices, longest sentences first, so that little is padded; those of length 0 are left out.

    Very long sentences come in smaller batches: a batch has at most `_BATCH_POSITIONS` positions, or one sentence.
    """
    order = sorted((i for i, length in enumerate(lengths) if length > 0), key=lambda i: (-lengths[i], i))
    start = 0
    while start < len(order):
        size = min(batch_size, max(1, _BATCH_POSITIONS // (lengths[order[start]] + 1)))
        yield order[start : start + size]
        start += size


def _chunks(sentences: Iterable[str]) -> Iterator[list[str]]:
    """Runs of sentences that are translated together: as many as make good batches, few enough for the memory."""
    chunk: list[str] = []
    characters = 0
    for sentence in sentences:
        chunk.append(sentence)
        characters += len(sentence)
        if len(chunk) == _CHUNK_LINES or characters >= _CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


def _blank(sentence: str) -> Translation:
    weights = np.zeros((0, 0), dtype=np.float32)
    return Translation(source=sentence, text="", src_tokens=[], tgt_tokens=[], weights=weights, unknown=[])
