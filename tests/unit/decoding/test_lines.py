"""Lines in blocks, and their translation: order, numbers, repeated lines, errors."""

import io
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typing_extensions import override

from seq2seq_cli.decoding.lines import LONGEST_LINE, read_blocks, similar_lengths
from seq2seq_cli.errors import InputError


class Pieces(io.BufferedIOBase):
    """A stream that has its pieces one after the other."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self.pieces = iter(pieces)

    @override
    def read1(self, _size: int = -1, /) -> bytes:
        return next(self.pieces, b"")


def outcome(stream: io.BufferedIOBase) -> list[str]:
    """The lines, and in the end the error."""
    lines: list[str] = []
    try:
        for block in read_blocks(stream, "pipe"):
            lines += block
    except InputError as error:
        lines.append(str(error))
    return lines


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("\ufeffShe kissed him.\r\n\r\n  \nÜber den Hund", ["She kissed him.", "", "  ", "Über den Hund"]),
        ("", []),
        ("\n\n", ["", ""]),
        ("a\x00b\x0cc\x85d\n", ["a\x00b\x0cc\x85d"]),
    ],
)
def test_lines_are_as_another_system_writes_them(content: str, lines: list[str]) -> None:
    assert outcome(io.BytesIO(content.encode())) == lines


@given(st.lists(st.binary(min_size=1, max_size=4).map(lambda piece: piece.replace(b"\xff", b"\n"))))
def test_the_pieces_in_which_a_stream_comes_do_not_matter(pieces: list[bytes]) -> None:
    assert outcome(Pieces(pieces)) == outcome(io.BytesIO(b"".join(pieces)))


def test_lines_before_one_that_is_not_utf8_are_there_first() -> None:
    blocks = read_blocks(io.BytesIO(b"she\nhe\n" + "küsste\nhim\n".encode("latin-1")), "pipe")
    assert next(blocks) == ["she", "he"]
    with pytest.raises(InputError, match=r"^pipe:3:2: byte 0xfc is not UTF-8: save it as plain"):
        next(blocks)


def test_a_line_without_an_end_is_refused_and_not_read_to_its_end() -> None:
    given = 0

    def endless() -> Iterator[bytes]:
        nonlocal given
        yield b"first\n"
        while True:
            given += 2**18
            yield b"a" * 2**18

    blocks = read_blocks(Pieces(endless()), "pipe")

    assert next(blocks) == ["first"]
    with pytest.raises(InputError, match=r"^pipe:2: a line of more than 2 MB: give one text per line$"):
        list(blocks)
    assert given <= LONGEST_LINE + 2**18


def test_batches_hold_similar_lengths_and_no_blank_sentence() -> None:
    assert list(similar_lengths([3, 0, 5, 3, 1, 9], batch_size=2)) == [[5, 2], [0, 3], [4]]
    assert list(similar_lengths([50_000, 2, 40_000], batch_size=8)) == [[0], [2], [1]]
