"""The probability of given translations, by forced decoding; S source, T target tokens, ``<eos>`` counted in both."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from seq2seq_cli.decoding.engine import forced_steps
from seq2seq_cli.decoding.lines import groups, similar_lengths
from seq2seq_cli.decoding.translation import Place, TotalScore
from seq2seq_cli.decoding.translator import Translator
from seq2seq_cli.errors import InputError
from seq2seq_cli.shapes import Float
from seq2seq_cli.text.codec import Reading
from seq2seq_cli.text.vocabulary import EOS

_CHUNK_PAIRS = 2048


@dataclass(frozen=True, kw_only=True)
class PairScore(TotalScore):
    """The probability of a translation by a model: log p(translation | source)."""

    src: Reading
    tgt: Reading
    weights: Float[np.ndarray, "T S"]
    """The attention weights: a row per id of the translation, a column per id of the source, ``<eos>`` last in both. No
    rows where they are not asked for, and for a pair of blank texts."""

    @property
    def unknown(self) -> list[str]:
        """The words of the translation that are not in the vocabulary; each is scored as ``<unk>``."""
        return [word.text for word in self.tgt.words if word.is_unknown]


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
    for group in groups(_read(translator, pairs, place), _CHUNK_PAIRS):
        yield from _score(translator, group, with_attention)


def _read(translator: Translator, pairs: Iterable[tuple[str, str]], place: Place) -> Iterator[tuple[Reading, Reading]]:
    longest = translator.engine.max_source_length
    for number, (source, target) in enumerate(pairs, start=1):
        src = translator.src_codec.read(source)
        if longest is not None and len(src.ids) + len((EOS,)) > longest:
            most = f"this model's location attention takes at most {longest} (model.attention.max_length)"
            problem = f"{place(number)}: {len(src.ids) + 1} tokens, <eos> counted, but {most}"
            raise InputError(f"{problem}: shorten it, or train with another score")
        yield src, translator.tgt_codec.read(target)


def _score(
    translator: Translator, pairs: Sequence[tuple[Reading, Reading]], with_attention: bool
) -> Iterator[PairScore]:
    log_probabilities: list[list[float]] = [[] for _ in pairs]
    weights: list[list[Float[np.ndarray, " S"]]] = [[] for _ in pairs]
    lengths = [len(source.ids) + len(target.ids) for source, target in pairs]
    for batch in similar_lengths(lengths, translator.options.batch_size):
        sources, targets = ([reading.ids for reading in side] for side in zip(*(pairs[i] for i in batch), strict=True))
        for rows, proposals in forced_steps(translator.engine, sources, targets):
            log_ps = proposals.asked[:, 0].tolist()
            for row, log_p, attention in zip(rows.tolist(), log_ps, proposals.weights, strict=True):
                log_probabilities[batch[row]].append(log_p)
                if with_attention:
                    weights[batch[row]].append(attention[: len(sources[row]) + 1])
    for (source, target), of_pair, attended in zip(pairs, log_probabilities, weights, strict=True):
        matrix = np.array(attended) if attended else np.zeros((0, 0), np.float32)
        yield PairScore(src=source, tgt=target, weights=matrix, log_probability=math.fsum(of_pair), length=len(of_pair))
