"""Learning curves as a picture: its labels and curves, and the files that it may replace."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from seq2seq_cli.config.choices import CurveAxis, CurveMeasure
from seq2seq_cli.plots.learning_curves import LearningCurves, _style, curves_figure
from seq2seq_cli.plots.pictures import picture

FIRST = LearningCurves(
    name="first",
    train_loss=[(0.5, 5.0), (1.0, 4.0), (2.0, 3.0)],
    valid_loss=[(1.0, 3.5), (2.0, 3.0)],
    measured=[(1.0, 10.0), (2.0, 21.5)],
)
SECOND = LearningCurves(
    name="$second\x1b", train_loss=[(0.5, 6.0)], valid_loss=[(1.0, 3.25)], measured=[(1.0, 11.0), (2.0, 19.5)]
)
YOUNG = LearningCurves(name="young", train_loss=[(0.1, 8.0)], valid_loss=[], measured=[])
BLANK = LearningCurves(name="blank", train_loss=[], valid_loss=[], measured=[])


def words_of(content: bytes) -> set[str]:
    root = ET.fromstring(content.decode("utf-8"))  # noqa: S314 - from our own code
    return {element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")}


@pytest.mark.parametrize(
    ("runs", "axis", "measure", "shown"),
    [
        ([FIRST, SECOND], "epoch", "bleu", {"epochs", "held-out BLEU (0 to 100)", "first: last 21.5"}),
        ([FIRST, SECOND], "epoch", "bleu", {"loss (nats per target token)", "$second\ufffd: last 3.25"}),
        ([replace(FIRST, measured=[])], "tokens", "loss", {"millions of target tokens", "first: last 3.00"}),
        ([YOUNG, BLANK], "minutes", "loss", {"minutes, validation included", "young: last 8.00, training"}),
    ],
)
def test_axes_have_units_and_curves_have_names_and_last_values(
    runs: list[LearningCurves], axis: CurveAxis, measure: CurveMeasure, shown: set[str]
) -> None:
    words = words_of(picture(lambda: curves_figure(runs, axis=axis, measure=measure), "svg"))
    assert shown <= words
    assert any("BLEU" in word for word in words) == (measure == "bleu")


def test_markers_distinguish_runs_without_colour() -> None:
    styles = [_style(number) for number in range(56)]
    assert len({marker for _, marker in styles[:8]}) == 8
    assert len(set(styles)) == 56


@pytest.mark.parametrize(("image_format", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_the_same_curves_give_the_same_bytes_in_each_format(image_format: str, start: bytes) -> None:
    first, second = (
        picture(lambda: curves_figure([FIRST], axis="epoch", measure="bleu"), image_format) for _ in range(2)
    )
    assert first.startswith(start)
    assert first == second
