"""Training in bf16 reaches the held-out loss of fp32."""

import json
from pathlib import Path

import pytest

from tests.commands import s2s

pytestmark = pytest.mark.slow

SAMPLE = Path(__file__).parents[2] / "data" / "sample.txt"
SMALL = [
    *("model.encoder.embedding_size=96", "model.encoder.hidden_size=48"),  # in each direction
    *("model.decoder.embedding_size=96", "model.decoder.hidden_size=96"),
    "training.epochs=4",
    "training.teacher_forcing=1.0",
]


def held_out_loss(folder: Path, precision: str) -> float:
    settings = [*SMALL, f"training.precision={precision}"]
    options = [option for setting in settings for option in ("--set", setting)]
    done = s2s(folder, "train", "--config", "luong_general.yaml", "--out", precision, *options)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in (folder / precision / "metrics.jsonl").read_text("utf-8").splitlines()]
    return float([line["loss"] for line in lines if line["kind"] == "epoch"][-1])


def test_the_held_out_loss_is_that_of_fp32(tmp_path: Path) -> None:
    assert s2s(tmp_path, "prepare", str(SAMPLE)).returncode == 0
    exact = held_out_loss(tmp_path, "fp32")
    for precision in ("bf16", "bf16-mixed"):
        assert held_out_loss(tmp_path, precision) == pytest.approx(exact, rel=0.01)
