"""The probability of given translations, by forced decoding: what a model says to each of their tokens."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from seq2seq_cli.decoding.engine import Engine, EngineState
from seq2seq_cli.decoding.lines import similar_lengths
from seq2seq_cli.decoding.translation import Place, TotalScore
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import InputError
from seq2seq_cli.shapes import Float
from seq2seq_cli.text.codec import Reading
from seq2seq_cli.text.vocabulary import BOS, EOS

State = TypeVar("State", bound=EngineState)


class Forced(NamedTuple):
    """The outputs of a model at the T tokens of a translation, EOS counted, for S source tokens, EOS counted."""

    log_probabilities: Float[np.ndarray, " T"]
    """log p of each token, after those before it."""
    weights: Float[np.ndarray, "T S"]
    """The attention weights of each step; 0 in a model without attention. No columns where they were not asked for."""


def force_decode(
    engine: Engine[State],
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    *,
    with_weights: bool = True,
) -> list[Forced]:
    """The outputs for each source and target, both ids without EOS.

    Raises ValueError for lists of different lengths.
    """
    if len(sources) != len(targets):
        raise ValueError(f"{len(sources)} sources do not match {len(targets)} targets")
    if not sources:
        return []
    ids = [np.array([BOS, *target, EOS]) for target in targets]
    sizes = [(len(of_row) - 1, len(source) + 1) for of_row, source in zip(ids, sources, strict=True)]
    outputs = [
        Forced(np.zeros(steps), np.zeros((steps, columns if with_weights else 0), dtype=np.float32))
        for steps, columns in sizes
    ]
    rows, state = np.arange(len(ids)), engine.start(sources)
    for t in range(max(map(len, ids)) - 1):
        is_open = np.array([t + 1 < len(ids[row]) for row in rows.tolist()])
        if not is_open.all():
            rows, state = rows[is_open], state.select(np.flatnonzero(is_open))
        of_rows = [ids[row] for row in rows.tolist()]
        tokens, asked = np.array([of_row[t] for of_row in of_rows]), np.array([[of_row[t + 1]] for of_row in of_rows])
        proposals, state = engine.step(tokens, state, k=1, asked=asked)
        for row, log_probability, weights in zip(rows.tolist(), proposals.asked[:, 0], proposals.weights, strict=True):
            output = outputs[row]
            output.log_probabilities[t] = log_probability
            output.weights[t] = weights[: output.weights.shape[1]]
    return outputs


_CHUNK_PAIRS = 2048


@dataclass(frozen=True, kw_only=True)
class PairScore(TotalScore):
    """The probability of a translation by a model: log p(translation | source)."""

    source: str
    translation: str
    unknown: tuple[str, ...]
    """The words of the translation that are not in the vocabulary; each is scored as ``<unk>``."""
    attention: "PairAttention | None" = None
    """Where it was asked for, but for a pair of blank texts."""


class PairAttention(NamedTuple):
    """The attention of a model that reads a given translation."""

    src: Reading
    tgt: Reading
    weights: Float[np.ndarray, "T S"]
    """A row per id of the translation, a column per id of the source, ``<eos>`` last in both."""


def score_pairs(
    translator: Translator,
    pairs: Iterable[tuple[str, str]],
    place: Place = "pair {}".format,
    *,
    with_attention: bool = False,
) -> Iterator[PairScore]:
    """The score of each pair of a text and its translation, lazily; to the model, a text is one sentence.

    Attention is kept only where it is asked for: it takes memory for each word pair.
    A pair of blank texts has no tokens. An InputError of `pairs`, or for a text that is too long for the model, is
    raised once the pairs before it are scored; `place` names the text.
    """
    read: list[tuple[Reading, Reading]] = []
    try:
        for number, (source, target) in enumerate(pairs, start=1):
            read.append((_read_source(translator, source, place(number)), translator.tgt_codec.read(target)))
            if len(read) == _CHUNK_PAIRS:
                yield from _score(translator, read, with_attention)
                read.clear()
    except InputError:
        yield from _score(translator, read, with_attention)
        raise
    yield from _score(translator, read, with_attention)


def _read_source(translator: Translator, text: str, place: str) -> Reading:
    longest = translator.engine.max_source_length
    reading = translator.src_codec.read(text)
    if longest is not None and len(reading.ids) + len((EOS,)) > longest:
        raise InputError(
            f"{place}: {len(reading.ids) + 1} tokens, <eos> counted, but this model's location attention takes at most"
            f" {longest} (model.attention.max_length): shorten it, or train with another score"
        )
    return reading._replace(text=text)


def _score(
    translator: Translator, pairs: Sequence[tuple[Reading, Reading]], with_attention: bool
) -> Iterator[PairScore]:
    found: dict[int, Forced] = {}
    lengths = [len(source.ids) + len(target.ids) for source, target in pairs]
    for batch in similar_lengths(lengths, translator.options.batch_size):
        sources, targets = ([reading.ids for reading in side] for side in zip(*(pairs[i] for i in batch), strict=True))
        forced = force_decode(translator.engine, sources, targets, with_weights=with_attention)
        found |= zip(batch, forced, strict=True)
    for i, (source, target) in enumerate(pairs):
        log_probabilities = found[i].log_probabilities.tolist() if i in found else []
        yield PairScore(
            source=source.text,
            translation=target.text,
            log_probability=math.fsum(log_probabilities),
            length=len(log_probabilities),
            unknown=tuple(word.text for word in target.words if word.is_unknown),
            attention=PairAttention(source, target, found[i].weights) if with_attention and i in found else None,
        )
