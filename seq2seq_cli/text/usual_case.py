"""The usual case of a text: what is a capital only where a text begins, in a title or among capitals is none in it.

Which words have a small letter inside texts is learned from the tokens of training, and the case of a text is undone
where that can be done again: "She", "she" and "SHE" are then the same word.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from operator import ne
from typing import Literal

from seq2seq_cli.text.characters import BEGINNING, SPACING, capitalise, is_all_upper, lower, small_first, upper
from seq2seq_cli.text.vocabulary import UNK, Vocabulary

WORD_START = re.compile(r"(?<!\S)[^\W\d_]+")
"""The letters that a word begins with."""
_RARE = 0.1
"""The frequency of a form of a word, as a multiple of the one of its other form, up to which it is rare."""


def in_usual_case(token_counts: Mapping[str, int], language: str) -> Counter[str]:
    """The counts of tokens, with first tokens of texts in the case that they have inside texts.

    A capital of which nothing is left counts as one use of its letter, which so stays in the vocabulary.
    """
    inside, firsts = _parted(token_counts)
    counts = Counter(inside)
    begins_with_capital = _begin_with_capital(firsts, language)
    for token, n in firsts.items():
        small = _token_of(token, small_first, language)
        is_small = begins_with_capital and _is_small_word(small, token, inside)
        counts[small if is_small else token] += n
        if is_small and small != token:
            counts[token.removeprefix(SPACING)[0]] += 1
    return counts


def small_words(units: Iterable[str], token_counts: Mapping[str, int], language: str) -> frozenset[str]:
    """The units that are words in small letters inside texts, where texts begin with capitals; else none."""
    inside, firsts = _parted(token_counts)
    if not _begin_with_capital(firsts, language):
        return frozenset()
    words = [unit for unit in units if inside.get(unit) and _token_of(unit, small_first, language) == unit]
    return frozenset(unit for unit in words if _is_small_word(unit, _token_of(unit, capitalise, language), inside))


@dataclass(frozen=True)
class UsualCase:
    """The usual case of the texts of one language."""

    language: str
    space: str
    """The mark of the space before a word in the units of the vocabulary; empty where they have none."""
    small_words: frozenset[str]
    """As `small_words` has found them; none where texts do not begin with a capital."""
    vocabulary: Vocabulary

    def of_text(self, text: str) -> tuple[str, Literal["capitals", "title"]] | None:
        """A text in capitals or title case in its usual case, and its own.

        None for any other text, and where its own case does not give it back (ß).
        """
        is_loud = text.isupper() and is_all_upper(text)
        if not is_loud and (not self.small_words or any(word[0].islower() for word in text.split())):
            return None
        in_usual = self._restored if is_loud else self._usual
        plain = lower(text, self.language) if is_loud else text
        usual = WORD_START.sub(lambda word: in_usual(word[0]), plain)
        # Two words with capitals are no title: Guten Morgen is not "guten morgen".
        if not is_loud and sum(map(ne, plain.split()[1:], usual.split()[1:])) < 2:
            return None
        usual = capitalise(usual, self.language) if self.small_words else usual
        titled = WORD_START.sub(lambda word: capitalise(word[0], self.language), usual)
        again = upper(usual, self.language) if is_loud else titled
        return (usual, "capitals" if is_loud else "title") if len(usual) == len(text) and again == text else None

    def of_first(self, token: str) -> str:
        """The first token of a text in the case that it has inside texts, where that can be undone."""
        word = token.removeprefix(SPACING)
        usual = self._restored(word) if word == small_first(word, self.language) else self._usual(word)
        is_undone = self.small_words and word in (capitalise(usual, self.language), small_first(usual, self.language))
        return token.removesuffix(word) + usual if is_undone else token

    def _usual(self, word: str) -> str:
        """The word with a small letter where it has one inside texts."""
        small = small_first(word, self.language)
        return small if self.space + small in self.small_words else word

    def _restored(self, word: str) -> str:
        """The word, which is in small letters, with a capital where the vocabulary has it so alone."""
        capital = capitalise(word, self.language)
        is_name = self.space + word not in self.small_words and self.vocabulary.id(self.space + capital) != UNK
        return capital if is_name else word


def _parted(token_counts: Mapping[str, int]) -> tuple[dict[str, int], dict[str, int]]:
    """The counts of the tokens inside texts, and those of first tokens, without their mark."""
    inside = {token: n for token, n in token_counts.items() if not token.startswith(BEGINNING)}
    return inside, {t.removeprefix(BEGINNING): n for t, n in token_counts.items() if t.startswith(BEGINNING)}


def _begin_with_capital(firsts: Mapping[str, int], language: str) -> bool:
    return sum(-n if _token_of(token, small_first, language) == token else n for token, n in firsts.items()) > 0


def _is_small_word(small: str, capital: str, inside: Mapping[str, int]) -> bool:
    """Whether the form in small letters is not the rare one: so with sie, which is "she", and with a capital "you"."""
    return inside.get(small, 0) > _RARE * (inside.get(capital, 0) if capital != small else 0)


def _token_of(token: str, change: Callable[[str, str], str], language: str) -> str:
    word = token.removeprefix(SPACING)
    return token.removesuffix(word) + change(word, language)
