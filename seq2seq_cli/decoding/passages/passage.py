"""A text as pieces to translate, and the text put together again from their translations."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from seq2seq_cli.decoding.passages.pieces import Piece
from seq2seq_cli.decoding.passages.sentences import sentence_ends
from seq2seq_cli.decoding.passages.source import Source
from seq2seq_cli.text.normalise import without_control_characters
from seq2seq_cli.text.tokenizer import LONGEST_WORD


@dataclass(frozen=True)
class Passage:
    """A text taken apart."""

    text: str
    """Without control characters other than white space, which no terminal should see."""
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
    """The greatest lengths of the pieces of a passage."""

    usual_length: int
    """A line of at most this number of tokens is one piece, whatever it holds."""
    max_length: int
    """A sentence of more ids is cut."""
    count_tokens: Callable[[str], int]
    """The number of tokens of a text; it has at most one per character, and one for a final mark."""
    count_ids: Callable[[str], int]
    """The number of ids that the model would read.

    There are at most two per character, it and a mark of a space, and two for a final mark.
    """

    def is_usual(self, text: str) -> bool:
        """Whether a text need not be split into sentences."""
        return len(text) < self.usual_length or not self._is_longer(text, self.usual_length, self.count_tokens)

    def is_possible(self, text: str) -> bool:
        """Whether a text need not be cut."""
        return 2 * len(text) + 2 <= self.max_length or not self._is_longer(text, self.max_length, self.count_ids)

    @staticmethod
    def _is_longer(text: str, length: int, count: Callable[[str], int]) -> bool:
        # A codec takes a part without spaces for one unknown word when it is very long.
        return count(text) > length or any(len(word) > LONGEST_WORD for word in text.split())


def split_passage(text: str, *, language: str, limits: Limits) -> Passage:
    """Take a text apart.

    Line breaks, tabs and marks that part the text, such as ``<p>`` and the bullet of a list, lie between pieces. A line
    longer than usual is split into sentences by the rules of `language` (see sentence_ends). A sentence that is too
    long is cut after a semicolon or a colon, a comma, at a space, or anywhere.

    Where each output is ``text[start:end]`` of its piece, `Passage.join` gives the text.
    """
    source = Source(without_control_characters(text), language)
    pieces: list[Piece | None] = []
    was_cut = False
    for line in source.lines():
        for sentence in _sentences(source, *line, language, limits):
            parts = list(_parts(source, *sentence, limits))
            was_cut = was_cut or len(parts) > 1
            pieces += [source.piece(*part) for part in parts]
    return Passage(source.text, tuple(filter(None, pieces)), was_cut)


def _sentences(source: Source, start: int, end: int, language: str, limits: Limits) -> Iterator[tuple[int, int]]:
    """The sentences of a line; the line itself where it is not long."""
    if limits.is_usual(source.plain(start, end)):
        yield start, end
    else:
        ends = (start + position for position in sentence_ends(source.masked[start:end], language))
        yield from pairwise([start, *ends, end])


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
