"""Leaks, references, lengths and unknown words of a prepared folder, counted from its files."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import HELD_OUT, SPLITS, SplitName, sentence_key, text_hashes
from seq2seq_cli.text.characters import BEGINNING, SPACING
from seq2seq_cli.text.codec import Codec
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


def count_references(corpus: PreparedCorpus, split: SplitName) -> NDArray[np.int64]:
    """The number of targets of each source of a split; sources are the same when their texts are equal."""
    hashes = text_hashes(text.encode("utf-8") for text in corpus.texts(split, "src"))
    return np.unique(hashes, return_counts=True)[1]


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
            unknown.update(token.lstrip(BEGINNING + SPACING) for token in cut(text) if codec.token_ids(token) == (UNK,))
    return unknown


def draw_pairs(corpus: PreparedCorpus, wanted: int, seed: int) -> Iterator[tuple[SplitName, tuple[str, str]]]:
    """Pairs drawn uniformly from all splits, in their order, each with its split."""
    sizes = [len(corpus.split(split)) for split in SPLITS]
    chosen = np.zeros(sum(sizes), dtype=np.bool_)
    chosen[np.random.default_rng(seed).choice(len(chosen), min(wanted, len(chosen)), replace=False)] = True
    for split, mask in zip(SPLITS, np.split(chosen, np.cumsum(sizes)[:-1]), strict=True):
        pairs = zip(*(corpus.texts(split, side) for side in SIDES), strict=True)
        yield from ((split, pair) for pair in compress(pairs, mask.tolist()))


def shown_units(codec: Codec, text: str) -> list[str]:
    """The units of a text as the model sees them; unknown words are in brackets."""
    reading = codec.read(text)
    return [
        f"[{part}]" if id_ == UNK else codec.vocabulary.unit(id_)
        for id_, part in zip(reading.ids, reading.parts, strict=True)
    ]
