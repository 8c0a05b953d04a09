"""Codecs fitted on the training split; files of ids, offsets and texts; what helps to train, measured by its ids."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from io import BufferedWriter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.compute.ragged import Ragged, offsets_of
from seq2seq_cli.config.schema.text import TextConfig
from seq2seq_cli.corpus.manifest import ENDINGS, SideRecord
from seq2seq_cli.corpus.splits import DICTIONARY, PARTS, RELATED, SRC_ONLY, TGT_ONLY, TRAIN, VALID, PartName
from seq2seq_cli.preparation.pair_store import PairStore
from seq2seq_cli.preparation.selection import Selection
from seq2seq_cli.text.characters import INNER_APOSTROPHE
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.sides import SIDES, Codecs, Rules, SideName, fit_codecs
from seq2seq_cli.text.vocabulary import UNK

_HELPING: dict[SideName, list[int]] = {"src": [RELATED, DICTIONARY, SRC_ONLY], "tgt": [RELATED, DICTIONARY, TGT_ONLY]}
"""The parts that help with a vocabulary: a text in the language of the other side is no text of this one."""
_MEASURED: dict[PartName, tuple[SideName, ...]] = {"related": SIDES, "tgt_only": ("tgt",)}
"""The sides on which a part may have what the own pairs lack."""
_BLOCK = 1 << 17
"""Sentences that are compared at a time."""


def count_tokens(store: PairStore, side: SideName, part_of_pair: NDArray[np.int8]) -> NDArray[np.int64]:
    """The frequency of each distinct token of a side in each part: a row per part."""
    counts = np.zeros((len(PARTS), len(store.tokens[side])), dtype=np.int64)
    for pairs, tokens, _ in store.side_blocks(side):
        part_of_token = np.repeat(part_of_pair[pairs], tokens.lengths)
        for part in range(len(PARTS)):
            found = np.bincount(tokens.values[part_of_token == part])
            counts[part, : len(found)] += found
    return counts


def fit_on_training(
    store: PairStore, text: TextConfig, rules: Rules, selection: Selection, counts: Mapping[SideName, NDArray[np.int64]]
) -> Codecs:
    """The codecs of the training split and of what helps it, from `counts` of tokens per side, a row per part.

    Where there is help, the training split weighs as much as all of it, so that its words are cut into few units. The
    source's codec knows the longest sentence of the training split, and its usual apostrophe.
    """
    in_training = selection.part_of_pair == TRAIN
    own = [counts[side][TRAIN] for side in SIDES]
    helping = [counts[side][_HELPING[side]].sum(axis=0) for side in SIDES]
    weight = max(1, round(sum(map(np.sum, helping)) / sum(map(np.sum, own))))
    src_counts, tgt_counts = (
        {token: count for token, count in zip(store.tokens[side], total.tolist(), strict=True) if count}
        for side, total in zip(SIDES, [weight * o + h for o, h in zip(own, helping, strict=True)], strict=True)
    )
    src, tgt = fit_codecs(text, src_counts, tgt_counts, rules)
    longest = int(store.column("src.lengths")[in_training].max())
    return replace(src, longest=longest, apostrophe=_usual_apostrophe(store, in_training)), tgt


def _usual_apostrophe(store: PairStore, chosen: NDArray[np.bool_]) -> str:
    """The most frequent one of INNER_MARKS between letters of the sources; empty where there is none."""
    counts = Counter[str]()
    for pairs, _, texts in store.side_blocks("src"):
        text = texts.values[np.repeat(chosen[pairs], texts.lengths)].tobytes().decode("utf-8")
        counts.update(INNER_APOSTROPHE.findall(text))
    return max(counts, key=counts.__getitem__, default="")


def write_side(
    folder: Path, store: PairStore, side: SideName, codec: Codec, selection: Selection, counts: NDArray[np.int64]
) -> tuple[SideRecord, Codec]:
    """Write the ids, offsets and texts of all parts; returns the side's record, and its codec with counts of train."""
    ids_of_token = Ragged.of([codec.token_ids(token) for token in store.tokens[side]])
    totals = (counts @ ids_of_token.lengths).tolist()
    size = len(codec.vocabulary)
    kind = "<u2" if size < 1 << 16 else "<u4"
    with ExitStack() as stack:
        parts = {
            part: _open_files(folder / f"{name}.{side}", kind, stack, ids=totals[part], pairs=record.pairs)
            for part, name in enumerate(PARTS)
            if (record := selection.records.get(name))
        }
        written = dict.fromkeys(parts, 0)
        for pairs, tokens, texts in store.side_blocks(side):
            for part, files in parts.items():
                if (chosen := selection.part_of_pair[pairs] == part).any():
                    ids = ids_of_token.pick(tokens.values[np.repeat(chosen, tokens.lengths)])
                    # A sentence ends where its last token ends.
                    ends = written[part] + ids.offsets[offsets_of(tokens.lengths[chosen])[1:]]
                    written[part] += len(ids.values)
                    text = texts.values[np.repeat(chosen, texts.lengths)]
                    for file, content in zip(files, (ids.values.astype(kind), ends.astype("<i8"), text), strict=True):
                        file.write(content.tobytes())
    # An unknown token has a single id.
    unknown = int(counts[VALID] @ (ids_of_token.values[ids_of_token.offsets[:-1]] == UNK))
    rate = unknown / totals[VALID] if totals[VALID] else None
    in_training = np.bincount(ids_of_token.values, np.repeat(counts[TRAIN], ids_of_token.lengths), minlength=size)
    with_counts = replace(codec, counts=tuple(in_training.astype(int).tolist()))
    return SideRecord(vocabulary=size, tokens=sum(totals), unknown_rate=rate), with_counts


def _open_files(stem: Path, kind: str, stack: ExitStack, *, ids: int, pairs: int) -> list[BufferedWriter]:
    """The files of one side of one part, to be filled: ids, offsets of the sentences, text."""
    files = [stack.enter_context(stem.with_name(stem.name + ending).open("wb")) for ending in ENDINGS]
    for file, descr, length in zip(files[:2], (kind, "<i8"), (ids, pairs + 1), strict=True):
        np.lib.format.write_array_header_1_0(file, {"descr": descr, "fortran_order": False, "shape": (length,)})
    files[1].write(bytes(8))
    return files


def covered(folder: Path, part: PartName) -> float | None:
    """The share that a part has of the neighbouring units in the validation split that the training split lacks.

    Of the side that has more, for related pairs: their other side is in another language. None for a part that is not
    measured, and where the training split lacks nothing or there is no validation split.
    """
    shares = []
    for side in _MEASURED.get(part, ()):
        valid, train, others = (_neighbours(folder / f"{name}.{side}") for name in ("valid", "train", part))
        if len(missing := _lacking(np.concatenate(list(valid)), train)):
            shares.append(1 - len(_lacking(missing, others)) / len(missing))
    return max(shares, default=None)


def _lacking(pairs: NDArray[np.int64], blocks: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    """The pairs of neighbours that are in none of the blocks."""
    for block in blocks:
        pairs = pairs[np.isin(pairs, block, invert=True)]
    return pairs


def _neighbours(stem: Path) -> Iterator[NDArray[np.int64]]:
    """Each two neighbouring units of a sentence, both known, as one number: a block of sentences at a time."""
    ids, offsets = (np.load(stem.with_name(stem.name + ending), mmap_mode="r") for ending in ENDINGS[:2])
    for first in range(0, len(offsets), _BLOCK):
        bounds = offsets[first : first + _BLOCK + 1]
        units, sentence = ids[bounds[0] : bounds[-1]].astype(np.int64), np.repeat(bounds[1:], np.diff(bounds))
        known = units != UNK
        yield (units[:-1] << 32 | units[1:])[known[:-1] & known[1:] & (sentence[:-1] == sentence[1:])]
