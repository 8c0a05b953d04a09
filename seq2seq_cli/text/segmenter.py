"""From normalised text to the tokens that a codec counts, for one side.

Each word is lower-cased, cut and marked once, so that a sentence costs little more than looking up its words.
"""

import functools
import unicodedata
from itertools import chain, pairwise

from seq2seq_cli.config.choices import Unit
from seq2seq_cli.config.schema import SideConfig
from seq2seq_cli.text.casing import cut_alike, lower
from seq2seq_cli.text.memo import Memo
from seq2seq_cli.text.normalise import SPACING
from seq2seq_cli.text.tokenizer import get_tokenizer


class Segmenter:
    """Cuts normalised text of one language; tokens are lower-cased and carry the space before them as configured.

    With ``word`` and ``bpe`` a token is one of spaCy's. With ``character`` it is one character of the (lower-cased)
    text, a space being the token SPACING; without ``config.spacing`` spaces beside a character that is neither letter
    nor digit are left out, so that "him ." and "him." are the same.
    """

    def __init__(self, config: SideConfig, unit: Unit) -> None:
        self.config = config
        self.unit = unit
        self._tokens_of_word = Memo(self._find_tokens)
        self._pieces_of_word = Memo(self._find_pieces)

    def tokens(self, text: str) -> list[str]:
        """The tokens of a normalised text, as they are counted; raises InputError when a package is missing."""
        if self.unit == "character":
            characters = self._characters(text)
            return list(lower(characters, self.config.language) if self.config.lowercase else characters)
        return list(chain.from_iterable(map(self._tokens_of_word.__getitem__, text.split())))

    def words(self, text: str) -> list[str]:
        """What stands in the text for each of ``tokens``, in its own case; a space is SPACING.

        Where one capital has several small characters, the first of them stands for it and the others for nothing.
        """
        if self.unit == "character":
            return cut_alike(self._characters(text), self.tokens(text), self.config.language)
        return list(chain.from_iterable(map(self._pieces_of_word.__getitem__, text.split())))

    def _find_tokens(self, word: str) -> tuple[str, ...]:
        pieces = self._cut(word)
        return (SPACING + pieces[0], *pieces[1:]) if self.config.spacing else pieces

    def _find_pieces(self, word: str) -> list[str]:
        return cut_alike(word, self._cut(word), self.config.language)

    def _cut(self, word: str) -> tuple[str, ...]:
        # Lower-cased first, so that case makes no difference at all: spaCy cuts "don't", but leaves "DON'T" whole.
        if self.config.lowercase:
            word = lower(word, self.config.language)
        return get_tokenizer(self.config.language).split_word(word)

    def _characters(self, text: str) -> str:
        words = text.split()
        if self.config.spacing:
            return SPACING.join(words)
        gaps = [SPACING if _in_word(left[-1]) and _in_word(right[0]) else "" for left, right in pairwise(words)]
        return "".join(chain.from_iterable(zip(words, [*gaps, ""], strict=True))) if words else ""


def get_segmenter(config: SideConfig, unit: Unit) -> Segmenter:
    """The process's one segmenter of this kind; the tokenizer is built when the first text is cut."""
    return _segmenter(config.language, config.lowercase, config.spacing, unit)


@functools.cache
def _segmenter(language: str, lowercase: bool, spacing: bool, unit: Unit) -> Segmenter:
    return Segmenter(SideConfig(language=language, lowercase=lowercase, spacing=spacing), unit)


def _in_word(character: str) -> bool:
    """Whether it is a letter, a digit, or a mark that belongs to one."""
    return unicodedata.category(character)[0] in "LNM"
