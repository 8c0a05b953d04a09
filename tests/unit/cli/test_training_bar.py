"""The bar of a training run: on a terminal of any width, and as lines elsewhere."""

import io
import re
import sys

import pytest

from seq2seq_cli.cli.terminal import warn
from seq2seq_cli.cli.training_bar import TrainingBar
from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.training.events import Event, Finished, Started, Step, Validated
from tests.terminal import read_shown, stderr_on_terminal


def started(**changes: object) -> Started:
    return Started(
        lines=("training runs/a on cpu, fp32: 100 pairs, 1,000 parameters",),
        training=TrainingConfig.model_validate({"epochs": 10, **changes}),
    )


def step(number: int) -> Step:
    """Ten updates per epoch, twelve seconds each."""
    return Step(
        epoch=1 + (number - 1) // 10,
        epochs=number / 10,
        step=number,
        loss=3.2144,
        tokens=150_000,
        gradient_norm=1.0,
        lr=1e-3,
        seconds=12.0,
        run_seconds=12.0 * number,
        skipped=False,
    )


VALIDATED = Validated(epoch=1, step=10, train_loss=3.5, scores=None, attention=[], is_best=True)
FINISHED = Finished(reason="6-minute limit reached", is_whole=False, best="epoch 3 with BLEU 36.0")


def lines_of(monkeypatch: pytest.MonkeyPatch, *events: Event) -> list[str]:
    """The lines on a stderr that is no terminal."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    bar = TrainingBar()
    for event in events:
        bar.show(event)
    bar.close()
    return stream.getvalue().splitlines()


def test_outside_a_terminal_there_is_a_line_per_epoch_and_one_per_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[Event] = [started(), *map(step, range(1, 11)), VALIDATED, *map(step, range(11, 18)), FINISHED]
    start, *lines = lines_of(monkeypatch, *events)
    assert start == "training runs/a on cpu, fp32: 100 pairs, 1,000 parameters"
    assert lines == [
        "epoch 1/10: 5%, 0:19:00 left, loss 3.214, 12,500 tokens/s",
        "epoch 1/10: 10%, 0:18:00 left, loss 3.214, 12,500 tokens/s",
        "epoch 1: train loss 3.500 (best)",
        "epoch 2/10: 15%, 0:17:00 left, loss 3.214, 12,500 tokens/s",
        "stopped: 6-minute limit reached; best: epoch 3 with BLEU 36.0",
    ]


@pytest.mark.parametrize(
    ("training", "shown"),
    [
        ({"max_minutes": 2.0}, "epoch 1/10: 50%, 0:01:00 left, "),
        ({"patience": 3}, "epoch 1/10: 5%, 0:19:00 left at most, "),
        ({"epochs": 1000}, "epoch 1/1000: 0%, 1 day, 9:19:00 left, "),
    ],
)
def test_the_end_is_that_of_the_config(
    training: dict[str, object], shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, line = lines_of(monkeypatch, started(**training), *map(step, range(1, 7)))
    assert line.startswith(shown)


@pytest.mark.parametrize("columns", [80, 40])
def test_the_bar_fits_the_terminal_and_makes_way_for_lines(columns: int) -> None:
    with stderr_on_terminal(columns=columns) as terminal:
        bar = TrainingBar()
        bar.show(started())
        bar.show(step(1))
        shown = read_shown(terminal)
        assert shown.startswith("training runs/a on cpu")
        drawn = shown.split("\r")[-1]
        assert re.match(r"epoch 1/10 +1% .*, 0:19:48 left, ", drawn)
        assert len(drawn) <= columns
        assert columns < 80 or "loss 3.214, 12,500 tokens/s" in drawn
        warn("of the library")
        assert re.fullmatch(r"\r *\rs2s: warning: of the library\n\repoch 1/10.*", read_shown(terminal))
        bar.show(step(2))
        assert "epoch 1/10" in read_shown(terminal)
        bar.close()
        assert not read_shown(terminal).strip("\r ")
