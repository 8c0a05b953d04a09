"""Outputs that the user names: which of them are refused before any work."""

from functools import partial
from pathlib import Path

import pytest

from seq2seq_cli.errors import UsageError
from seq2seq_cli.files.output import check_output_path

check = partial(check_output_path, content="learning curves", endings=(".png", ".svg", ".pdf"))


def test_a_file_is_replaced_only_with_overwrite_and_other_paths_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    check(path, overwrite=False)
    path.touch()
    with pytest.raises(UsageError, match="--overwrite"):
        check(path, overwrite=False)
    check(path, overwrite=True)
    for name in ("a.jpg", "a", "nowhere/a.png", "."):
        with pytest.raises(UsageError):
            check(tmp_path / name, overwrite=True)
