"""What the attention weights say about words: which ones belong together, and which one of the source is copied.

S source tokens, T target tokens. For links, a word is what stands between two white spaces of a text as it was given.
"""

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TypeAlias

import numpy as np

from seq2seq_cli.shapes import Float
from seq2seq_cli.text.codec import Word
from seq2seq_cli.text.letters import lowered
from seq2seq_cli.text.normalise import SPACING, is_punctuation
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
    """One link per target word: the source word with the largest sum of attention weights over the word's tokens.

    `src_words` and `tgt_words` have the word of each token, or None (``<eos>``). Target words without any attention to
    a source word have no link.
    """
    if not weights.size:
        return []
    links = []
    sources = sorted({word for word in src_words if word is not None})
    columns = np.array([[word == source for word in src_words] for source in sources], dtype=weights.dtype)
    for target in sorted({word for word in tgt_words if word is not None}):
        of_tokens = weights[[word == target for word in tgt_words]].sum(axis=0)
        of_words = columns @ of_tokens
        if len(of_words) and of_words.max() > 0:
            links.append((sources[int(of_words.argmax())], target))
    return links


class WordFinder:
    """The words of a text in which tokens stand.

    The tokens of the text's sentences are looked for one after the other, in any case, white space ignored.
    """

    def __init__(self, text: str) -> None:
        solid = [(character, word) for word, chunk in enumerate(text.split()) for character in chunk]
        self._folded = "".join(lowered(character) for character, _ in solid).translate(_QUOTES)
        self._words = [word for _, word in solid]
        """The word of each character that is no white space."""
        self._start = 0
        """The place among these characters from which on the next token is looked for."""

    def words(self, tokens: Sequence[str]) -> list[int | None]:
        """The word of each of the next tokens; an empty token has none.

        A token that the text does not have belongs to the last word before it: a mark that replaced another one. So
        marks are not looked for beyond the next letter or digit.
        """
        return [self._word(token) for token in tokens]

    def _word(self, token: str) -> int | None:
        wanted = "".join(lowered(character) for character in token if not character.isspace()).translate(_QUOTES)
        if not wanted or not self._words:
            return None
        end = self._start + len(wanted) + _WINDOW
        if not _IN_WORD.search(wanted) and (word := _IN_WORD.search(self._folded, self._start, end)):
            end = word.start()
        at = self._folded.find(wanted, self._start, end)
        if at < 0:
            return self._words[max(0, self._start - 1)]
        self._start = at + len(wanted)
        return self._words[at]


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
