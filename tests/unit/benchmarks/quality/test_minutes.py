"""Minutes to a BLEU, with a clock that the test moves."""

from collections.abc import Iterator

from benchmarks.quality.minutes import Point, points
from seq2seq_cli.evaluation.held_out import HeldOutScores
from seq2seq_cli.evaluation.scorer import CorpusScore
from seq2seq_cli.learning.state import Progress
from seq2seq_cli.training.events import Event, Step, Validated


def validated(step: int, bleu: float) -> Validated:
    score = CorpusScore(bleu, "")
    scores = HeldOutScores(loss=1.0, bleu=score, chrf=score)
    return Validated(epoch=1, step=step, train_loss=1.0, scores=scores, averaged=False, is_best=True)


def one_step(number: int) -> Step:
    return Step(
        epoch=1,
        epochs=number / 9,
        position=number,
        batches=9,
        step=number,
        loss=1.0,
        tokens=9,
        gradient_norm=1.0,
        lr=1e-3,
        seconds=40.0,
        run_seconds=40.0 * number,
        skipped=False,
        halved=False,
    )


def test_points_are_validations_and_scores_in_between_whose_time_is_not_counted() -> None:
    now = 1000.0

    def events(progress: Progress) -> Iterator[Event]:
        """As in the loop, the clock of the training counts everything."""
        nonlocal now
        ticked = now
        trained: list[Event] = [*map(one_step, range(1, 5)), validated(4, 31.0)]
        for event in trained:
            now += 40.0 if isinstance(event, Step) else 20.0
            progress.seconds += now - ticked
            ticked = now
            yield event

    def score() -> float:
        nonlocal now
        now += 500.0
        return 20.0

    expected = [
        Point(minutes=80 / 60, step=2, epoch=1, bleu=20.0),
        Point(minutes=2.0, step=3, epoch=1, bleu=20.0),
        Point(minutes=3.0, step=4, epoch=1, bleu=31.0),
    ]
    for every, reached in ((1.0, expected), (None, expected[-1:])):
        progress = Progress()
        assert list(points(events(progress), progress, score, every=every, clock=lambda: now)) == reached
