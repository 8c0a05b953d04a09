import codecs

import pytest

from seq2seq_cli.errors import ConfigError, PairFileError
from seq2seq_cli.pairs.lines import Lines, check_encoding, decoded

RUSSIAN = "Привет!\tHallo!\nБеги!\tLauf!\n"


def read(content: bytes, encoding: str = "utf-8", piece: int = 1 << 18) -> tuple[list[str], str]:
    """The lines, and the error after them."""
    pieces = (content[start : start + piece] for start in range(0, len(content), piece))
    texts = decoded(pieces, name="deu.txt", encoding=check_encoding(encoding))
    lines = Lines(texts, name="deu.txt")
    found: list[str] = []
    try:
        while count := lines.ready(2):
            found += lines.take(count)[0].split("\n")
    except PairFileError as error:
        return found, str(error)
    return found, ""


LINE = "a\N{LINE SEPARATOR}b\x0bc\x0cd\x85e\x1c\N{PARAGRAPH SEPARATOR}f"


@pytest.mark.parametrize("piece", [1, 2, 3, 1000])
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"{LINE}\n{LINE}\r\n\r\n{LINE}", [LINE, LINE, "", LINE]),
        # A CR alone ends no line where LF and CRLF are more, as programs count that split aligned files by LF.
        (f"{LINE}\r{LINE}\r\n{LINE}\n\r{LINE}\r\r\n\n\n\r", [f"{LINE} {LINE}", LINE, f" {LINE} ", "", "", " "]),
        (f"{LINE}\r{LINE}\n\r\r\n\r{LINE}", [LINE, LINE, "", "", "", LINE]),
    ],
)
def test_lf_and_crlf_end_a_line_and_cr_where_it_is_more(text: str, lines: list[str], piece: int) -> None:
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
    ("content", "encoding", "place"),
    [
        (b"a\tb\nc\tGr\xfc\xdfe\n", "utf-8", "2:5: byte 0xfc is not UTF-8: name the file's encoding, such as --enc"),
        ("ä\tb\r\n\n\nä\tä".encode() + b"\x81", "utf-8", "4:6: byte 0x81 is not UTF-8: correct or delete this line"),
        (b"\xef\xbb\xbfa\tb\r\n\xc3\xa4\xc3", "utf-8", "2:3: byte 0xc3 is not UTF-8: the file is damaged: get it"),
        (b"a\tb\nab\x81", "cp1252", "2:3: byte 0x81 is not cp1252: name the file's encoding with --encoding"),
        ("こ\tb\nこ".encode("shift_jis") + b"\xff\n", "shift_jis", "2:3: byte 0xff is not shift-jis"),
        ("a\tb\ncd".encode("utf-16") + b"\x00", "utf-8", "2:5: byte 0x00 is not UTF-16-LE: the file is damaged"),
        (b"a\tb\nc\x00\td\n", "utf-8", "2:2: a zero byte: no text file: unpack an archive, or save"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "utf-8", "1:1: byte 0x89 is not UTF-8: no text file: unpack"),
        ("a\tb\n".encode("utf-16-le"), "utf-8", "1:2: a zero byte: the text looks like UTF-16 without a byte order"),
        (RUSSIAN.encode("utf-16-le"), "utf-8", "try --encoding utf-16-le"),
        ("Привет!\n".encode("utf-16-be"), "utf-8", "try --encoding utf-16-be"),
        (RUSSIAN.encode("utf-16-le"), "latin-1", "try --encoding utf-16-le"),
        (b"", "utf-8", "deu.txt: the file is empty"),
        (b"\xef\xbb\xbf", "utf-8", "deu.txt: the file is empty"),
    ],
)
def test_undecodable_bytes_are_named_with_their_place(content: bytes, encoding: str, place: str) -> None:
    lines, said = read(content, encoding)
    assert place in said
    assert said.startswith("deu.txt:")
    assert len(lines) == int(said.split(":")[1]) - 1 if place[0].isdigit() else not lines


def test_the_encoding_that_is_proposed_can_read_the_file() -> None:
    for content, proposed in [(b"Gr\xfc\xdfe\t\x84a\x93\n", "cp1252"), (b"Gr\xfc\xdfe\t\x81\n", "latin-1")]:
        assert read(content)[1].endswith(f"--encoding {proposed}")
        assert read(content, proposed)[1] == ""


@pytest.mark.parametrize("size", [0, 1, 100, 5000])
def test_the_place_does_not_depend_on_how_the_file_is_cut_into_pieces(size: int) -> None:
    content = ("ä" * size + "\r\n").encode() * 3 + b"\xff"
    for piece in (4, 1000, 1001, 1 << 18):
        assert read(content, piece=piece)[1].startswith("deu.txt:4:1: byte 0xff")


def test_a_carriage_return_at_the_end_of_a_piece_ends_its_line() -> None:
    for piece in (4, 5):
        lines, said = read(b"abc\r\xff", piece=piece)
        assert lines == ["abc"]
        assert said.startswith("deu.txt:2:1: byte 0xff")
    assert read(b"abc\r\nd", piece=4) == (["abc", "d"], "")


@pytest.mark.parametrize("encoding", ["utf8x", "klingon", "rot13", "hex", "unicode_escape", "utf-8\0"])
def test_an_unknown_encoding_is_refused(encoding: str) -> None:
    with pytest.raises(ConfigError, match=r"^data\.encoding: unknown encoding '.*': give one such as utf-8"):
        check_encoding(encoding)
