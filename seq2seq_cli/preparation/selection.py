"""The pairs that are used and their splits, from a few numbers per pair, once all pairs are read."""

from dataclasses import dataclass
from itertools import starmap

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.config.schema.config import Config
from seq2seq_cli.corpus.manifest import REASONS, Reason, SplitRecord
from seq2seq_cli.corpus.splits import PARTS, SPLITS, TEST, TRAIN, VALID, Hashes, PartName, first_of_each, mix
from seq2seq_cli.counts import counted
from seq2seq_cli.errors import PairFileError
from seq2seq_cli.preparation.dropped import LIMITS, MOST_EXAMPLES, DroppedLine, LineCounts
from seq2seq_cli.preparation.leak_free_splits import assign_splits
from seq2seq_cli.preparation.pair_store import PairStore
from seq2seq_cli.text.sides import SIDES, SideName
from seq2seq_cli.text.vocabulary import CHARACTERS_PER_TOKEN


@dataclass(frozen=True, kw_only=True)
class Selection:
    """The part of the corpus that each pair is in."""

    part_of_pair: NDArray[np.int8]
    """Below 0 for a pair that is dropped: ~n for the reason n of REASONS."""
    records: dict[PartName, SplitRecord]
    """The manifest's records of the parts."""
    shared: int
    """Pairs of a given test split that share a sentence with the given validation split."""
    warnings: list[str]
    """Of held-out splits that may be wrong."""


def select(store: PairStore, counts: LineCounts, config: Config) -> Selection:
    """Drop the pairs that the config excludes, which are added to `counts`, and assign the others to parts.

    Raises PairFileError when no pair is left for training.
    """
    # The part that the file of each pair was given for, TRAIN for pairs that are split.
    parts = np.array([file.split for file, _ in store.blocks], dtype=np.int8)
    given = np.repeat(parts, [pairs for _, pairs in store.blocks])
    part_of_pair, data = given.copy(), config.data
    # Only within a given split: a training pair that a given split has, too, is dropped below.
    _drop(part_of_pair, "duplicate", ~first_of_each(_apart(store.column("pair_hashes"), given)))
    _drop_lengths(store, part_of_pair, given, config)
    _drop_shared(store, part_of_pair, part_of_pair == TRAIN)
    shared = int(np.count_nonzero(_sharing(store, part_of_pair == TEST, part_of_pair == VALID)))
    train = part_of_pair == TRAIN
    if not train.any():
        raise PairFileError(_nothing_left(store, part_of_pair))
    wanted = {VALID: data.valid_sources, TEST: data.test_sources}
    wanted = {split: 0 if split in given else sources for split, sources in wanted.items()}
    columns = SIDES[::-1] if data.swap else SIDES  # the first decides, so that both directions have the same splits
    first_key, second_key = (store.column(f"{side}.keys")[train] for side in columns)
    is_new_source = _is_new(store, columns[0], given, part_of_pair >= 0)[train]
    part_of_pair[train] = assign_splits(first_key, second_key, is_new_source, wanted)
    _drop_shared(store, part_of_pair, part_of_pair > TEST)
    _count_dropped(store, part_of_pair, counts)
    warnings = [
        f"nothing is held out for {SPLITS[split]}: the pairs form too few, or too large, groups of shared sentences:"
        f" give a file with --{SPLITS[split]}, or prepare without it: --set data.{SPLITS[split]}_sources=0"
        for split, sources in wanted.items()
        if sources and split not in part_of_pair
    ]
    if shared:
        warnings.append(
            f"the given test split shares a sentence with the validation split in {counted(shared, 'pair')}"
        )
    is_new = _is_new(store, "src", given, part_of_pair >= 0)
    records = {
        name: SplitRecord(pairs=int(pairs.sum()), sources=int((pairs & is_new).sum()), covered=None)
        for part, name in enumerate(PARTS)
        if (pairs := part_of_pair == part).any() or name in SPLITS
    }
    return Selection(part_of_pair=part_of_pair, records=records, shared=shared, warnings=warnings)


def _is_new(store: PairStore, side: SideName, given: NDArray[np.int8], kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether no earlier kept pair that was given for the same part has the sentence of this side."""
    is_new = kept.copy()
    is_new[kept] = first_of_each(_apart(store.column(f"{side}.hashes"), given)[kept])
    return is_new


def _drop(part_of_pair: NDArray[np.int8], reason: Reason, mask: NDArray[np.bool_]) -> None:
    """Drop the pairs of a mask that are not dropped yet."""
    part_of_pair[mask & (part_of_pair >= 0)] = ~REASONS.index(reason)


def _count_dropped(store: PairStore, part_of_pair: NDArray[np.int8], counts: LineCounts) -> None:
    """Count the dropped pairs for each reason, with the first of them as examples."""
    lines, ends = store.column("lines"), np.cumsum([pairs for _, pairs in store.blocks])
    for number, reason in enumerate(REASONS):
        pairs = np.flatnonzero(part_of_pair == ~number)
        if first := pairs[:MOST_EXAMPLES].tolist():
            files = [store.blocks[block][0] for block in np.searchsorted(ends, first, side="right").tolist()]
            columns = files, lines[first].tolist(), *(store.texts(side, first) for side in SIDES)
            counts.drop(reason, len(pairs), starmap(DroppedLine.of, zip(*columns, strict=True)))


def _drop_lengths(store: PairStore, part_of_pair: NDArray[np.int8], given: NDArray[np.int8], config: Config) -> None:
    """Drop training pairs with too many tokens on a side, or many more words on one side than on the other."""
    most = config.data.max_tokens * (CHARACTERS_PER_TOKEN if config.text.unit == "character" else 1)
    for_training = ~np.isin(given, (VALID, TEST))
    longest = np.maximum(store.column("src.lengths"), store.column("tgt.lengths"))
    _drop(part_of_pair, "too long", for_training & (longest > most))
    src, tgt = store.column("src.words"), store.column("tgt.words")
    is_uneven = np.maximum(src, tgt) > config.data.max_ratio * np.minimum(src, tgt)
    _drop(part_of_pair, "length ratio", for_training & is_uneven)


def _drop_shared(store: PairStore, part_of_pair: NDArray[np.int8], pairs: NDArray[np.bool_]) -> None:
    """Drop of the ``pairs`` what shares a sentence with a held-out split; case, punctuation, spaces do not count."""
    _drop(part_of_pair, "in valid", _sharing(store, pairs, part_of_pair == VALID))
    _drop(part_of_pair, "in test", _sharing(store, pairs, part_of_pair == TEST))


def _sharing(store: PairStore, pairs: NDArray[np.bool_], others: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The ``pairs`` that share a sentence, on either side, with one of ``others``."""
    if not (pairs.any() and others.any()):
        return np.zeros_like(pairs)
    src, tgt = (np.isin(keys, keys[others]) for keys in (store.column(f"{side}.keys") for side in SIDES))
    return pairs & (src | tgt)


def _apart(hashes: Hashes, given: NDArray[np.int8]) -> Hashes:
    """Hashes that differ between the given parts, so that equal texts in two of them count as different."""
    return hashes ^ mix(np.arange(len(PARTS), dtype=np.uint64))[given] if given.any() else hashes


def _nothing_left(store: PairStore, part_of_pair: NDArray[np.int8]) -> str:
    files = " + ".join(dict.fromkeys(file.base_name for file, _ in store.blocks))
    dropped = {reason: np.count_nonzero(part_of_pair == ~number) for number, reason in enumerate(REASONS)}
    counts = ", ".join(f"{count:,} {reason}" for reason, count in dropped.items() if count)
    cure = " or ".join(["give more pairs", *(f"raise {key}" for reason, key in LIMITS.items() if dropped[reason])])
    return f"{files}: no pair is left for training ({counts}): {cure}"
