"""The words of the source that are written where the model writes UNK.

S source tokens, T target tokens.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise

import numpy as np

from seq2seq_cli.shapes import Float
from seq2seq_cli.text.codec import Word
from seq2seq_cli.text.normalise import SPACING, is_punctuation
from seq2seq_cli.text.vocabulary import UNK


def can_be_copied(word: Word) -> bool:
    """Whether a word may be written for UNK: any word, and a mark that the vocabulary lacks, such as …."""
    return (word.is_unknown and word.text != SPACING) or not is_punctuation(word.text)


def copy_by_attention(ids: Sequence[int], weights: Float[np.ndarray, "T S"], words: Sequence[Word]) -> dict[int, int]:
    """The index of the word to write at each position of `ids` that is UNK: the one with the largest attention weight.

    Luong et al. 2015, "Addressing the rare word problem in neural machine translation", with the weights in place of an
    aligner. Known punctuation is never copied, and each word at most once. Where all other words have weight 0, the
    position is left out. Unknown words have priority as long as there is one for each UNK: a model often attends to the
    neighbour of the word that it means, because the encoder's state there has read that word too.

    The weight of a word is the largest of its positions, which stand in `weights` in the order of `words`; later
    positions (``<eos>``, padding) are ignored.
    """
    spans = list(pairwise(accumulate((len(word.ids) for word in words), initial=0)))
    free = {i for i, word in enumerate(words) if can_be_copied(word)}
    unknown = {i for i in free if words[i].is_unknown}
    preferred = unknown if len(unknown) >= list(ids).count(UNK) else set()
    copies: dict[int, int] = {}
    for position, id_ in enumerate(ids):
        if id_ != UNK or not free:
            continue
        largest = {i: weights[position, slice(*spans[i])].max() for i in free}
        # The first of equal weights wins, so that the answer does not depend on the order of a set.
        best = max(free, key=lambda i: (largest[i] > 0 and i in preferred, largest[i], -i))
        if largest[best] > 0:
            copies[position] = best
            free.remove(best)
    return copies


def copy_in_order(ids: Sequence[int], words: Sequence[Word]) -> dict[int, int]:
    """The index of the word to write at each position of `ids` that is UNK: the next unknown one, no punctuation.

    For models without attention; positions beyond the last unknown word are left out.
    """
    positions = (position for position, id_ in enumerate(ids) if id_ == UNK)
    unknown = (i for i, word in enumerate(words) if word.is_unknown and not is_punctuation(word.text))
    return dict(zip(positions, unknown, strict=False))
