import unicodedata
from pathlib import Path

import pytest

from seq2seq_cli.corpus.pairs import Pairs, read_pairs
from seq2seq_cli.errors import PairFileError

LINES = ["Hi.\tGrüß Gott!", "Run!\tLauf!", "I see.\tAha."]


def read(tmp_path: Path, content: str | bytes, limit: int | None = None) -> Pairs:
    path = tmp_path / "deu.txt"
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return read_pairs(path, limit)


def refusal(tmp_path: Path, content: str | bytes) -> str:
    with pytest.raises(PairFileError) as caught:
        read(tmp_path, content)
    return str(caught.value).replace(str(tmp_path / "deu.txt"), "deu.txt")


def as_text(pairs: Pairs) -> list[tuple[str, str]]:
    return list(zip(pairs.src, pairs.tgt, strict=True))


@pytest.mark.parametrize(
    "content",
    [
        "\n".join(LINES),
        "\n".join(LINES) + "\n",
        "\ufeff" + "\r\n".join(LINES) + "\r\n",
        "\r".join(LINES),
        unicodedata.normalize("NFD", "\n".join(LINES)),
        "\n".join(line + "\tCC-BY 2.0 (France) Attribution: tatoeba.org #1\tmore" for line in LINES),
        "\n".join(line.replace("\t", " \t\N{NO-BREAK SPACE}") for line in LINES),
    ],
    ids=["LF", "last newline", "BOM and CRLF", "CR", "NFD", "more columns", "spaces"],
)
def test_every_form_of_a_file_has_the_same_pairs(tmp_path: Path, content: str) -> None:
    pairs = read(tmp_path, content)
    assert as_text(pairs) == [("Hi.", "Grüß Gott!"), ("Run!", "Lauf!"), ("I see.", "Aha.")]
    assert pairs.lines == [1, 2, 3]


def test_more_columns_are_counted(tmp_path: Path) -> None:
    assert read(tmp_path, "a\tb\tc\nd\te\nf\tg\t\n").extra_columns == 2


def test_a_limit_is_a_number_of_lines_and_the_rest_is_not_looked_at(tmp_path: Path) -> None:
    pairs = read(tmp_path, b"a\tb\n\nc\td\ne\tf\n\xff\n", limit=3)
    assert as_text(pairs) == [("a", "b"), ("c", "d")]
    assert pairs.lines_read == 3


def test_what_is_dropped_is_counted_with_the_first_lines(tmp_path: Path) -> None:
    lines = [f"{number}\t{number}" for number in range(500)]
    lines[9] = lines[19] = "no tab here"
    lines[29] = "\ufefffull\t \N{NO-BREAK SPACE}"
    lines[39] = lines[40] = lines[41] = lines[42] = " "
    lines[100] = lines[50]
    pairs = read(tmp_path, "\n".join(lines))

    found = {reason: (dropped.count, dropped.lines) for reason, dropped in pairs.dropped.items()}
    assert found == {
        "no tab": (2, [10, 20]),
        "empty side": (1, [30]),
        "blank line": (4, [40, 41, 42]),
        "duplicate": (1, [101]),
    }
    assert len(pairs) == 500 - 8


def test_marks_that_only_some_programs_take_for_line_ends_stay_inside_a_sentence(tmp_path: Path) -> None:
    assert as_text(read(tmp_path, "a\N{LINE SEPARATOR}b\x0bc\x85d\te\n")) == [("a b c d", "e")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "deu.txt: the file is empty"),
        (b"\xef\xbb\xbf", "deu.txt: no sentence pair in it"),
        (b"\n\n \n", "deu.txt: no sentence pair in it"),
        (b"PK\x03\x04\x14\x00\x00\x00", "deu.txt: a zip archive: unzip it"),
        (b"a\tb\nc\x00\td\n", "deu.txt:2:2: a zero byte"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "deu.txt:3:1: a zero byte"),
        ("a\tb\n".encode("utf-16"), "deu.txt:1:1: the text is UTF-16"),
        (b"a\tb\nc\tGr\xfc\xdfe\n", "deu.txt:2:5: byte 0xfc is not UTF-8"),
        (b"\xef\xbb\xbfa\tb\r\n\xc3", "deu.txt:2:1: byte 0xc3 is not UTF-8"),
        ("a\tb\nno tab\n", "deu.txt:2: the line has no tab"),
        ("a\t\nb\tc\n", "deu.txt:1: the line has an empty source or target"),
        ("\tb\n", "deu.txt:1: the line has an empty source or target"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_line(tmp_path: Path, content: bytes | str, message: str) -> None:
    said = refusal(tmp_path, content)
    assert said.startswith(message)
    assert "\n" not in said


@pytest.mark.parametrize("bad", ["no tab", "empty\t"])
def test_one_bad_line_in_a_hundred_is_passed_over_and_more_are_not(tmp_path: Path, bad: str) -> None:
    lines = [f"{number}\t{number}" for number in range(99)]
    assert len(read(tmp_path, "\n".join([*lines, bad]))) == 99
    assert "2 of 101 lines are so, and at most 1% may be" in refusal(tmp_path, "\n".join([bad, *lines, bad]))


def test_blank_lines_do_not_make_room_for_bad_ones(tmp_path: Path) -> None:
    refusal(tmp_path, "a\tb\nno tab" + "\n" * 1000)


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(PairFileError, match=r"deu\.txt: no such file"):
        read_pairs(tmp_path / "deu.txt")
    with pytest.raises(PairFileError, match="a folder"):
        read_pairs(tmp_path)
