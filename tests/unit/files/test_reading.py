"""Guarded reading: what is no file is refused at once, and so is one that is too large."""

import os
from pathlib import Path

import pytest

from seq2seq_cli.files.reading import read_whole


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert read_whole(tmp_path / "a", most=5) == b"12345"
    with pytest.raises(OSError, match="larger than 4e-06 MB"):
        read_whole(tmp_path / "a", most=4)


@pytest.mark.skipif(os.name == "nt", reason="no such files")
@pytest.mark.parametrize(
    ("name", "message"), [("pipe", "not a regular file"), ("device", "not a regular"), ("", "Is a")]
)
def test_what_is_no_file_is_refused(tmp_path: Path, name: str, message: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    with pytest.raises(OSError, match=message):
        read_whole(tmp_path / name, most=5)
