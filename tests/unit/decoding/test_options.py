"""The options of a run, kept beside its exported model so that they need not be checked at each start."""

import dataclasses
from pathlib import Path

import pytest

from seq2seq_cli.decoding.options import read_options
from seq2seq_cli.runs.exported import ExportRecord
from seq2seq_cli.runs.folder import RunFolder
from seq2seq_cli.runs.layout import CONFIG, EXPORT_RECORD
from tests.untrained import make_run


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    """An exported run."""
    return make_run(tmp_path / "run")


def test_options_checked_by_another_schema_are_read_from_the_config(run: RunFolder) -> None:
    path = run.path / EXPORT_RECORD
    record = ExportRecord.read(path)
    dataclasses.replace(record, schema=record.schema ^ 1, decoding={"beam_size": 99}).write(path)
    before = path.read_bytes()
    assert read_options(run).beam_size == record.decoding["beam_size"]
    assert path.read_bytes() == before


def test_an_edited_config_holds_at_once(run: RunFolder) -> None:
    config = run.path / CONFIG
    config.write_text(config.read_text(encoding="utf-8").replace("beam_size: 5", "beam_size: 2"), encoding="utf-8")
    assert read_options(run).beam_size == 2
