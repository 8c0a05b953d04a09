"""Names that should come through a translation as they are: new ones, and those that did so in training."""

import re
from collections.abc import Iterator
from itertools import pairwise

from seq2seq_cli.decoding.passages.sentences import sentence_ends
from seq2seq_cli.text.codec import Codec
from seq2seq_cli.text.conventions import Span
from seq2seq_cli.text.languages.abbreviations import abbreviations_of

STOP_INSIDE = re.compile(r"\.\s+\w")
"""What follows an abbreviation inside its sentence."""
WORD_NEXT = re.compile(r"\s+[^\W\d_]")
LONGEST_ENDING = 3
"""Letters that a language may add to a name: the s of Kowalskis."""


def staying_names(text: str, codec: Codec) -> Iterator[Span]:
    """The spans of the words of a source text that seem to be such names."""
    ends = sentence_ends(text, codec.config.language)
    for begin, end in pairwise([0, *ends, len(text)]):
        sentence = text[begin:end]
        for first, last in codec.conventions.new_names(sentence):
            if not _is_abbreviation(sentence[first:last], sentence[last:], codec.config.language):
                yield begin + first, begin + last


def _is_abbreviation(word: str, rest: str, language: str) -> bool:
    """Whether a word is an abbreviation, by the rest of its sentence.

    It has a full stop inside its sentence (Sgt. Pepper), or is a listed one before a name (Mrs Jones).
    """
    if STOP_INSIDE.match(rest):
        return True
    return word.casefold() in abbreviations_of(language) and WORD_NEXT.match(rest) is not None


def lost_names(source: str, output: str, codec: Codec) -> list[Span]:
    """The spans of the names of the source that the output lacks; an ending does not matter."""
    return [(start, end) for start, end in staying_names(source, codec) if not _has_name(output, source[start:end])]


def _has_name(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}\w{{0,{LONGEST_ENDING}}}(?!\w)", text) is not None
