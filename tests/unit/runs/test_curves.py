"""Where updates lie in epochs, minutes and tokens, and what is drawn of a run."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.errors import ModelFileError, UsageError
from seq2seq_cli.runs.curves import Timeline, learning_curves, timeline
from seq2seq_cli.runs.listing import Run
from seq2seq_cli.runs.metrics import read_history
from tests.records import Record, epoch, make_run, step, write


def run_of(folder: Path, records: Sequence[Record], name: str = "run") -> Run:
    return Run.read(make_run(folder / name, records))


def test_between_known_points_lines_are_straight_and_the_last_goes_on() -> None:
    line = Timeline.through([(10, 1.0), (30, 2.0)])
    assert [line.at(step) for step in (0, 5, 10, 20, 30, 50)] == [0.0, 0.5, 1.0, 1.5, 2.0, 3.0]


@given(st.dictionaries(st.integers(1, 1000), st.floats(0, 1e6), min_size=1))
def test_it_goes_through_its_points(points: dict[int, float]) -> None:
    line = Timeline.through(points.items())
    assert {step: line.at(step) for step in points} == pytest.approx(points)


def test_tokens_are_summed(tmp_path: Path) -> None:
    write(tmp_path, [step(100, 1, tokens=1000), step(200, 1, tokens=3000)])
    line = timeline(read_history(tmp_path), "tokens")
    assert line is not None
    assert (line.at(100), line.at(150), line.at(200)) == (1000, 2500, 4000)


def test_minutes_are_those_of_the_validations(tmp_path: Path) -> None:
    write(tmp_path, [step(100, 1), epoch(200, 1, seconds=120.0)])
    line = timeline(read_history(tmp_path), "minutes")
    assert line is not None
    assert line.at(100) == 1.0


def test_before_the_first_validation_minutes_follow_from_the_rate(tmp_path: Path) -> None:
    write(tmp_path, [step(100, 1, tokens=6000, rate=100.0)])
    line = timeline(read_history(tmp_path), "minutes")
    assert line is not None
    assert line.at(100) == 1.0


def test_a_last_epoch_that_was_cut_short_is_a_part_of_one(tmp_path: Path) -> None:
    records = [step(100, 1, tokens=1000), epoch(100, 1), step(200, 2, tokens=1000), epoch(200, 2)]
    write(tmp_path, [*records, step(250, 3, tokens=500), epoch(250, 3)])
    line = timeline(read_history(tmp_path), "epoch")
    assert line is not None
    assert line.at(200) == 2.0
    assert line.at(250) == pytest.approx(2.5)


def test_larger_batches_make_no_shorter_epoch(tmp_path: Path) -> None:
    records = [step(100, 1, tokens=1000), epoch(100, 1), step(200, 2, tokens=1000), epoch(200, 2)]
    write(tmp_path, [*records, step(250, 3, tokens=1000), epoch(250, 3)])
    line = timeline(read_history(tmp_path), "epoch")
    assert line is not None
    assert line.at(250) == 3.0


def test_the_curves_of_a_run(tmp_path: Path) -> None:
    run = run_of(
        tmp_path,
        [
            *(step(100, 1, loss=5.0), step(200, 1, loss=4.0), epoch(200, 1, bleu=8.0, loss=3.0)),
            *(step(300, 2, loss=3.5), step(400, 2, loss=3.0), epoch(400, 2, bleu=12.0, loss=2.5)),
        ],
    )
    (curves,) = learning_curves({"mine": run}, axis="epoch", metric="bleu")

    assert curves.name == "mine"
    assert curves.train_loss == [(0.5, 5.0), (1.0, 4.0), (1.5, 3.5), (2.0, 3.0)]
    assert curves.valid_loss == [(1.0, 3.0), (2.0, 2.5)]
    assert curves.score == [(1.0, 8.0), (2.0, 12.0)]
    (of_loss,) = learning_curves({"mine": run}, axis="epoch", metric="loss")
    assert of_loss.score == []


def test_a_short_run_has_the_training_loss_of_its_epochs(tmp_path: Path) -> None:
    run = run_of(tmp_path, [epoch(30, 1), epoch(60, 2)])
    (curves,) = learning_curves({"short": run}, axis="minutes", metric="bleu")
    assert curves.train_loss == [(0.5, 3.5), (1.0, 3.5)]


def test_what_cannot_be_drawn_is_told_with_the_way_out(tmp_path: Path) -> None:
    fresh = run_of(tmp_path, [], "fresh")
    with pytest.raises(ModelFileError, match=r"fresh: no metrics are recorded yet"):
        learning_curves({"fresh": fresh}, axis="epoch", metric="bleu")
    first = run_of(tmp_path, [step(100, 1)], "first")
    with pytest.raises(UsageError, match=r"first: its first epoch is not over.*--x tokens"):
        learning_curves({"first": first}, axis="epoch", metric="bleu")
    tiny = run_of(tmp_path, [epoch(40, 1, bleu=None)], "tiny")
    with pytest.raises(UsageError, match=r"tiny: .* does not count the tokens"):
        learning_curves({"tiny": tiny}, axis="tokens", metric="bleu")
    with pytest.raises(UsageError, match=r"no bleu .* --metric loss"):
        learning_curves({"tiny": tiny}, axis="epoch", metric="bleu")


def test_a_run_without_the_score_is_drawn_beside_one_that_has_it(tmp_path: Path) -> None:
    young = run_of(tmp_path, [step(100, 1)], "young")
    old = run_of(tmp_path, [step(100, 1), epoch(100, 1, bleu=9.0)], "old")
    curves = learning_curves({"young": young, "old": old}, axis="tokens", metric="bleu")
    assert [len(curve.score) for curve in curves] == [0, 1]
    assert len(curves[0].train_loss) == 1
