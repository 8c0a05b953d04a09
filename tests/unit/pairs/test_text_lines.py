import codecs
from io import BytesIO

import pytest
from typing_extensions import override

from seq2seq_cli.errors import ConfigError, PairFileError
from seq2seq_cli.pairs.text_lines import check_encoding, lines_of

RUSSIAN = "Привет!\tHallo!\nБеги!\tLauf!\n"


class SlowFile(BytesIO):
    """A file that gives a few bytes at a time, as a pipe may."""

    def __init__(self, content: bytes, most: int) -> None:
        super().__init__(content)
        self.most = most

    @override
    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self.most if size is None or size < 0 else min(size, self.most))


def read(content: bytes, encoding: str = "utf-8", piece: int = 1 << 18) -> tuple[list[str | None], str]:
    """The lines, and the error after them."""
    found: list[str | None] = []
    try:
        found.extend(lines_of(SlowFile(content, piece), "deu.txt", check_encoding(encoding)))
    except PairFileError as error:
        return found, str(error)
    return found, ""


LINE = "a\N{LINE SEPARATOR}b\x0bc\x0cd\x85e\x1c\N{PARAGRAPH SEPARATOR}f"


@pytest.mark.parametrize("piece", [2, 3, 1000])
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{LINE}\n{LINE}\r\n\r\n{LINE}", [LINE, LINE, "", LINE]),
        # A CR alone ends no line, as programs count that split aligned files by LF, unless it ends the first one.
        (f"{LINE}\n{LINE}\r{LINE}\r\n\r{LINE}\r\r\n\n\n\r", [LINE, f"{LINE} {LINE}", f" {LINE} ", "", "", " "]),
        (f"{LINE}\r{LINE}\n\r\r\n\r{LINE}", [LINE, LINE, "", "", "", LINE]),
    ],
)
def test_lf_and_crlf_end_a_line_and_cr_where_it_ends_the_first(text: str, lines: list[str], piece: int) -> None:
    assert read(text.encode(), piece=piece) == (lines, "")


@pytest.mark.parametrize(
    ("encoding", "content"),
    [
        ("latin-1", "Grüß\tGott\n".encode("latin-1")),
        ("CP1252", "„Grüß“\tGott\n".encode("cp1252")),
        ("shift_jis", "こんにちは\tHallo\n".encode("shift_jis")),
        ("gb18030", "你好\tHallo\n".encode("gb18030")),
        ("utf-16-le", RUSSIAN.encode("utf-16-le")),
        ("utf-16", RUSSIAN.encode("utf-16-le")),
        ("utf-16", b"\xfe\xff" + RUSSIAN.encode("utf-16-be")),
        ("latin-1", RUSSIAN.encode("utf-8-sig")),
        ("ascii", RUSSIAN.encode("utf-16")),
    ],
)
def test_a_byte_order_mark_overrides_the_given_encoding(encoding: str, content: bytes) -> None:
    mark = content.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    expected = RUSSIAN if mark else content.decode("utf-16-le" if encoding == "utf-16" else encoding)
    for piece in (4, 7, 100):
        assert read(content, encoding, piece) == (expected.splitlines(), "")


@pytest.mark.parametrize(
    ("content", "encoding", "said"),
    [
        (
            b"a\tb\nc\tGr\xfc\xdfe\n",
            "utf-8",
            "2: byte 0xfc is not utf-8: name the encoding of a text, such as --encoding",
        ),
        ("ä\tb\r\n\n\nä\tä".encode() + b"\x81", "utf-8", "4: byte 0x81 is not utf-8"),
        (b"\xef\xbb\xbfa\tb\r\n\xc3\xa4\xc3", "utf-8", "2: byte 0xc3 is not utf-8"),
        (b"a\tb\nab\x81", "cp1252", "2: byte 0x81 is not cp1252"),
        ("こ\tb\nこ".encode("shift_jis") + b"\xff\n", "shift_jis", "2: byte 0xff is not shift-jis"),
        ("a\tb\ncd".encode("utf-16") + b"\x00", "utf-8", "2: byte 0x00 is not utf-16-le"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "utf-8", "1: byte 0x89 is not utf-8"),
        (b"a\tb\nc\x00\td\n", "utf-8", "2: a zero byte: no text, or UTF-16 without a byte order mark: try"),
        ("a\tb\n".encode("utf-16-le"), "latin-1", "1: a zero byte"),
    ],
)
def test_undecodable_bytes_are_named_with_their_line(content: bytes, encoding: str, said: str) -> None:
    for piece in (4, 1000):
        lines, error = read(content, encoding, piece)
        assert error.startswith(f"deu.txt:{said}")
        assert error.endswith("; unpack an archive, and save a document as text")
        assert len(lines) == int(said.partition(":")[0]) - 1


def test_a_carriage_return_at_the_end_of_a_piece_ends_its_line() -> None:
    for piece in (4, 5):
        lines, said = read(b"abc\r\xff", piece=piece)
        assert lines == ["abc"]
        assert said.startswith("deu.txt:2: byte 0xff")
    assert read(b"abc\r\nd", piece=4) == (["abc", "d"], "")


@pytest.mark.parametrize("encoding", ["utf8x", "klingon", "rot13", "hex", "unicode_escape", "utf-8\0"])
def test_an_unknown_encoding_is_refused(encoding: str) -> None:
    with pytest.raises(ConfigError, match=r"^encoding: unknown encoding '.*': give one such as utf-8"):
        check_encoding(encoding)
