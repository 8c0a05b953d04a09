"""The bar of a training: on a terminal of any width, and as lines elsewhere."""

import io
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from seq2seq_cli.cli.training.bar import TrainingBar
from seq2seq_cli.cli.training.standing import Standing
from seq2seq_cli.config.schema.training import TrainingConfig
from seq2seq_cli.training.events import Finished, Started, Step, Validated
from tests.terminal import read_shown, stderr_on_terminal

ERASE = "\r\x1b[J"
STARTED = Started(
    run=Path("runs/a"),
    device="cpu",
    processes=1,
    precision="fp32",
    pairs=100,
    parameters=1000,
    init_from=None,
    training=TrainingConfig(epochs=10),
    epoch=1,
    step=0,
    changes=(),
    redraws=False,
)
FINISHED = Finished(reason="6-minute limit reached", is_whole=False, best="epoch 3 with BLEU 36.0")


def step(number: int) -> Step:
    """Ten updates per epoch, twelve seconds each."""
    done, position = divmod(number - 1, 10)
    return Step(
        epoch=done + 1,
        epochs=number / 10,
        position=position + 1,
        batches=10,
        step=number,
        loss=3.2144,
        tokens=150_000,
        gradient_norm=1.0,
        lr=1e-3,
        seconds=12.0,
        run_seconds=12.0 * number,
        skipped=False,
        halved=False,
    )


def standing(**changes: object) -> Standing:
    found = Standing(
        training=TrainingConfig(epochs=10), epoch=3, epochs=2.5, seconds=600, loss=3.2144, tokens_per_second=12_345.6
    )
    return replace(found, **changes)  # type: ignore[arg-type]


def test_80_columns_hold_epoch_training_time_left_loss_and_speed() -> None:
    epoch, training = standing().lines(79)
    assert re.fullmatch(r"epoch 3/10  50%  #+-+  2:00 left   loss 3.214", epoch)
    assert re.fullmatch(r"training    25%  #+-+  30:00 left  12,346 tokens/s", training)
    assert max(len(epoch), len(training)) == 79


def test_40_columns_hold_the_same_without_bars() -> None:
    assert standing().lines(39) == [
        "epoch 3/10  50% 2:00 left",
        "training    25% 30:00 left",
        "loss 3.214, 12,346 tokens/s",
    ]


@pytest.mark.parametrize("width", [39, 59, 79, 200])
def test_the_longest_numbers_fit(width: int) -> None:
    hours = standing(
        training=TrainingConfig(epochs=1000, patience=3), epoch=999, epochs=998.25, seconds=3e7, tokens_per_second=1e6
    )
    lines = hours.lines(width)
    assert max(map(len, lines)) <= width
    for words in ("epoch 999/1000", "training", " at most", "loss 3.214", "1,000,000 tokens/s"):
        assert words in "\n".join(lines)


def test_a_time_limit_ends_the_training_before_its_epochs() -> None:
    limited = standing(training=TrainingConfig(epochs=10, max_minutes=12.5))
    assert limited.lines(39)[1] == "training    80% 2:30 left"


def test_no_time_is_left_of_an_epoch_after_its_last_update() -> None:
    assert standing(epochs=3.0).lines(39)[0] == "epoch 3/10 100% 0:00 left"


def test_each_drawing_fits_the_terminal_and_replaces_the_one_before() -> None:
    with stderr_on_terminal(columns=80) as terminal:
        import termios

        bar = TrainingBar()
        bar.show(STARTED)
        bar.show(step(1))
        start, drawn = read_shown(terminal).split(ERASE)
        assert start.startswith("training runs/a on cpu")
        assert drawn.endswith("tokens/s\r\x1b[1A")  # back to the first line: a narrower terminal breaks lines below it
        assert [len(line) for line in drawn.partition("\r")[0].splitlines()] == [74, 79]

        termios.tcsetwinsize(terminal, (24, 40))
        bar.show(step(2))
        erased, drawn = read_shown(terminal).split(ERASE)
        assert (erased, drawn.count("\n"), drawn[-5:]) == ("", 2, "\r\x1b[2A")
        assert max(map(len, drawn[:-5].splitlines())) < 40

        sys.stderr.write("s2s: warning: of the library\n")
        assert read_shown(terminal) == f"{ERASE}s2s: warning: of the library\n"
        bar.show(step(3))
        read_shown(terminal)
        bar.close()
        assert read_shown(terminal) == ERASE


def test_outside_a_terminal_there_is_a_line_per_epoch_and_one_per_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    bar = TrainingBar()
    bar.show(STARTED)
    for number in range(1, 18):
        bar.show(step(number))
        if number == 10:
            bar.show(Validated(epoch=1, step=10, train_loss=3.5, scores=None, averaged=False, is_best=True))
    bar.show(FINISHED)
    bar.close()
    assert stream.getvalue().splitlines()[1:] == [
        "epoch 1/10: 60%, 0:48 left; training: 6%, 18:48 left; loss 3.214; 12,500 tokens/s",
        "epoch 1: train loss 3.500 (best)",
        "epoch 2/10: 60%, 0:48 left; training: 16%, 16:48 left; loss 3.214; 12,500 tokens/s",
        "stopped: 6-minute limit reached; best: epoch 3 with BLEU 36.0",
    ]
