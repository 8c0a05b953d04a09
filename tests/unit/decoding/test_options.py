"""The options of a run, kept beside its exported model so that they need not be checked at each start."""

import dataclasses
from pathlib import Path

import pytest

from seq2seq_cli.decoding.load import load
from seq2seq_cli.decoding.options import read_options
from seq2seq_cli.runs.exported import ExportRecord, schema_checksum
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import CONFIG, EXPORT_RECORD
from tests.untrained import make_run


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """An exported run."""
    run = make_run(tmp_path / "run")
    load(run.path, device="cpu")
    return run


def test_options_checked_by_another_schema_are_checked_and_kept_once_more(run: RunFolder) -> None:
    path = run.path / EXPORT_RECORD
    record = ExportRecord.read(path)
    dataclasses.replace(record, schema=record.schema ^ 1, decoding={"beam_size": 99}).write(path)
    assert read_options(run).beam_size == record.decoding["beam_size"]
    assert ExportRecord.read(path) == record


def test_an_edited_config_holds_at_once(run: RunFolder) -> None:
    config = run.path / CONFIG
    config.write_text(config.read_text(encoding="utf-8").replace("beam_size: 5", "beam_size: 2"), encoding="utf-8")
    assert read_options(run).beam_size == 2
    kept = ExportRecord.read(run.path / EXPORT_RECORD)
    assert (kept.decoding["beam_size"], kept.schema) == (2, schema_checksum())
    assert read_options(run).beam_size == 2
