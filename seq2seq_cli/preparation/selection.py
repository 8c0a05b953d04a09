"""Which pairs are used, and in which split: decided when all of them are known, from a few numbers a pair."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.config.schema import DataConfig
from seq2seq_cli.corpus.hashing import Hashes, are_among, first_of_each, mix
from seq2seq_cli.corpus.manifest import REASONS, Reason
from seq2seq_cli.corpus.splits import SPLITS, TEST, TRAIN, VALID
from seq2seq_cli.errors import PairFileError
from seq2seq_cli.preparation.dropped import MOST_EXAMPLES, Dropped, Example
from seq2seq_cli.preparation.scratch import Scratch
from seq2seq_cli.preparation.splits import assign_splits

CHARACTERS_A_TOKEN = 5
"""About as long as a word is in most languages that are written with letters."""

NOWHERE = -1
"""The split of a pair that is dropped."""


@dataclass(frozen=True, kw_only=True)
class Selection:
    """What became of each pair."""

    split_of_pair: NDArray[np.int8]
    """TRAIN, VALID, TEST or NOWHERE."""
    sources: list[int]
    """Distinct source sentences of each split."""
    dropped: Dropped
    """What was dropped here, in addition to the lines that are no pairs."""
    shared: int
    """Pairs of a given test split that share a sentence with the given validation split."""


def select(scratch: Scratch, given: NDArray[np.int8], data: DataConfig, unit: Unit) -> Selection:
    """Drop what the config does not want, and assign the rest to splits.

    ``given`` is VALID or TEST for the pairs of files that are such a split as they are, and TRAIN for all others.

    Raises PairFileError when no pair is left for training.
    """
    reasons = _Reasons(scratch.pairs)
    _drop_duplicates(scratch, reasons, given)
    _drop_lengths(scratch, reasons, given, data, unit)
    shared = _drop_shared(scratch, reasons, given)
    kept = reasons.numbers == _KEPT
    train = kept & (given == TRAIN)
    if not train.any():
        raise PairFileError(_nothing_left(scratch, reasons, data))
    is_new = _new_sources(scratch, given, kept)
    split_of_pair = np.where(kept, given, NOWHERE).astype(np.int8)
    split_of_pair[train] = assign_splits(
        _only(scratch.column("src.keys"), train),
        _only(scratch.column("tgt.keys"), train),
        is_new[train],
        valid_sources=0 if VALID in given else data.valid_sources,
        test_sources=0 if TEST in given else data.test_sources,
    )
    return Selection(
        split_of_pair=split_of_pair,
        sources=[int(np.count_nonzero(is_new & (split_of_pair == split))) for split in range(len(SPLITS))],
        dropped=reasons.report(scratch),
        shared=shared,
    )


_KEPT = -1


class _Reasons:
    """Why each pair is dropped, if it is: the first reason counts."""

    def __init__(self, pairs: int) -> None:
        self.numbers = np.full(pairs, _KEPT, dtype=np.int8)

    def give(self, reason: Reason, mask: NDArray[np.bool_]) -> None:
        """Drop the pairs that a mask holds, those that are dropped already excepted."""
        self.numbers[mask & (self.numbers == _KEPT)] = REASONS.index(reason)

    def pairs(self, reason: Reason) -> NDArray[np.intp]:
        """The pairs dropped for a reason."""
        return np.flatnonzero(self.numbers == REASONS.index(reason))

    def report(self, scratch: Scratch) -> Dropped:
        """How many were dropped for each reason, and the first of them."""
        dropped = Dropped()
        lines = scratch.column("lines")
        for reason in REASONS:
            pairs = self.pairs(reason)
            first = pairs[:MOST_EXAMPLES].tolist()
            if not first:
                continue
            places = zip(scratch.sources(first), lines[first].tolist(), strict=True)
            texts = zip(scratch.texts("src", first), scratch.texts("tgt", first), strict=True)
            examples = [Example.of(*place, *text) for place, text in zip(places, texts, strict=True)]
            dropped.add(reason, len(pairs), examples)
        return dropped


def _drop_duplicates(scratch: Scratch, reasons: _Reasons, given: NDArray[np.int8]) -> None:
    """Drop pairs that repeat an earlier one, word for word; each given split is looked at by itself."""
    reasons.give("duplicate", ~first_of_each(_apart(scratch.column("pair_hashes"), given)))


def _drop_lengths(scratch: Scratch, reasons: _Reasons, given: NDArray[np.int8], data: DataConfig, unit: Unit) -> None:
    """Drop pairs with too many tokens on a side, or many more on one than on the other."""
    src, tgt = scratch.column("src.lengths"), scratch.column("tgt.lengths")
    longer, shorter = np.maximum(src, tgt), np.minimum(src, tgt)
    most = data.max_tokens * (CHARACTERS_A_TOKEN if unit == "character" else 1)
    for_training = given == TRAIN
    reasons.give("too long", for_training & (longer > most))
    reasons.give("length ratio", for_training & (longer > data.max_ratio * shorter))


def _drop_shared(scratch: Scratch, reasons: _Reasons, given: NDArray[np.int8]) -> int:
    """Drop pairs that share a sentence with a given split; returns how many of a given test split share one with valid.

    Sentences are taken for the same where case, punctuation and white space alone differ.
    """
    train, valid, test = ((given == split) & (reasons.numbers == _KEPT) for split in (TRAIN, VALID, TEST))
    if not (valid.any() or test.any()):
        return 0
    keys = scratch.column("src.keys"), scratch.column("tgt.keys")
    reasons.give("in valid", _sharing(keys, train, valid))
    reasons.give("in test", _sharing(keys, train, test))
    return int(np.count_nonzero(_sharing(keys, test, valid)))


def _sharing(keys: Sequence[Hashes], pairs: NDArray[np.bool_], others: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Those of ``pairs`` that have a sentence, of either side, in common with one of ``others``."""
    src, tgt = (are_among(side, side[others]) for side in keys)
    return pairs & (src | tgt)


def _new_sources(scratch: Scratch, given: NDArray[np.int8], kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The pairs whose source no earlier pair has that is kept; each given split is looked at by itself."""
    is_new = kept.copy()
    is_new[kept] = first_of_each(_only(_apart(scratch.column("src_hashes"), given), kept))
    return is_new


def _apart(hashes: Hashes, given: NDArray[np.int8]) -> Hashes:
    """Other hashes for each given split, so that what stands in two of them is not the same."""
    return hashes ^ mix(np.arange(len(SPLITS), dtype=np.uint64))[given] if given.any() else hashes


def _only(hashes: Hashes, mask: NDArray[np.bool_]) -> Hashes:
    """What a mask holds, without a copy where that is everything."""
    return hashes if mask.all() else hashes[mask]


def _nothing_left(scratch: Scratch, reasons: _Reasons, data: DataConfig) -> str:
    files = " + ".join(dict.fromkeys(run.source for run in scratch.runs))
    if not any(len(reasons.pairs(reason)) for reason in ("length ratio", "in valid", "in test")):
        return f"{files}: every pair has more than data.max_tokens={data.max_tokens} tokens: raise it"
    counts = ", ".join(f"{len(pairs):,} {reason}" for reason in REASONS if len(pairs := reasons.pairs(reason)))
    advice: dict[Reason, str] = {"too long": "raise data.max_tokens", "length ratio": "raise data.max_ratio"}
    cures = ["give more pairs", *(cure for reason, cure in advice.items() if len(reasons.pairs(reason)))]
    return f"{files}: no pair is left for training ({counts}): {' or '.join(cures)}"
