"""Leaks, references, lengths and unknown words of a prepared folder, counted from its files."""

from collections import Counter
from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import HELD_OUT, SPLITS, SplitName, sentence_key, text_hashes
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.normalise import SPACING
from seq2seq_cli.text.sides import SIDES, SideName
from seq2seq_cli.text.vocabulary import UNK


class Leak(NamedTuple):
    """The number of distinct sentences of one side of a held-out split that another split has too."""

    side: SideName
    held_out: SplitName
    other: SplitName
    sentences: int
    allowed: bool
    """Whether both splits were given by the user, and so are kept as they are."""


class References(NamedTuple):
    """The numbers of targets that the sources of a split have."""

    pairs: int
    sources: int
    several: int
    """Sources with two targets or more."""
    most: int
    """The largest number of targets of one source."""


class SegmentedPair(NamedTuple):
    """A pair, and the units of both sides as the model sees them; unknown words are in brackets."""

    split: SplitName
    src: str
    tgt: str
    src_units: list[str]
    tgt_units: list[str]


def count_leaks(corpus: PreparedCorpus) -> list[Leak]:
    """The sentences of ``valid`` and ``test`` that other splits have too; case and punctuation do not count."""
    given = {file.part for file in corpus.manifest.pair_files}
    leaks = []
    for side in SIDES:
        keys = {split: set(map(sentence_key, corpus.texts(split, side))) for split in HELD_OUT}
        held_out = keys["valid"] | keys["test"]
        trained = {key for key in map(sentence_key, corpus.trained_texts(side)) if key in held_out}
        leaks += [Leak(side, split, "train", len(trained & keys[split]), allowed=False) for split in HELD_OUT]
        both = len(keys["valid"] & keys["test"])
        leaks.append(Leak(side, "test", "valid", both, allowed=given.issuperset(HELD_OUT)))
    return leaks


def count_references(corpus: PreparedCorpus, split: SplitName) -> References:
    """Count the targets per source of a split; sources are the same when their texts are equal."""
    hashes = text_hashes(text.encode("utf-8") for text in corpus.texts(split, "src"))
    _, targets = np.unique(hashes, return_counts=True)
    several, most = int(np.count_nonzero(targets > 1)), int(targets.max(initial=0))
    return References(pairs=len(hashes), sources=len(targets), several=several, most=most)


def count_lengths(corpus: PreparedCorpus, side: SideName) -> NDArray[np.int64]:
    """The number of sentences, over all splits, that have 0, 1, 2, ... units."""
    splits = [corpus.split(split) for split in SPLITS]
    return np.bincount(np.concatenate([ids.side(side).lengths for ids in splits]))


def count_unknown(corpus: PreparedCorpus, side: SideName, splits: Sequence[SplitName]) -> Counter[str]:
    """The frequency of each word that the vocabulary lacks in the texts of some splits."""
    codec = corpus.codec(side)
    cut = codec.segmenter.tokens
    unknown: Counter[str] = Counter()
    for split in splits:
        # Only sentences with an unknown word are cut into tokens again.
        ids = corpus.split(split).side(side)
        has_unknown = np.zeros(len(ids), dtype=np.bool_)
        has_unknown[np.searchsorted(ids.offsets, np.flatnonzero(ids.values == UNK), side="right") - 1] = True
        for text in compress(corpus.texts(split, side), has_unknown.tolist()):
            unknown.update(token.removeprefix(SPACING) for token in cut(text) if codec.token_ids(token) == (UNK,))
    return unknown


def draw_pairs(corpus: PreparedCorpus, wanted: int, seed: int) -> list[SegmentedPair]:
    """Pairs drawn uniformly from all splits, in their order."""
    sizes = [len(corpus.split(split)) for split in SPLITS]
    chosen = np.zeros(sum(sizes), dtype=np.bool_)
    chosen[np.random.default_rng(seed).choice(len(chosen), min(wanted, len(chosen)), replace=False)] = True
    drawn = []
    for split, mask in zip(SPLITS, np.split(chosen, np.cumsum(sizes)[:-1]), strict=True):
        pairs = zip(*(corpus.texts(split, side) for side in SIDES), strict=True)
        for src, tgt in compress(pairs, mask.tolist()):
            drawn.append(SegmentedPair(split, src, tgt, _units(corpus.src_codec, src), _units(corpus.tgt_codec, tgt)))
    return drawn


def _units(codec: Codec, text: str) -> list[str]:
    reading = codec.read(text)
    return [
        f"[{part}]" if id_ == UNK else codec.vocabulary.unit(id_)
        for id_, part in zip(reading.ids, reading.parts, strict=True)
    ]
