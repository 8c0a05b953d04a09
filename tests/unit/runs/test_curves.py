"""The learning curves of runs: their places on each axis, their values, what cannot be drawn, and their picture."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from seq2seq_cli.config.choices import CurveAxis, CurveMeasure
from seq2seq_cli.errors import ModelFileError, UsageError
from seq2seq_cli.plots.pictures import picture
from seq2seq_cli.runs.curves import curves_figure, held_out_curve, plot_runs, training_curve
from seq2seq_cli.runs.listing import Run
from seq2seq_cli.runs.records import Record
from tests.records import epoch, make_run, step
from tests.unit.plots.test_pictures import words_of

RECORDS: dict[str, list[Record]] = {
    "first": [
        *(step(100, 1, loss=5.0), step(200, 1, loss=4.0), epoch(200, 1, bleu=10.0, loss=3.5)),
        *(step(400, 2, loss=3.0), epoch(400, 2, bleu=21.5, loss=3.0)),
    ],
    "$second\x1b": [step(100, 1, loss=6.0), epoch(200, 1, bleu=19.5, loss=3.25)],
    "_third": [epoch(200, 1, bleu=12.5)],
    "young": [step(20, 1, loss=8.0)],
    "blank": [],
}


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
    assert [place for place, _ in training_curve(run_of(tmp_path, records), axis)] == places


def test_the_curves_of_a_run(tmp_path: Path) -> None:
    run = run_of(tmp_path, RECORDS["first"])
    assert training_curve(run, "epoch") == [(0.5, 5.0), (1.0, 4.0), (2.0, 3.0)]
    assert held_out_curve(run, "loss", "epoch") == [(1.0, 3.5), (2.0, 3.0)]
    assert held_out_curve(run, "bleu", "epoch") == [(1.0, 10.0), (2.0, 21.5)]


def test_the_entropy_of_the_attention_is_that_of_each_validation(tmp_path: Path) -> None:
    run = run_of(tmp_path, [epoch(200, 1, entropy=1.5), epoch(400, 2, entropy=0.25)])
    assert held_out_curve(run, "entropy", "epoch") == [(1.0, 1.5), (2.0, 0.25)]

    without = run_of(tmp_path, [epoch(200, 1)], "without")
    with pytest.raises(UsageError, match="without: no entropy"):
        curves_figure({"without": without}, axis="epoch", measure="entropy")


def test_a_run_of_short_epochs_has_the_training_loss_of_each(tmp_path: Path) -> None:
    run = run_of(tmp_path, [epoch(60, 1), step(100, 2), epoch(120, 2), epoch(180, 3), step(200, 4), epoch(240, 4)])
    assert training_curve(run, "minutes") == [(1.0, 3.5), (2.0, 3.5), (3.0, 3.5), (4.0, 3.5)]


def test_what_cannot_be_drawn_is_refused_with_the_way_out(tmp_path: Path) -> None:
    fresh = run_of(tmp_path, [], "fresh")
    with pytest.raises(ModelFileError, match=r"fresh: no metrics are recorded: wait for .* an export was made from"):
        plot_runs({"fresh": fresh}, tmp_path / "x.svg", axis="epoch", overwrite=False)
    tiny = run_of(tmp_path, [epoch(40, 1, bleu=None)], "tiny")
    with pytest.raises(UsageError, match=r"no bleu .* --metric loss"):
        curves_figure({"tiny": tiny}, axis="epoch", measure="bleu")


@pytest.mark.parametrize(
    ("names", "axis", "measure", "shown"),
    [
        (["first", "$second\x1b"], "epoch", "bleu", {"epochs", "held-out BLEU (0 to 100)", "first: last 21.5"}),
        (["first", "$second\x1b"], "epoch", "bleu", {"loss (nats per target token)", "$second\ufffd: last 3.250"}),
        (["first", "_third"], "epoch", "bleu", {" _third: last 12.5"}),
        (["first", "young"], "epoch", "bleu", {"first: last 21.5", "young: last 8.000, training"}),
        (["first"], "tokens", "loss", {"millions of target tokens", "first: last 3.000"}),
        (["young", "blank"], "minutes", "loss", {"minutes, validation included", "young: last 8.000, training"}),
    ],
)
def test_axes_have_units_and_curves_have_names_and_last_values(
    tmp_path: Path, names: list[str], axis: CurveAxis, measure: CurveMeasure, shown: set[str]
) -> None:
    runs = {name: run_of(tmp_path, RECORDS[name], str(number)) for number, name in enumerate(names)}
    words = set(words_of(picture(lambda: curves_figure(runs, axis=axis, measure=measure), "svg")))
    assert shown <= words
    assert any("BLEU" in word for word in words) == (measure == "bleu")


def test_markers_distinguish_runs_without_colour(tmp_path: Path) -> None:
    run = run_of(tmp_path, RECORDS["first"])
    lines = curves_figure({str(number): run for number in range(56)}, axis="epoch", measure="bleu").axes[0].lines
    styles = [(line.get_color(), line.get_marker()) for line in lines]
    assert len({marker for _, marker in styles[:8]}) == 8
    assert len(set(styles)) == 56
