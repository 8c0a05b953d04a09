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


def words_of_tokens(text: str, tokens: Sequence[str]) -> list[int | None]:
    """The word of a text, separated by white space, in which each token of its sentences stands; an empty one has none.

    They are looked for one after the other, in any case, white space ignored. A token that the text does not have
    belongs to the last word before it: a mark that replaced another one. So marks are not looked for beyond the next
    letter or digit.
    """
    solid = [(character, word) for word, chunk in enumerate(text.split()) for character in chunk]
    folded = "".join(lowered(character) for character, _ in solid).translate(_QUOTES)
    words: list[int | None] = []
    start = 0
    for token in tokens:
        wanted = "".join(lowered(character) for character in token if not character.isspace()).translate(_QUOTES)
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
