"""The learning curves of a run: their places on each axis, their values, and what cannot be drawn."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from seq2seq_cli.config.choices import CurveAxis
from seq2seq_cli.errors import ModelFileError, UsageError
from seq2seq_cli.runs.curves import learning_curves, with_curves
from seq2seq_cli.runs.listing import Run
from seq2seq_cli.runs.records import Record
from tests.records import epoch, make_run, step


def run_of(folder: Path, records: Sequence[Record], name: str = "run") -> Run:
    return Run.read(make_run(folder / name, records))


@pytest.mark.parametrize(
    ("axis", "places"),
    [("epoch", [0.5, 1.0, 1.25]), ("minutes", [1.0, 3.0, 3.5]), ("tokens", [0.0007, 0.0015, 0.0019])],
)
def test_a_point_is_where_its_record_says(tmp_path: Path, axis: CurveAxis, places: list[float]) -> None:
    records = [
        step(100, 1, epochs=0.5, seconds=60.0, tokens=700),
        step(200, 1, epochs=1.0, seconds=180.0, tokens=1500),
        step(300, 2, epochs=1.25, seconds=210.0, tokens=1900),
    ]
    (curves,) = learning_curves({"run": run_of(tmp_path, records)}, axis=axis, measure="loss")
    assert [place for place, _ in curves.train_loss] == places


def test_the_curves_of_a_run(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        [
            *(step(100, 1, loss=5.0), step(200, 1, loss=4.0), epoch(200, 1, bleu=8.0, loss=3.0)),
            *(step(300, 2, loss=3.5), step(400, 2, loss=3.0), epoch(400, 2, bleu=12.0, loss=2.5)),
        ],
    )
    (curves,) = learning_curves({"mine": run}, axis="epoch", measure="bleu")

    assert curves.name == "mine"
    assert curves.train_loss == [(0.5, 5.0), (1.0, 4.0), (1.5, 3.5), (2.0, 3.0)]
    assert curves.valid_loss == [(1.0, 3.0), (2.0, 2.5)]
    assert curves.measured == [(1.0, 8.0), (2.0, 12.0)]
    (of_loss,) = learning_curves({"mine": run}, axis="epoch", measure="loss")
    assert of_loss.measured == []


def test_the_entropy_of_the_attention_is_that_of_each_validation(tmp_path: Path) -> None:
    run = run_of(tmp_path, [epoch(200, 1, entropy=1.5), epoch(400, 2, entropy=0.25)])
    (curves,) = learning_curves({"mine": run}, axis="epoch", measure="entropy")
    assert curves.measured == [(1.0, 1.5), (2.0, 0.25)]

    without = run_of(tmp_path, [epoch(200, 1)], "without")
    with pytest.raises(UsageError, match="without: no entropy"):
        learning_curves({"without": without}, axis="epoch", measure="entropy")


def test_a_run_of_short_epochs_has_the_training_loss_of_each(tmp_path: Path) -> None:
    run = run_of(tmp_path, [epoch(60, 1), step(100, 2), epoch(120, 2), epoch(180, 3), step(200, 4), epoch(240, 4)])
    (curves,) = learning_curves({"short": run}, axis="minutes", measure="bleu")
    assert curves.train_loss == [(1.0, 3.5), (2.0, 3.5), (3.0, 3.5), (4.0, 3.5)]


def test_what_cannot_be_drawn_is_refused_with_the_way_out(tmp_path: Path) -> None:
    fresh = run_of(tmp_path, [], "fresh")
    with pytest.raises(ModelFileError, match=r"fresh: no metrics are recorded yet"):
        with_curves([fresh])
    tiny = run_of(tmp_path, [epoch(40, 1, bleu=None)], "tiny")
    with pytest.raises(UsageError, match=r"no bleu .* --metric loss"):
        learning_curves({"tiny": tiny}, axis="epoch", measure="bleu")


def test_a_run_without_the_score_is_drawn_beside_one_that_has_it(tmp_path: Path) -> None:
    young = run_of(tmp_path, [step(100, 1)], "young")
    old = run_of(tmp_path, [step(100, 1), epoch(100, 1, bleu=9.0)], "old")
    curves = learning_curves({"young": young, "old": old}, axis="tokens", measure="bleu")
    assert [len(curve.measured) for curve in curves] == [0, 1]
    assert len(curves[0].train_loss) == 1
