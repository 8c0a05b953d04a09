"""Words that know what they stand for, and the alignment of two sentences that follows from it.

The guidelines follow Och and Ney 2003 (section 3) and Lambert et al. 2005: a link is sure where two words
translate one another, possible where a word has its counterpart only as a part of a group (see data/README.md).
"""

import re
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias


class Word(NamedTuple):
    """A word or punctuation mark of a sentence.

    `part` is the part of the meaning that it stands for, such as `subject.noun`; None for a word that means nothing by
    itself ("do", a separated prefix). `hints` are the parts that it helps to say: "im" is the preposition and hints
    at the article.
    """

    text: str
    part: str | None
    hints: tuple[str, ...] = ()


Words: TypeAlias = tuple[Word, ...]
Sentence: TypeAlias = tuple[Words, Words]
"""The same in English and in German."""


def part_of(whole: str, words: Words) -> Words:
    """The words as parts of a larger whole: `noun` becomes `subject.noun`."""
    return tuple(
        Word(text, part and f"{whole}.{part}", tuple([f"{whole}.{hint}" for hint in hints]))
        for text, part, hints in words
    )


def expression(text: str, translation: str) -> Words:
    """The words of a fixed expression, which stand for the words of its translation one by one.

    Where their numbers differ ("home", "nach Hause"), the last words translate one another, and all others hint at
    them.
    """
    first, others = text.split(), translation.split()
    if len(first) == len(others):
        return tuple(Word(word, str(place)) for place, word in enumerate(first))
    *before, head = first
    return (*(Word(word, None, ("head",)) for word in before), Word(head, "head"))


def written(words: Iterable[Word]) -> str:
    """The text of the words: no space before a punctuation mark, "cannot" in one."""
    spaced = " ".join(word.text for word in words).replace("can not", "cannot")
    return re.sub(r" (?=[,.?!])", "", spaced)


def pharaoh(sentence: Sentence) -> str:
    """The links: `i-j` sure, `i?j` possible; English and German words are counted from 0.

    A link is sure where both words stand for the same part, possible where one hints at what the other stands for or
    hints at.
    """
    parts_of_words = [[{word.part, *word.hints} - {None} for word in words] for words in sentence]
    english, german = sentence
    return " ".join(
        f"{i}{'-' if english[i].part and english[i].part == german[j].part else '?'}{j}"
        for i, parts in enumerate(parts_of_words[0])
        for j, others in enumerate(parts_of_words[1])
        if parts & others
    )
