"""Leaks, references, lengths and unknown words of a prepared folder, counted from its files."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.corpus.splits import HELD_OUT, SPLITS, SplitName, sentence_key, text_hashes
from seq2seq_cli.text.characters import BEGINNING, SPACING
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.sides import SIDES, SideName
from seq2seq_cli.text.vocabulary import UNK


def count_leaks(corpus: PreparedCorpus) -> dict[tuple[SplitName, SplitName], list[int]]:
    """The distinct sentences of each side, by key, that a held-out split shares with another split, by both names."""
    leaks: dict[tuple[SplitName, SplitName], list[int]] = {
        pair: [] for pair in (("valid", "train"), ("test", "train"), ("test", "valid"))
    }
    for side in SIDES:
        keys = {split: set(map(sentence_key, corpus.texts(split, side))) for split in HELD_OUT}
        held_out = keys["valid"] | keys["test"]
        keys["train"] = {key for key in map(sentence_key, corpus.trained_texts(side)) if key in held_out}
        for (split, other), sentences in leaks.items():
            sentences.append(len(keys[split] & keys[other]))
    return leaks


def count_references(corpus: PreparedCorpus, split: SplitName) -> NDArray[np.int64]:
    """The number of targets of each source of a split; sources are the same when their texts are equal."""
    return np.unique(text_hashes(map(str.encode, corpus.texts(split, "src"))), return_counts=True)[1]


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
    chosen = np.zeros(sum(len(corpus.split(split)) for split in SPLITS), dtype=np.bool_)
    chosen[np.random.default_rng(seed).choice(len(chosen), min(wanted, len(chosen)), replace=False)] = True
    pairs = (
        (name, pair) for name in SPLITS for pair in zip(*(corpus.texts(name, side) for side in SIDES), strict=True)
    )
    return compress(pairs, chosen.tolist())


def shown_units(codec: Codec, text: str) -> list[str]:
    """The units of a text as the model sees them; unknown words are in brackets."""
    reading = codec.read(text)
    return [
        f"[{part}]" if id_ == UNK else codec.vocabulary.unit(id_)
        for id_, part in zip(reading.ids, reading.parts, strict=True)
    ]
