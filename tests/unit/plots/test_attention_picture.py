"""Attention as a picture: its labels, and words that could break it."""

import io
import json
import logging
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Literal

import pytest
from matplotlib import font_manager
from matplotlib.image import imread

from seq2seq_cli.plots.attention_picture import render_attention, rows_that_fit
from tests.unit.plots.maps import KISS, make_map

SVG = "{http://www.w3.org/2000/svg}"


def words_of(svg: bytes) -> list[str]:
    """The text of a picture, in the order in which it is drawn."""
    root = ET.fromstring(svg.decode("utf-8"))  # noqa: S314 - from our own code
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def test_source_words_output_words_and_the_scale_are_labelled() -> None:
    words = words_of(render_attention([[KISS]], "svg"))
    source, translation = words.index("source"), words.index("translation")
    assert words[:source] == ["She", "kissed", "him", "."]
    assert words[source + 1 : translation] == ["Sie", "küsste", "ihn", "."]
    assert "attention weight" in words


@pytest.mark.parametrize("word", ["$x^2$", "$", "a_b", "\\frac", "100%", "<eos>", "&amp;", "{", ""])
def test_words_are_not_taken_as_formulas(word: str) -> None:
    table = make_map([word, "x"], ["y"])
    assert {word, "x", "y"} <= {*words_of(render_attention([[table]], "svg")), ""}
    assert render_attention([[table]], "png").startswith(b"\x89PNG")


@pytest.mark.parametrize("image", ["png", "svg"])
def test_a_script_without_a_font_gives_one_line_in_the_log(
    image: Literal["png", "svg"], caplog: pytest.LogCaptureFixture
) -> None:
    private = make_map(["\U0010fffc\U0010fffd", "x"], ["\U0010fffc", "\U0010fffd"])  # letters that no font has
    with caplog.at_level(logging.WARNING, logger="seq2seq_cli"):
        assert render_attention([[private]], image)
    [record] = caplog.records
    assert "no installed font has some of the characters" in record.getMessage()


def test_a_picture_of_no_words_is_refused() -> None:
    with pytest.raises(ValueError, match="no sentence has words"):
        render_attention([[None]], "png")


def test_the_picture_grows_with_the_sentence() -> None:
    height, width, _ = imread(io.BytesIO(render_attention([[KISS]], "png", dpi=50))).shape
    forty = make_map(["source"] * 40, ["target"] * 40)
    tall, broad, _ = imread(io.BytesIO(render_attention([[forty]], "png", dpi=50))).shape
    # At least 15 pixels per word: letters of 11 points at 50 dots per inch are 8 pixels high.
    assert broad - width >= 36 * 15
    assert tall - height >= 36 * 15


def test_nothing_is_cut_off_at_the_edges() -> None:
    long = make_map(["Donaudampfschifffahrt" * 2] * 3, ["incomprehensibilities" * 2] * 2)
    pixels = imread(io.BytesIO(render_attention([[long]], "png")))
    for edge in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
        assert (edge == 1).all()


def panels_of(svg: bytes) -> list[tuple[float, float, float, float]]:
    """The left, upper, right and lower ends of the panels; the last one is the scale."""
    root = ET.fromstring(svg.decode("utf-8"))  # noqa: S314 - from our own code
    groups = [group for group in root.iter(f"{SVG}g") if group.get("id", "").startswith("axes_")]
    corners = [re.findall(r"[ML] (\S+) (\S+)", next(group.iter(f"{SVG}path")).attrib["d"]) for group in groups]
    sides = [[sorted(map(float, side)) for side in zip(*each, strict=True)] for each in corners]
    return [(x[0], y[0], x[-1], y[-1]) for x, y in sides]


def test_runs_stand_side_by_side_below_their_names_and_sentences_below_each_other() -> None:
    long = make_map(["Donaudampfschifffahrt"] * 9, ["incomprehensibilities"] * 7)
    drawn = render_attention([[KISS, long, KISS], [long, None, KISS]], "svg", runs=["a", "$b", "c"], title="A title")
    words = words_of(drawn)
    assert [words.count(name) for name in ("a", "$b", "c", "A title")] == [2, 1, 2, 1]
    assert (words.count("source"), words.count("translation"), words.count("attention weight")) == (3, 2, 1)
    first, second, third, below, last, scale = panels_of(drawn)
    for left, right in [(first, second), (second, third), (third, scale), (below, last)]:
        assert left[2] < right[0]
        assert left[1] == pytest.approx(right[1], abs=0.01)  # their upper ends are in line
    for upper, lower in [(first, below), (third, last)]:
        assert max(first[3], second[3], third[3]) < lower[1]
        assert upper[0] == pytest.approx(lower[0], abs=0.01)


def test_a_run_without_attention_says_so() -> None:
    blind = make_map(["a", "b"], ["c", "d"], [[0, 0], [0, 0]])
    assert words_of(render_attention([[KISS, blind]], "svg", runs=["a", "b"])).count("no attention") == 1


def test_rows_fit_as_long_as_nothing_is_shrunk() -> None:
    short, long = make_map(["a"], ["b"]), make_map(["a"], ["b"] * 200)
    assert rows_that_fit([[short]] * 5) == 5
    assert rows_that_fit([[long, None], [short, short]]) == 1
    fitting = rows_that_fit([[short]] * 1000)
    assert 10 < fitting < 50
    assert rows_that_fit([[short]] * 1000, dpi=300) < fitting


def test_more_dots_are_more_pixels() -> None:
    low, high = (imread(io.BytesIO(render_attention([[KISS]], "png", dpi=dpi))).shape for dpi in (100, 200))
    assert high[1] == pytest.approx(2 * low[1], abs=3)


@pytest.mark.parametrize("image", ["png", "svg"])
def test_the_same_attention_gives_the_same_file(image: Literal["png", "svg"]) -> None:
    assert render_attention([[KISS]], image) == render_attention([[KISS]], image)


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("a\0", "a\ufffd"),
        ("\x1b[31m", "\ufffd[31m"),
        ("\x0b\uffff\ufffe", "\ufffd" * 3),
        ("\ud800<&]]>", "\ufffd<&]]>"),
    ],
    ids=ascii,
)
def test_a_picture_is_well_formed_whatever_the_words_hold(word: str, shown: str) -> None:
    words = words_of(render_attention([[make_map([word, "می\u200cخواهم"], ["x"])]], "svg"))

    assert {shown, "می\u200cخواهم"} <= {*words}


DRAW_JAPANESE = """
from seq2seq_cli.plots.attention_picture import render_attention
from tests.unit.plots.maps import make_map
render_attention([[make_map(["book"], ["本"])]], "png")
"""


@pytest.mark.slow  # matplotlib makes its list of fonts
def test_a_font_that_was_installed_later_is_found(tmp_path: Path) -> None:
    japanese = "Noto Sans CJK JP"
    if not any(Path(path).name.startswith("NotoSansCJK") for path in font_manager.findSystemFonts()):
        pytest.skip(f"{japanese} is not installed")
    environment = {**os.environ, "MPLCONFIGDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", "import matplotlib.font_manager"], env=environment, check=True)
    [kept] = tmp_path.glob("fontlist*.json")
    fonts = json.loads(kept.read_text(encoding="utf-8"))
    fonts["ttflist"] = [font for font in fonts["ttflist"] if "CJK" not in font["name"]]
    kept.write_text(json.dumps(fonts), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", DRAW_JAPANESE], env=environment, capture_output=True, encoding="utf-8", check=True
    )
    assert "no installed font" not in done.stderr
