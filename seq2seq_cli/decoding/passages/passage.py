"""A text as pieces to translate, and the text put together again from their translations."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from seq2seq_cli.decoding.passages.pieces import Piece
from seq2seq_cli.decoding.passages.sentences import sentence_ends
from seq2seq_cli.decoding.passages.source import Source
from seq2seq_cli.text.normalise import without_control_characters
from seq2seq_cli.text.tokenizer import LONGEST_WORD

_SPACES = dict.fromkeys(map(ord, "\v\f\x1c\x1d\x1e\x1f"), " ")
"""The control characters that separate words, as spaces do."""


@dataclass(frozen=True)
class Passage:
    """A text taken apart."""

    text: str
    """Without control characters, which no terminal should see, but for line ends and tabs."""
    pieces: tuple[Piece, ...]
    """In order. A text without a letter has none."""
    was_cut: bool
    """Whether a sentence was cut because it is too long."""

    def join(self, outputs: Sequence[str]) -> str:
        """The text with each piece replaced by its output; what lies between them stays as it is."""
        ends = [0, *(piece.end for piece in self.pieces)]
        starts = [*(piece.start for piece in self.pieces), len(self.text)]
        gaps = [self.text[end:start] for end, start in zip(ends, starts, strict=True)]
        return "".join(gap + output for gap, output in zip(gaps, [*outputs, ""], strict=True))


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The greatest length of the pieces of a passage."""

    max_length: int
    """A sentence of more ids is cut."""
    count_ids: Callable[[str], int]
    """The number of ids that the model would read: at most two per character, it and a mark of a space."""

    def is_possible(self, text: str) -> bool:
        """Whether a text need not be cut."""
        if 2 * len(text) <= self.max_length:
            return True
        # A codec takes a part without spaces for one unknown word when it is very long.
        return self.count_ids(text) <= self.max_length and all(len(word) <= LONGEST_WORD for word in text.split())


def split_passage(text: str, *, language: str, limits: Limits) -> Passage:
    """Take a text apart into its sentences, by the rules of `language` (see sentence_ends).

    Line breaks, tabs and marks that part the text, such as ``<p>`` and the bullet of a list, lie between pieces. A
    sentence that is too long is cut after a semicolon or a colon, a comma, at a space, or anywhere.

    Where each output is ``text[start:end]`` of its piece, `Passage.join` gives the text.
    """
    source = Source(without_control_characters(text).translate(_SPACES), language)
    pieces: list[Piece | None] = []
    was_cut = False
    for start, end in source.lines():
        ends = (start + position for position in sentence_ends(source.masked[start:end], language))
        for sentence in pairwise([start, *ends, end]):
            parts = list(_parts(source, *sentence, limits))
            was_cut = was_cut or len(parts) > 1
            pieces += [source.piece(*part) for part in parts]
    return Passage(source.text, tuple(filter(None, pieces)), was_cut)


def _parts(source: Source, start: int, end: int, limits: Limits) -> Iterator[tuple[int, int]]:
    """A sentence in parts that are not too long: halved as often as needed."""
    left = [(start, end)]
    while left:
        start, end = left.pop()
        place = None if limits.is_possible(source.plain(start, end)) else source.cutting_place(start, end)
        if place is None:
            yield start, end
        else:
            left += [(place, end), (start, place)]
