"""The order, the limit and the progress of reading several pair files."""

from pathlib import Path

import pytest

from seq2seq_cli.config.schema.text import DataConfig
from seq2seq_cli.corpus.splits import TEST, TRAIN
from seq2seq_cli.errors import PairFileError
from seq2seq_cli.pairs.pair_files import local_pair_files
from seq2seq_cli.preparation.reading import InputBlock, input_blocks


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def read(*train: Path, test: tuple[Path, ...] = (), limit: int | None = None) -> list[InputBlock]:
    with local_pair_files({TRAIN: [(path,) for path in train], TEST: [(path,) for path in test]}) as inputs:
        return list(input_blocks(inputs, DataConfig(limit=limit)))


def test_a_limit_counts_the_lines_of_all_files_but_not_those_of_given_splits(tmp_path: Path) -> None:
    first = write(tmp_path / "first.txt", b"a\tb\n\nc\td\n")
    broken = write(tmp_path / "broken.txt", b"e\tf\ng\xff\n")
    empty = write(tmp_path / "empty.txt", b"")
    found = read(first, empty, test=(first,), limit=3)
    assert [(block.split, block.block.src) for block in found] == [(TRAIN, "a\tb\n\nc\td"), (TEST, "a\tb\n\nc\td")]
    assert [block.block.src for block in read(first, broken, limit=4)] == ["a\tb\n\nc\td", "e\tf"]
    with pytest.raises(PairFileError, match=r"broken\.txt:2:2: byte 0xff"):
        read(first, broken, limit=5)


def test_the_bytes_read_grow_to_the_size_of_all_files(tmp_path: Path) -> None:
    text = "".join(f"{number}\t{number}\n" for number in range(60_000)).encode()
    one, two = write(tmp_path / "one", text), write(tmp_path / "two", text)
    progress = [block.bytes_read for block in read(one, two, test=(one,))]
    assert progress == sorted(progress)
    assert len(set(progress)) > 3
    assert progress[-1] == 3 * len(text)
