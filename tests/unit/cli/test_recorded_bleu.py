from pathlib import Path

import pytest

from seq2seq_cli.cli.translating.recorded_bleu import recorded_bleu
from seq2seq_cli.runs.layout import METRICS
from seq2seq_cli.runs.metrics import Record
from tests import records

TESTED = records.held_out(400, 1, bleu=37.25)
VALIDATED = [records.step(100, 1), records.epoch(200, 1, bleu=12.0), records.epoch(400, 2, bleu=9.0, best=False)]


@pytest.mark.parametrize(
    ("written", "bleu"),
    [
        ([], None),
        ([records.step(100, 1)], None),
        (VALIDATED, 12.0),
        ([*VALIDATED, TESTED], 37.25),
        ([*VALIDATED, TESTED, records.step(500, 3)], 12.0),
        ([records.epoch(200, 1, bleu=None)], None),
    ],
    ids=["nothing", "no validation", "validated", "tested", "gone on after the test", "nothing held out"],
)
def test_it_is_that_of_the_best_weights(written: list[Record], bleu: float | None, tmp_path: Path) -> None:
    records.write(tmp_path, written)
    assert recorded_bleu(tmp_path) == bleu


@pytest.mark.parametrize("line", [b"[1]", b"\xff", b'{"kind": "test"', b'{"kind": "test", "bleu": "\\u001b[2J"}', b"7"])
def test_damaged_records_tell_none(line: bytes, tmp_path: Path) -> None:
    (tmp_path / METRICS).write_bytes(line + b"\n")
    assert recorded_bleu(tmp_path) is None
