"""TensorBoard reads back the numbers and pictures of a training."""

import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from seq2seq_cli.training.samples import choose_samples
from seq2seq_cli.training.tensorboard import TensorBoard
from tests.records import epoch, step
from tests.unit.plots.maps import KISS, make_map

accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")


def read(folder: Path) -> Any:
    logging.getLogger("tensorboard").setLevel(logging.ERROR)  # it warns about purged points
    events = accumulator.EventAccumulator(str(folder))
    events.Reload()
    return events


def scalars(folder: Path, tag: str) -> list[tuple[int, float]]:
    return [(event.step, round(event.value, 6)) for event in read(folder).Scalars(tag)]


def test_the_numbers_of_the_records_are_read_back_at_their_steps(tmp_path: Path) -> None:
    board = TensorBoard(tmp_path)
    board.show(step(100, 1, loss=4.5, rate=9000.0))
    board.show(step(200, 1, loss=3.5, rate=9000.0))
    board.show(epoch(250, 1, loss=3.0, bleu=12.5))
    board.close()

    assert scalars(tmp_path, "loss/training") == [(100, 4.5), (200, 3.5)]
    assert scalars(tmp_path, "machine/tokens_per_second") == [(100, 9000.0), (200, 9000.0)]
    assert scalars(tmp_path, "loss/held_out") == [(250, 3.0)]
    assert scalars(tmp_path, "held_out/bleu") == [(250, 12.5)]


def test_unknown_numbers_are_not_shown(tmp_path: Path) -> None:
    board = TensorBoard(tmp_path)
    board.show(epoch(250, 1, loss=None, bleu=None, chrf=None))
    board.close()

    assert read(tmp_path).Tags()["scalars"] == ["loss/training_of_the_epoch"]


def test_each_sentence_with_words_has_a_picture_at_each_validation(tmp_path: Path) -> None:
    board = TensorBoard(tmp_path)
    for number in (250, 500):
        board.attention([KISS, make_map([], []), KISS], number)
    board.close()

    events = read(tmp_path)
    assert events.Tags()["images"] == ["attention/1", "attention/3"]
    pictures = events.Images("attention/3")
    assert [picture.step for picture in pictures] == [250, 500]
    assert all(picture.encoded_image_string.startswith(b"\x89PNG") for picture in pictures)


def test_a_resumed_run_shows_each_step_once(tmp_path: Path) -> None:
    first = TensorBoard(tmp_path)
    for number, loss in ((100, 4.0), (200, 3.0), (300, 2.0)):
        first.show(step(number, 1, loss=loss))
    first.close()  # killed after step 300; saved last at step 200

    second = TensorBoard(tmp_path, done=200)
    second.show(step(300, 1, loss=2.5))
    second.close()

    assert scalars(tmp_path, "loss/training") == [(100, 4.0), (200, 3.0), (300, 2.5)]


def test_without_the_package_the_message_says_what_to_install(tmp_path: Path) -> None:
    script = """
import sys
sys.modules["tensorboard"] = None
from pathlib import Path
from seq2seq_cli.errors import UsageError
from seq2seq_cli.training.tensorboard import TensorBoard
try:
    TensorBoard(Path("events"))
except UsageError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)

    assert "training.tensorboard" in done.stdout
    assert "install s2s again with the extra tensorboard" in done.stdout
    assert done.stdout.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_the_samples_are_always_the_same_and_of_all_lengths() -> None:
    pairs = [("a" * length, "b") for length in range(1, 51)]
    chosen = choose_samples(pairs)

    assert [len(src) for src, _ in chosen] == [6, 16, 26, 36, 46]
    assert choose_samples(pairs[::-1]) == chosen
    assert choose_samples(pairs[:2]) == pairs[:2]
    assert choose_samples([]) == []
