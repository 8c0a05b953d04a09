"""Exit codes of failures of the disk, and commands that are told."""

import errno
from pathlib import Path
from typing import Any

import pytest

from seq2seq_cli.errors import UsageError, command_line, exit_code_of
from seq2seq_cli.files.writing import write_output
from seq2seq_cli.preparation.pipeline import prepare
from tests.corpora import write_reversals


@pytest.mark.parametrize(("number", "code"), [(errno.ENOSPC, 1), (errno.EIO, 1), (errno.EROFS, 2), (errno.EACCES, 2)])
def test_another_name_helps_against_some_failures_only(number: int, code: int) -> None:
    assert exit_code_of(OSError(number, "failed")) == code


def test_a_full_disk_is_a_failure_and_no_wrong_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    write_reversals(tmp_path / "pairs.txt")
    monkeypatch.setattr("os.fsync", full)
    for write in (
        lambda: prepare(tmp_path / "pairs.txt", out=tmp_path / "prepared"),
        lambda: write_output(tmp_path / "map.png", b"picture", overwrite=False),
    ):
        with pytest.raises(UsageError, match="cannot be written: No space left on device") as raised:
            write()
        assert raised.value.exit_code == 1
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.txt"]


@pytest.mark.parametrize(
    ("platform", "expected"),
    [
        ("win32", 's2s translate --model "C:\\my runs\\few" "me&you\\\\" a=1 "it\'s \\"his\\" dog"'),
        ("linux", "s2s translate --model 'C:\\my runs\\few' 'me&you\\' a=1 'it'\"'\"'s \"his\" dog'"),
    ],
)
def test_a_command_is_quoted_for_the_shell_of_the_system(
    monkeypatch: pytest.MonkeyPatch, platform: str, expected: str
) -> None:
    with monkeypatch.context() as pretended:
        pretended.setattr("sys.platform", platform)
        command = command_line("s2s", "translate", "--model", r"C:\my runs\few", "me&you\\", "a=1", 'it\'s "his" dog')
    assert command == expected
