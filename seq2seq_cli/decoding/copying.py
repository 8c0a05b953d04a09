"""Unknown words: a word that the decoder could not name is copied from the source.

After Luong et al. 2015, "Addressing the rare word problem in neural machine translation", with the attention
weights in place of an aligner.

T target length, S source length.
"""

import string
import unicodedata
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from seq2seq_cli.text.vocabulary import UNK


def copy_unknown(ids: Sequence[int], weights: Float[np.ndarray, "T S"], src_tokens: Sequence[str]) -> dict[int, str]:
    """For each position of `ids` with UNK, the source word to show there.

    It is the word with the largest weight that is not punctuation and has not been copied before in this sentence;
    when no such word has any weight, the position is left out. `src_tokens` are the words as they were written,
    without ``<eos>``: further columns of `weights` are ignored.
    """
    free = {i for i, token in enumerate(src_tokens) if not is_punctuation(token)}
    copies: dict[int, str] = {}
    for position, token in enumerate(ids):
        if token != UNK or not free:
            continue
        # The first of equal weights wins, so that the answer does not depend on the order of a set.
        best = max(free, key=lambda i: (weights[position, i], -i))
        if weights[position, best] > 0:
            copies[position] = src_tokens[best]
            free.remove(best)
    return copies


def is_punctuation(token: str) -> bool:
    """Whether every character is a punctuation mark, in any script (or one of ASCII's, such as ``~``)."""
    return all(unicodedata.category(c).startswith("P") or c in string.punctuation for c in token)
