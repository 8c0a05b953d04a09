"""Learning curves as a picture: its labels and curves, and the files that it may replace."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seq2seq_cli.errors import UsageError
from seq2seq_cli.plots.learning_curves import (
    LearningCurves,
    _spread,
    _style,
    check_curves_path,
    render_curves,
    save_curves,
)

FIRST = LearningCurves(
    name="first",
    train_loss=[(0.5, 5.0), (1.0, 4.0), (2.0, 3.0)],
    valid_loss=[(1.0, 3.5), (2.0, 3.0)],
    measured=[(1.0, 10.0), (2.0, 21.5)],
)
SECOND = LearningCurves(
    name="$second", train_loss=[(0.5, 6.0)], valid_loss=[(1.0, 3.25)], measured=[(1.0, 11.0), (2.0, 19.5)]
)


def words_of(svg: bytes) -> list[str]:
    root = ET.fromstring(svg.decode("utf-8"))  # noqa: S314 - from our own code
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_axes_have_units_and_curves_have_names_and_last_values() -> None:
    words = words_of(render_curves([FIRST, SECOND], "svg", axis="epoch", measure="bleu"))
    assert {"epochs", "held-out BLEU (0 to 100)", "loss (nats per target token), log scale"} <= {*words}
    assert {"first: last 21.5", "$second: last 19.5", "first: last 3.00", "$second: last 3.25"} <= {*words}
    assert {"held out", "training", "first", "$second"} <= {*words}


def test_tokens_are_counted_in_millions() -> None:
    far = LearningCurves(name="far", train_loss=[], valid_loss=[(1.0, 3.0), (4.0, 2.0)], measured=[])
    words = words_of(render_curves([far], "svg", axis="tokens", measure="loss"))
    assert "millions of target tokens" in words
    assert {"1.0", "4.0"} <= {*words}


def test_the_loss_alone_is_one_panel() -> None:
    words = words_of(render_curves([FIRST], "svg", axis="minutes", measure="loss"))
    assert "minutes, validation included" in words
    assert not any("BLEU" in word for word in words)


@pytest.mark.parametrize("image", ["png", "svg", "pdf"])
def test_the_same_curves_give_the_same_bytes(image: Literal["png", "svg", "pdf"]) -> None:
    first, second = (render_curves([FIRST, SECOND], image, axis="epoch", measure="chrf") for _ in range(2))
    assert first == second


def test_a_run_without_validations_and_a_run_without_points_can_be_drawn() -> None:
    young = LearningCurves(name="young", train_loss=[(0.1, 8.0)], valid_loss=[], measured=[])
    blank = LearningCurves(name="blank", train_loss=[], valid_loss=[], measured=[])
    assert "young: last 8.00, training" in words_of(render_curves([young, blank], "svg", axis="epoch", measure="loss"))


def test_markers_distinguish_runs_without_colour() -> None:
    styles = [_style(number) for number in range(56)]
    assert len({marker for _, marker in styles[:8]}) == 8
    assert len(set(styles)) == 56


@given(st.lists(st.floats(0, 1), max_size=12).map(sorted))
def test_labels_keep_their_order_and_distance(heights: list[float]) -> None:
    places = _spread(heights, 0.1)
    assert len(places) == len(heights)
    assert all(above - below >= 0.1 - 1e-9 for below, above in pairwise(places))
    assert sum(places) == pytest.approx(sum(heights))


def test_labels_with_enough_room_do_not_move() -> None:
    assert _spread([0.1, 0.5, 0.9], 0.1) == pytest.approx([0.1, 0.5, 0.9])
    assert _spread([0.5, 0.5], 0.1) == pytest.approx([0.45, 0.55])


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.SVG", b"<?xml"), ("a.pdf", b"%PDF")])
def test_the_ending_chooses_the_format(tmp_path: Path, name: str, start: bytes) -> None:
    save_curves([FIRST], tmp_path / name, axis="epoch", measure="bleu", overwrite=False)
    assert (tmp_path / name).read_bytes().startswith(start)


def test_a_file_is_replaced_only_with_overwrite(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    check_curves_path(path, overwrite=False)
    path.touch()
    with pytest.raises(UsageError, match="--overwrite"):
        check_curves_path(path, overwrite=False)
    check_curves_path(path, overwrite=True)


@pytest.mark.parametrize("name", ["a.jpg", "a", "nowhere/a.png", "."])
def test_other_paths_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        check_curves_path(tmp_path / name, overwrite=True)


def test_a_run_of_any_name_gives_a_well_formed_picture() -> None:
    words = words_of(render_curves([replace(FIRST, name="a\x1b")], "svg", axis="epoch", measure="bleu"))

    assert "a\ufffd: last 21.5" in words
