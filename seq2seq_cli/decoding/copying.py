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

from seq2seq_cli.text.normalise import SPACING
from seq2seq_cli.text.vocabulary import UNK


def copy_unknown(
    ids: Sequence[int],
    weights: Float[np.ndarray, "T S"],
    src_ids: Sequence[int],
    src_words: Sequence[str],
    src_spans: Sequence[slice],
) -> dict[int, str]:
    """For each position of `ids` with UNK, the source word to show there.

    It is the word that holds the position with the largest weight; a word that is punctuation or has been copied
    before in this sentence is passed over, and when no other has any weight, the position is left out. Words that are
    unknown themselves go first, as long as there are enough of them for all UNK of `ids`: a model often looks beside
    the word that it means, because the states there have read it too.

    `src_words` are the words as they were written, `src_spans` the positions in `src_ids` of each; the weight of other
    positions (``<eos>``, padding) is ignored.
    """
    free = {i for i, word in enumerate(src_words) if not is_punctuation(word)}
    unknown = {i for i in free if src_ids[src_spans[i].start] == UNK}
    first = unknown if len(unknown) >= list(ids).count(UNK) else set()
    copies: dict[int, str] = {}
    for position, token in enumerate(ids):
        if token != UNK or not free:
            continue
        largest = {i: weights[position, src_spans[i]].max() for i in free}
        # The first of equal weights wins, so that the answer does not depend on the order of a set.
        best = max(free, key=lambda i: (largest[i] > 0 and i in first, largest[i], -i))
        if largest[best] > 0:
            copies[position] = src_words[best]
            free.remove(best)
    return copies


def is_punctuation(token: str) -> bool:
    """Whether every character is a punctuation mark, in any script (or one of ASCII's, such as ``~``), or SPACING."""
    return all(unicodedata.category(c).startswith("P") or c in string.punctuation or c == SPACING for c in token)
