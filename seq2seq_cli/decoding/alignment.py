"""The word alignment between a text and its translation, from the attention weights.

S source tokens, T target tokens.
"""

import re
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from seq2seq_cli.shapes import Float
from seq2seq_cli.text.letters import lowered

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


class WordFinder:
    """The words of a text, separated by white space, in which tokens stand.

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
