"""Training in bf16 reaches the held-out loss of fp32."""

from pathlib import Path

import pytest

from seq2seq_cli.corpus.prepared import PreparedCorpus
from seq2seq_cli.runs.records import read_history
from tests.tiny import trained

pytestmark = pytest.mark.slow

SMALL = [
    *("model.encoder.embedding_size=96", "model.encoder.hidden_size=48"),  # in each direction
    *("model.decoder.embedding_size=96", "model.decoder.hidden_size=96"),
    *("training.epochs=4", "training.teacher_forcing=1.0"),
]


def test_the_held_out_loss_is_that_of_fp32(sample: PreparedCorpus, tmp_path: Path) -> None:
    def held_out_loss(precision: str) -> float:
        trained(tmp_path / precision, "luong_general", [*SMALL, f"training.precision={precision}"], sample)
        loss = read_history(tmp_path / precision).validations[-1].loss
        assert loss is not None
        return loss

    exact = held_out_loss("fp32")
    assert held_out_loss("bf16-mixed") == pytest.approx(exact, rel=0.01)
