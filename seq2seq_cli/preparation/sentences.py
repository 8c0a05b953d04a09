"""What codecs know of the training sentences besides their units."""

from collections import Counter
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from seq2seq_cli.preparation.pair_store import PairStore
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.normalise import APOSTROPHES, INNER_APOSTROPHE
from seq2seq_cli.text.sides import SideName


def with_sentences(codec: Codec, store: PairStore, side: SideName, chosen: NDArray[np.bool_]) -> Codec:
    """The codec with the longest sentence and the usual apostrophe of its side of the chosen pairs."""
    longest = int(store.column(f"{side}.lengths")[chosen].max())
    return replace(codec, longest=longest, apostrophe=_usual_apostrophe(store, side, chosen))


def _usual_apostrophe(store: PairStore, side: SideName, chosen: NDArray[np.bool_]) -> str:
    """The one of APOSTROPHES that is the most frequent mark between letters; empty where there is none."""
    counts = Counter[str]()
    for pairs, block in store.side_blocks(side):
        text = block.text[np.repeat(chosen[pairs], block.sizes)].tobytes().decode("utf-8")
        counts.update(INNER_APOSTROPHE.findall(text))
    usual = max(counts, key=counts.__getitem__, default="")
    return usual if usual in APOSTROPHES else ""
