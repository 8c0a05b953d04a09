import gzip
import hashlib
import io
import os
import sys
import threading
import tracemalloc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from seq2seq_cli.errors import PairFileError, UsageError
from seq2seq_cli.pairs.pair_files import (
    BLOCK_CHARACTERS,
    Block,
    Pair,
    PairFile,
    PairPath,
    local_pair_files,
    pair_paths,
    read_blocks,
)
from seq2seq_cli.pairs.text_lines import LONGEST_LINE
from tests.site import archive_of

PAIRS = [("Hi.", "Grüß Gott!"), ("Run!", "Lauf!"), ("", ""), ("I see.", "Aha. 😀")]
TEXT = "\n".join(f"{src}\t{tgt}" for src, tgt in PAIRS)


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


@contextmanager
def local(*paths: Path | PairPath) -> Iterator[list[PairFile]]:
    with local_pair_files({0: [path if isinstance(path, tuple) else (path,) for path in paths]}) as files:
        yield files


def pair_file(*paths: Path) -> PairFile:
    """The pair file of one or two files on the disk, which need no copies."""
    with local(paths) as [found]:
        return found


def blocks(file: PairFile, *, limit: int | None = None, lines: int = 4000) -> list[Block]:
    return list(read_blocks(file, encoding="utf-8", limit=limit, block_lines=lines))


def rows(file: PairFile, *, limit: int | None = None, lines: int = 4000) -> list[list[Pair]]:
    return [list(block.pairs()) for block in blocks(file, limit=limit, lines=lines)]


def pairs(file: PairFile, *, limit: int | None = None) -> list[tuple[str, str]]:
    return [(first, second) for block in rows(file, limit=limit) for _, first, second, *_ in block]


def feed(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


FORMS = {
    "CRLF and BOM": TEXT.replace("\n", "\r\n").encode("utf-8-sig"),
    "LF and CRLF": TEXT.replace("\n", "\r\n", 1).encode(),
    "UTF-16 big": b"\xfe\xff" + TEXT.replace("\n", "\r\n").encode("utf-16-be"),
    "UTF-32 big": b"\x00\x00\xfe\xff" + TEXT.encode("utf-32-be"),
    "gzip of many members": b"".join(gzip.compress(bytes([byte])) for byte in TEXT.encode()),
    "zip": archive_of({"deu.txt": TEXT.encode(), "_about.txt": b"CC-BY 2.0\n" * 99}),
    "zip of UTF-16": archive_of({"deu.TSV": TEXT.encode("utf-16")}),
}


@pytest.mark.parametrize("content", FORMS.values(), ids=FORMS.keys())
def test_every_form_of_a_file_has_the_same_lines(
    tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = pair_file(write(tmp_path / "deu", content))
    assert pairs(file) == PAIRS
    assert blocks(file)[-1].bytes_read <= file.size == len(content)
    feed(monkeypatch, content)
    with local(Path("-")) as [copied]:
        assert pairs(copied) == PAIRS


def aligned(tmp_path: Path, src: str | bytes, tgt: str | bytes) -> PairFile:
    return pair_file(write(tmp_path / "a.en", src), write(tmp_path / "a.de", tgt))


@pytest.mark.parametrize("more", [1, 9000])
def test_aligned_files_of_different_length_are_refused_with_the_first_line_that_lacks_another(
    tmp_path: Path, more: int
) -> None:
    with pytest.raises(PairFileError) as caught:
        blocks(aligned(tmp_path, "a\nb\nc", "d\n" * (3 + more)))
    said = str(caught.value).replace(f"{tmp_path}{os.sep}", "")
    assert said.startswith("a.en + a.de: one has line 4, the other has not")


def test_nothing_behind_a_limit_is_decoded(tmp_path: Path) -> None:
    broken = pair_file(write(tmp_path / "broken.txt", b"e\tf\ng\xff\n"))
    long = aligned(tmp_path, "e\ng", "f\nh\nmore\n")
    for file in (broken, long):
        assert pairs(file, limit=1) == [("e", "f")]
    assert pairs(long, limit=2) == [("e", "f"), ("g", "h")]
    with pytest.raises(PairFileError, match=r"broken\.txt:2: byte 0xff"):
        pairs(broken, limit=2)


def test_blocks_number_the_lines_of_their_file_from_1(tmp_path: Path) -> None:
    columns = pair_file(write(tmp_path / "first.txt", "a\tf\nb\tg\nc\th"))
    two = aligned(tmp_path, "a\nb\nc", "f\ng\nh")
    for file in (columns, two):
        assert rows(file, lines=2) == [
            [(1, "a", "f", None, False), (2, "b", "g", None, False)],
            [(3, "c", "h", None, False)],
        ]
    assert columns.name == str(tmp_path / "first.txt")
    assert two.name == f"{tmp_path / 'a.en'} + {tmp_path / 'a.de'}"


def test_a_line_that_is_too_long_is_empty_and_named(tmp_path: Path) -> None:
    longest = "x" * LONGEST_LINE
    content = f"{longest}\n{longest}x\na\tb\n{longest * 7}\nc\td\te\n{longest}x"
    [block] = rows(pair_file(write(tmp_path / "deu.txt", content)))
    assert block == [
        (1, longest, "", "no tab", False),
        (2, "", "", "too long", False),
        (3, "a", "b", None, False),
        (4, "", "", "too long", False),
        (5, "c", "d", None, True),
        (6, "", "", "too long", False),
    ]
    [block] = rows(aligned(tmp_path, f"a\nb\n{longest}x\nc", f"d\n{longest}x\n{longest}x\ne"))
    assert [(first, second, fault) for _, first, second, fault, _ in block] == [
        ("a", "d", None),
        ("b", "", "too long"),
        ("", "", "too long"),
        ("c", "e", None),
    ]


def test_long_lines_make_blocks_of_few_lines(tmp_path: Path) -> None:
    line = "x" * (BLOCK_CHARACTERS // 10)
    file = pair_file(write(tmp_path / "deu.txt", f"{line}\n" * 25 + "a"))
    assert [(block.first, len(block.rows)) for block in blocks(file)] == [(1, 10), (11, 10), (21, 6)]


@pytest.mark.parametrize("line", ["x" * 30_000_000, f"{'x' * (LONGEST_LINE - 1)}\n" * 300, "\n" * 1_000_000])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, line: str) -> None:
    file = aligned(tmp_path, line, "\n" * max(1, line.count("\n")))
    tracemalloc.start()
    try:
        for _ in read_blocks(file, encoding="utf-8"):
            pass
        assert tracemalloc.get_traced_memory()[1] < 8_000_000
    finally:
        tracemalloc.stop()


def test_files_are_recorded_as_they_lie_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = gzip.compress(b"a\tb\n")
    feed(monkeypatch, b"c\td\n")
    with local(write(tmp_path / "a.gz", packed), Path("-")) as files:
        found = [(file.base_name, file.size, file.sha256) for pair_file in files for file in pair_file.files]
    assert found == [
        ("a.gz", len(packed), hashlib.sha256(packed).hexdigest()),
        ("standard input", 4, hashlib.sha256(b"c\td\n").hexdigest()),
    ]


def test_the_copy_of_standard_input_has_no_name_that_a_kill_could_leave(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    feed(monkeypatch, b"a\tb\n")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with local(Path("-")) as [copied]:
        for _ in range(2):
            assert pairs(copied) == [("a", "b")]
        assert list(tmp_path.iterdir()) == []


def test_a_pipe_can_be_read_like_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(TEXT.encode()),))
    writer.start()
    with local(pipe) as [copied]:
        assert copied.base_name == pipe.name
        assert pairs(copied) == PAIRS
    writer.join()


def test_a_terminal_is_no_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    primary, secondary = os.openpty()
    with os.fdopen(primary, "wb", buffering=0), os.fdopen(secondary) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        with pytest.raises(UsageError, match="a terminal"), local(Path("-")):
            pass


def test_the_command_line_names_files_and_then_aligned_files() -> None:
    a, b, c, d, e, f = map(Path, "abcdef")
    assert pair_paths([a, b], [c, d], [e, f]) == [(a,), (b,), (c, e), (d, f)]


@pytest.mark.parametrize(
    ("files", "src", "tgt", "message"),
    [
        ([], [], [], "no file: give"),
        (["a"], ["b"], [], "1 times --src and 0 times --tgt"),
        ([], ["a"], ["b", "c"], "1 times --src and 2 times --tgt"),
    ],
)
def test_incomplete_lists_of_files_are_refused(
    files: Sequence[str], src: Sequence[str], tgt: Sequence[str], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        pair_paths([*map(Path, files)], [*map(Path, src)], [*map(Path, tgt)])


@pytest.mark.parametrize("other", [(Path("-"),), (Path("a"), Path("-"))])
def test_standard_input_is_read_only_once(other: PairPath) -> None:
    with pytest.raises(UsageError, match="more than once"), local(Path("-"), other):
        pass


def test_files_that_cannot_be_opened_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path / "file", "a\tb\n")
    for path, message in [
        (tmp_path / "deu.txt", "no such file: check"),
        (tmp_path, "neither a file nor a pipe"),
        (tmp_path / "file" / "deu.txt", "cannot be read: Not a directory"),
        (tmp_path / ("x" * 300), "cannot be read: File name too long"),
        (Path(os.devnull), "neither a file nor a pipe"),
    ]:
        with pytest.raises(PairFileError) as caught:
            pair_file(path)
        assert str(caught.value).startswith(f"{path}: {message}")
