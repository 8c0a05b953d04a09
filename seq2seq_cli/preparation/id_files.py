"""Codecs fitted on the training split, and the ids, offsets and texts of a prepared folder, written block by block."""

from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.compute.ragged import Ragged, offsets_of
from seq2seq_cli.config.schema.text import TextConfig
from seq2seq_cli.corpus.manifest import ENDINGS, SideRecord
from seq2seq_cli.corpus.splits import DICTIONARY, PARTS, RELATED, SRC_ONLY, TGT_ONLY, TRAIN, VALID
from seq2seq_cli.preparation.pair_store import PairStore
from seq2seq_cli.preparation.selection import Selection
from seq2seq_cli.text.characters import INNER_APOSTROPHE
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.sides import SIDES, Codecs, Rules, SideName, fit_codecs
from seq2seq_cli.text.vocabulary import UNK

_HELPING: dict[SideName, list[int]] = {"src": [RELATED, DICTIONARY, SRC_ONLY], "tgt": [RELATED, DICTIONARY, TGT_ONLY]}
"""The parts that help with a vocabulary: a text in the language of the other side is no text of this one."""


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
    """Write ids, offsets and texts of all splits, and of other parts that have any.

    Returns the record of the side, and the codec with the counts of its ids in the training split.
    """
    ids_of_token = Ragged.of([codec.token_ids(token) for token in store.tokens[side]])
    totals = (counts @ ids_of_token.lengths).tolist()
    size = len(codec.vocabulary)
    kind = np.dtype("<u2" if size < 1 << 16 else "<u4")
    with ExitStack() as stack:
        parts = {
            part: _PartFiles(folder / f"{name}.{side}", kind, stack, ids=totals[part], pairs=record.pairs)
            for part, name in enumerate(PARTS)
            if (record := selection.records.get(name))
        }
        for pairs, tokens, texts in store.side_blocks(side):
            for part, files in parts.items():
                if (chosen := selection.part_of_pair[pairs] == part).any():
                    ids = ids_of_token.pick(tokens.values[np.repeat(chosen, tokens.lengths)])
                    # A sentence ends where its last token ends.
                    ends = ids.offsets[offsets_of(tokens.lengths[chosen])[1:]]
                    files.write(ids.values, ends, texts.values[np.repeat(chosen, texts.lengths)])
    # An unknown token has a single id.
    unknown = int(counts[VALID] @ (ids_of_token.values[ids_of_token.offsets[:-1]] == UNK))
    rate = unknown / totals[VALID] if totals[VALID] else None
    in_training = np.bincount(ids_of_token.values, np.repeat(counts[TRAIN], ids_of_token.lengths), minlength=size)
    with_counts = replace(codec, counts=tuple(in_training.astype(int).tolist()))
    return SideRecord(vocabulary=size, tokens=sum(totals), unknown_rate=rate), with_counts


class _PartFiles:
    """The files of one side of one part: ids, offsets of the sentences, text."""

    def __init__(self, stem: Path, kind: np.dtype[Any], stack: ExitStack, *, ids: int, pairs: int) -> None:
        self._ids, self._offsets, self._text = (
            stack.enter_context(stem.with_name(stem.name + ending).open("wb")) for ending in ENDINGS
        )
        self._kind = kind
        self._written = 0
        write_header = np.lib.format.write_array_header_1_0
        write_header(self._ids, {"descr": kind.str, "fortran_order": False, "shape": (ids,)})
        write_header(self._offsets, {"descr": "<i8", "fortran_order": False, "shape": (pairs + 1,)})
        self._offsets.write(bytes(8))

    def write(self, ids: NDArray[np.unsignedinteger[Any]], ends: NDArray[np.int64], text: NDArray[np.uint8]) -> None:
        """Append sentences: their ids, the end of each sentence among these ids, and their text."""
        self._ids.write(ids.astype(self._kind).tobytes())
        self._offsets.write((ends + self._written).astype("<i8").tobytes())
        self._text.write(text.tobytes())
        self._written += len(ids)
