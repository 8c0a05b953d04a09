import gzip
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs import archives, pair_files, text_lines
from seq2seq_cli.pairs.pair_files import Block, PairFile, PairPath, local_pair_files, read_blocks
from tests.site import archive_of

ENDS = ["\n", "\r\n", "\r"]
MARKED = ["utf-8-sig", "utf-16", "utf-32"]

letters = st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0\ufeff")
line_texts = st.text(letters | st.sampled_from("ab \t\N{LINE SEPARATOR}\x0b\x85"), max_size=12)
ends = st.sampled_from(ENDS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pair_files")


def zipped(content: bytes) -> bytes:
    return archive_of({"deu.txt": content, "_about.txt": b"CC-BY"})


def plain(content: bytes) -> bytes:
    return content


packings: st.SearchStrategy[Callable[[bytes], bytes]] = st.sampled_from([plain, gzip.compress, zipped])


def check(blocks: Sequence[Block], block_lines: int) -> list[str | None]:
    """The lines in the blocks of a file of columns."""
    found: list[str | None] = []
    for block in blocks:
        assert block.first == len(found) + 1
        assert 1 <= len(block.rows) <= block_lines
        found += [row for row in block.rows if not isinstance(row, tuple)]
        assert len(list(block.pairs())) == len(block.rows)
    assert [block.bytes_read for block in blocks] == sorted(block.bytes_read for block in blocks)
    return found


def local(path: PairPath) -> PairFile:
    with local_pair_files({0: [path]}) as [file]:
        return file


def write(path: Path, content: bytes) -> PairFile:
    path.write_bytes(content)
    return local((path,))


@given(
    written=st.lists(line_texts, min_size=1, max_size=30),
    end=ends,
    last=line_texts,
    encoding=st.sampled_from([*MARKED, "utf-8", "gb18030"]),
    pack=packings,
    block_lines=st.integers(1, 9),
    limit=st.none() | st.integers(1, 40),
    piece=st.integers(4, 40),
    longest=st.integers(1, 12),
    most=st.integers(12, 60),
)
def test_any_lines_come_back_however_they_are_written_packed_and_cut(
    folder: Path,
    written: list[str],
    end: str,
    last: str,
    encoding: str,
    pack: Callable[[bytes], bytes],
    block_lines: int,
    limit: int | None,
    piece: int,
    longest: int,
    most: int,
) -> None:
    text = "".join(line + end for line in written)
    expected = [*written, *([last] if last else [])]
    file = write(folder / "pairs", pack((text + last).encode(encoding)))
    with (
        patch.object(archives, "_PIECE", piece),
        patch.object(archives, "_HEAD", 4),
        patch.object(text_lines, "LONGEST_LINE", longest),
        patch.object(pair_files, "BLOCK_CHARACTERS", most),
    ):
        asked = "utf-8" if encoding in MARKED else encoding
        blocks = list(read_blocks(file, encoding=asked, limit=limit, block_lines=block_lines))
    assert check(blocks, block_lines) == [None if len(line) > longest else line for line in expected[:limit]]
    if limit is None:
        assert blocks[-1].bytes_read <= file.size


@given(
    sides=st.lists(st.tuples(line_texts, line_texts), min_size=1, max_size=30),
    packs=st.tuples(packings, packings),
    separators=st.tuples(ends, ends),
    block_lines=st.integers(1, 9),
    most=st.integers(12, 60),
)
def test_aligned_files_stay_aligned(
    folder: Path,
    sides: list[tuple[str, str]],
    packs: tuple[Callable[[bytes], bytes], Callable[[bytes], bytes]],
    separators: tuple[str, str],
    block_lines: int,
    most: int,
) -> None:
    paths = folder / "a.en", folder / "a.de"
    for path, pack, end, texts in zip(paths, packs, separators, zip(*sides, strict=True), strict=True):
        path.write_bytes(pack("".join(text + end for text in texts).encode()))
    found: list[tuple[str, str]] = []
    with patch.object(pair_files, "BLOCK_CHARACTERS", most):
        for block in read_blocks(local(paths), encoding="utf-8", block_lines=block_lines):
            assert block.first == len(found) + 1
            found += [(first, second) for _, first, second, *_ in block.pairs()]
    assert found == sides


pieces = st.sampled_from(
    [b"\t", b"\n", b"\r", b"\0", b"a", b"\xc3\xa4", b"\xf0\x9f\x98\x80", b"\xef\xbb\xbf", b"\xff\xfe"]
)
contents = (
    st.binary(max_size=200)
    | st.lists(pieces | st.binary(max_size=2), max_size=100).map(b"".join)
    | st.integers(0, 300).map(lambda size: b"\t" * size)
    | st.integers(0, 300).map(lambda size: b"\n" * size)
)
signs = st.sampled_from(
    [b"", b"PK\x03\x04", b"\x1f\x8b\x08", b"\xef\xbb\xbf", b"\xff\xfe", b"\xff\xfe\0\0", b"\xfe\xff"]
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A packed file with some bytes changed, perhaps truncated."""
    pack = draw(packings)
    content = bytearray(pack(draw(contents)))
    for place in draw(st.lists(st.integers(0, max(0, len(content) - 1)), max_size=3)) if content else []:
        content[place] = draw(st.integers(0, 255))
    return bytes(content[: draw(st.none() | st.integers(0, len(content)))])


@settings(max_examples=300)
@given(
    content=st.builds(lambda sign, rest: sign + rest, signs, contents) | damaged(),
    encoding=st.sampled_from(["utf-8", "cp1252", "utf-16-le", "shift_jis"]),
)
def test_any_bytes_are_blocks_or_one_line_that_names_the_file(folder: Path, content: bytes, encoding: str) -> None:
    file = write(folder / "malformed", content)
    blocks: list[Block] = []
    refusal = ""
    try:
        blocks.extend(read_blocks(file, encoding=encoding, block_lines=7))
    except PairFileError as error:
        refusal = str(error)
    assert refusal.startswith(f"{file.name}:") if refusal else blocks
    assert len(refusal.splitlines()) <= 1
    assert not any("\0" in line or "\r" in line for line in check(blocks, 7) if line)
