"""runs/latest: only what s2s has written is replaced, at whatever moment another file comes there."""

import os
from pathlib import Path

import pytest

from seq2seq_cli.runs.layout import read_latest, write_latest


@pytest.mark.parametrize("is_of_another_training", [False, True])
def test_a_file_that_comes_while_the_name_is_written_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_of_another_training: bool
) -> None:
    run, latest, sync = tmp_path / "runs" / "new", tmp_path / "runs" / "latest", os.fsync
    run.mkdir(parents=True)
    another = '{"format": 1, "run": "other"}' if is_of_another_training else "mine"

    def write_meanwhile(descriptor: int) -> None:
        monkeypatch.setattr(os, "fsync", sync)
        latest.write_text(another, encoding="utf-8")

    monkeypatch.setattr(os, "fsync", write_meanwhile)
    warning = write_latest(run)
    if is_of_another_training:
        assert warning is None
        assert read_latest(latest) == run
    else:
        assert "not written by s2s" in (warning or "")
        assert latest.read_text(encoding="utf-8") == "mine"
    assert [path.name for path in (tmp_path / "runs").iterdir() if "unfinished" in path.name] == []
