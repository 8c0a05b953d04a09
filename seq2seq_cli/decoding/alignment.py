"""What the attention of T target tokens to S source tokens says of words: their alignment, and which one to copy."""

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TypeAlias

import numpy as np

from seq2seq_cli.shapes import Float
from seq2seq_cli.text.characters import SPACING, is_punctuation, is_space, lowered, normalise
from seq2seq_cli.text.codec import Word
from seq2seq_cli.text.vocabulary import UNK

Link: TypeAlias = tuple[int, int]
"""A source word and a target word that belong together, counted from 0: ``i-j`` in the Pharaoh format."""

_WINDOW = 2000
"""Characters of a text in which a token is looked for, so that the time grows with the length and not its square."""
_QUOTES = str.maketrans("‘’‚“”„", "'''\"\"\"")
"""Quotation marks and apostrophes, which may be written as one another when a text is read."""
_IN_WORD = re.compile(r"[^\W_]")


def word_links(
    weights: Float[np.ndarray, "T S"], src_words: Sequence[int | None], tgt_words: Sequence[int | None]
) -> list[Link]:
    """A link per target word that attends to any: the source word with the largest sum of weights over the tokens.

    `src_words` and `tgt_words` have the word of each token, or None (``<eos>``).
    """
    sources = sorted({word for word in src_words if word is not None})
    if not sources or not weights.size:
        return []
    links = []
    columns = np.array([[word == source for word in src_words] for source in sources], dtype=weights.dtype)
    for target in sorted({word for word in tgt_words if word is not None}):
        of_words = columns @ weights[[word == target for word in tgt_words]].sum(axis=0)
        if of_words.max() > 0:
            links.append((sources[int(of_words.argmax())], target))
    return links


def words_of_tokens(text: str, tokens: Sequence[str]) -> list[int | None]:
    """The word of a text, separated by white space, in which each token of its sentences stands; an empty one has none.

    They are looked for one after the other, in any case, white space ignored. A token that the text does not have
    belongs to the last word before it: a mark that replaced another one. So marks are not looked for beyond the next
    letter or digit.
    """
    solid = [(character, word) for word, chunk in enumerate(text.split()) for character in normalise(chunk)]
    folded = "".join(lowered(character) for character, _ in solid).translate(_QUOTES)
    words: list[int | None] = []
    start = 0
    for token in tokens:
        wanted = "".join(lowered(character) for character in token if not is_space(character)).translate(_QUOTES)
        if not wanted or not solid:
            words.append(None)
            continue
        end = start + len(wanted) + _WINDOW
        if not _IN_WORD.search(wanted) and (word := _IN_WORD.search(folded, start, end)):
            end = word.start()
        at = folded.find(wanted, start, end)
        words.append(solid[at if at >= 0 else max(0, start - 1)][1])
        start = at + len(wanted) if at >= 0 else start
    return words


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
    positions (``<eos>``, padding) are ignored. Of equal weights, the first word is copied.
    """
    if UNK not in ids:  # as in most sentences
        return {}
    spans = list(pairwise(accumulate((len(word.ids) for word in words), initial=0)))
    free = {i for i, word in enumerate(words) if can_be_copied(word)}
    unknown = {i for i in free if words[i].is_unknown}
    preferred = unknown if len(unknown) >= list(ids).count(UNK) else set()
    copies: dict[int, int] = {}
    for position, id_ in enumerate(ids):
        if id_ != UNK or not free:
            continue
        largest = {i: weights[position, slice(*spans[i])].max() for i in free}
        best = max(free, key=lambda i: (largest[i] > 0 and i in preferred, largest[i], -i))
        if largest[best] > 0:
            copies[position] = best
            free.remove(best)
    return copies
