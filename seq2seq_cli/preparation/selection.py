"""The pairs that are used and their splits, from a few numbers per pair, once all pairs are read."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import starmap

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.config.schema.text import DataConfig
from seq2seq_cli.corpus.manifest import REASONS, Reason, SplitRecord
from seq2seq_cli.corpus.splits import SPLITS, TEST, TRAIN, VALID, Hashes, SplitName, are_among, first_of_each, mix
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import PairFileError
from seq2seq_cli.preparation.dropped import MOST_EXAMPLES, DroppedLine, LineCounts
from seq2seq_cli.preparation.leak_free_splits import assign_splits
from seq2seq_cli.preparation.pair_store import PairStore
from seq2seq_cli.text.sides import SIDES
from seq2seq_cli.text.vocabulary import CHARACTERS_PER_TOKEN

NOWHERE = -1
"""The split of a pair that is dropped."""

_KEPT = -1
"""In place of a reason, for a pair that is not dropped."""


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The split of each pair."""

    split_of_pair: NDArray[np.int8]
    records: dict[SplitName, SplitRecord]
    """The manifest's records of the splits."""
    shared: int
    """Pairs of a given test split that share a sentence with the given validation split."""
    warnings: list[str]
    """Of held-out splits that may be wrong."""


def select(store: PairStore, given: NDArray[np.int8], counts: LineCounts, data: DataConfig, unit: Unit) -> Selection:
    """Drop the pairs that the config excludes, which are added to `counts`, and assign the others to splits.

    ``given`` is VALID or TEST for pairs of files that were given as such a split, and TRAIN for all others.

    Raises PairFileError when no pair is left for training.
    """
    reasons = _Reasons(len(given))
    # Only within a given split: a training pair that a given split has, too, is dropped below.
    reasons.give("duplicate", ~first_of_each(_apart(store.column("pair_hashes"), given)))
    _drop_lengths(store, reasons, given, data, unit)
    shared = _drop_shared(store, reasons, given)
    kept = reasons.numbers == _KEPT
    train = kept & (given == TRAIN)
    if not train.any():
        raise PairFileError(_nothing_left(store, reasons, data))
    is_new = kept.copy()  # whose source no earlier kept pair of the same given split has
    is_new[kept] = first_of_each(_apart(store.column("src_hashes"), given)[kept])
    split_of_pair = np.where(kept, given, NOWHERE).astype(np.int8)
    wanted = {VALID: data.valid_sources, TEST: data.test_sources}
    wanted = {split: 0 if split in given else sources for split, sources in wanted.items()}
    split_of_pair[train] = assign_splits(
        store.column("src.keys")[train], store.column("tgt.keys")[train], is_new[train], wanted
    )
    reasons.add_to(counts, store)
    warnings = [
        f"nothing is held out for {SPLITS[split]}: the pairs form too few, or too large, groups of shared sentences:"
        f" give a file with --{SPLITS[split]}, or prepare without it: --set data.{SPLITS[split]}_sources=0"
        for split, sources in wanted.items()
        if sources and split not in split_of_pair
    ]
    if shared:
        warnings.append(
            f"the given test split shares a sentence with the validation split in {counted(shared, 'pair')}"
        )
    in_split = {name: split_of_pair == split for split, name in enumerate(SPLITS)}
    records = {
        name: SplitRecord(pairs=int(pairs.sum()), sources=int((pairs & is_new).sum()))
        for name, pairs in in_split.items()
    }
    return Selection(split_of_pair=split_of_pair, records=records, shared=shared, warnings=warnings)


class _Reasons:
    """The first reason to drop each pair, if there is one."""

    def __init__(self, pairs: int) -> None:
        self.numbers = np.full(pairs, _KEPT, dtype=np.int8)

    def give(self, reason: Reason, mask: NDArray[np.bool_]) -> None:
        """Drop the pairs of a mask that are not dropped yet."""
        self.numbers[mask & (self.numbers == _KEPT)] = REASONS.index(reason)

    def pairs(self, reason: Reason) -> NDArray[np.intp]:
        """The pairs dropped for a reason."""
        return np.flatnonzero(self.numbers == REASONS.index(reason))

    def add_to(self, counts: LineCounts, store: PairStore) -> None:
        """Count the dropped pairs for each reason, with the first of them as examples."""
        lines = store.column("lines")
        for reason in REASONS:
            pairs = self.pairs(reason)
            first = pairs[:MOST_EXAMPLES].tolist()
            if not first:
                continue
            columns = store.files_of(first), lines[first].tolist(), *(store.texts(side, first) for side in SIDES)
            counts.drop(reason, len(pairs), starmap(DroppedLine.of, zip(*columns, strict=True)))


def _drop_lengths(store: PairStore, reasons: _Reasons, given: NDArray[np.int8], data: DataConfig, unit: Unit) -> None:
    """Drop training pairs with too many tokens on a side, or many more words on one side than on the other."""
    most = data.max_tokens * (CHARACTERS_PER_TOKEN if unit == "character" else 1)
    for_training = given == TRAIN
    longest = np.maximum(store.column("src.lengths"), store.column("tgt.lengths"))
    reasons.give("too long", for_training & (longest > most))
    src, tgt = store.column("src.words"), store.column("tgt.words")
    reasons.give("length ratio", for_training & (np.maximum(src, tgt) > data.max_ratio * np.minimum(src, tgt)))


def _drop_shared(store: PairStore, reasons: _Reasons, given: NDArray[np.int8]) -> int:
    """Drop training pairs that share a sentence with a given split; case, punctuation and white space do not count.

    Returns the number of pairs of a given test split that share a sentence with the given validation split.
    """
    train, valid, test = ((given == split) & (reasons.numbers == _KEPT) for split in (TRAIN, VALID, TEST))
    if not (valid.any() or test.any()):
        return 0
    keys = store.column("src.keys"), store.column("tgt.keys")
    reasons.give("in valid", _sharing(keys, train, valid))
    reasons.give("in test", _sharing(keys, train, test))
    return int(np.count_nonzero(_sharing(keys, test, valid)))


def _sharing(keys: Sequence[Hashes], pairs: NDArray[np.bool_], others: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The ``pairs`` that share a sentence, on either side, with one of ``others``."""
    src, tgt = (are_among(side, side[others]) for side in keys)
    return pairs & (src | tgt)


def _apart(hashes: Hashes, given: NDArray[np.int8]) -> Hashes:
    """Hashes that differ between the given splits, so that equal texts in two of them count as different."""
    return hashes ^ mix(np.arange(len(SPLITS), dtype=np.uint64))[given] if given.any() else hashes


def _nothing_left(store: PairStore, reasons: _Reasons, data: DataConfig) -> str:
    files = " + ".join(dict.fromkeys(file.base_name for file, _ in store.blocks))
    counts = ", ".join(f"{len(pairs):,} {reason}" for reason in REASONS if len(pairs := reasons.pairs(reason)))
    limits = f"data.max_tokens={data.max_tokens} or data.max_ratio={data.max_ratio:g}"
    return f"{files}: no pair is left for training ({counts}): give more pairs, or raise {limits}"
