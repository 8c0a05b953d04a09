"""Guarded reading: no file, one that is too large, and JSON that cannot be used are refused at once."""

import os
from pathlib import Path

import pytest

from seq2seq_cli.errors import ModelFileError
from seq2seq_cli.files.reading import read_json, read_whole


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


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file"),
        (b"", "damaged"),
        (b'{"format": 1', "damaged"),
        (b"\xff\xfe", "damaged"),
        (b"[" * 100_000, "damaged"),
        (b'{"format": 1, "a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "damaged"),
        (b'{"format": 1, "a": ' + b"9" * 10_000 + b"}", "damaged"),
        (b'{"format": 1, "a": -10000000000000000000}', "damaged"),
        (b'{"format": 1, "a": 1e999}', "damaged"),
        (b'{"format": 1, "a": NaN}', "damaged"),
        (b'{"format": 1, "a": -Infinity}', "damaged"),
        (b'{"format": 1, "a": "\\udc80"}', "damaged"),
        (b"[1]", "no format number"),
        (b"{}", "no format number"),
        (b'{"format": true}', "no format number"),
        (b'{"format": 0}', "made by an older s2s .*: make its folder again"),
        (b'{"format": 2}', "made by a newer s2s .*: upgrade"),
    ],
)
def test_json_that_cannot_be_used_is_refused_in_one_line(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "a.json"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(ModelFileError, match=message) as caught:
        read_json(path, error=ModelFileError)

    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_pairs_of_surrogates_and_large_numbers_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b'{"format": 1, "a": "\\ud83d\\ude00", "b": -123456789012345678, "c": 1e300}')

    value = read_json(path, error=ModelFileError)

    assert value == {"format": 1, "a": "\U0001f600", "b": -123456789012345678, "c": 1e300}
