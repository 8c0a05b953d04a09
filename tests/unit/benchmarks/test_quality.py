"""Minutes to a quality, with a clock that the test moves."""

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks.quality import Log, Point, minutes_to, points
from seq2seq_cli.evaluation.metrics import Score
from seq2seq_cli.training.events import Event, Step, Validated


def bleu(value: float) -> Score:
    return Score(name="BLEU", value=value, signature="")


def validated(step: int, value: float) -> Validated:
    return Validated(epoch=1, step=step, train_loss=1.0, valid_loss=1.0, bleu=bleu(value), is_best=True)


def one_step(number: int) -> Step:
    return Step(epoch=1, position=number, batches=9, step=number, loss=1.0, tokens=9, gradient_norm=1.0)


def test_points_are_validations_and_scores_in_between_whose_time_is_not_counted() -> None:
    now = 1000.0

    def events() -> Iterator[Event]:
        nonlocal now
        for number in range(1, 5):
            now += 40.0
            yield one_step(number)
        now += 20.0
        yield validated(4, 31.0)

    def score() -> Score:
        nonlocal now
        now += 500.0
        return bleu(20.0)

    expected = [
        Point(minutes=80 / 60, step=2, epoch=1, bleu=20.0),
        Point(minutes=2.0, step=3, epoch=1, bleu=20.0),
        Point(minutes=3.0, step=4, epoch=1, bleu=31.0),
    ]
    assert list(points(events(), score, every=1.0, clock=lambda: now)) == expected

    now = 1000.0
    assert list(points(events(), score, every=None, clock=lambda: now)) == expected[-1:]


def test_the_first_point_that_is_good_enough_counts() -> None:
    reached = [Point(minutes=float(i), step=i, epoch=1, bleu=value) for i, value in enumerate((10.0, 30.0, 29.0, 36.0))]
    assert minutes_to(30.0, reached) == 1.0
    assert minutes_to(35.0, reached) == 3.0
    assert minutes_to(40.0, reached) is None


def test_results_are_written_as_they_come(tmp_path: Path) -> None:
    log = Log(tmp_path / "results.jsonl")
    log.write("validation", {"bleu": 1.5})
    log.write("goal", {"minutes": None})
    lines = (tmp_path / "results.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [
        {"kind": "validation", "bleu": 1.5},
        {"kind": "goal", "minutes": None},
    ]
    Log(None).write("validation", {"bleu": 1.5})
