"""Attention as a picture: its labels, and words that could break it."""

import io
import logging
import xml.etree.ElementTree as ET
from typing import Literal

import pytest
from matplotlib.image import imread

from seq2seq_cli.plots.attention_picture import render_attention
from tests.unit.plots.maps import KISS, make_map


def words_of(svg: bytes) -> list[str]:
    """The text of a picture, in the order in which it is drawn."""
    root = ET.fromstring(svg.decode("utf-8"))  # noqa: S314 - from our own code
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_source_words_output_words_and_the_scale_are_labelled() -> None:
    words = words_of(render_attention(KISS, "svg"))
    source, translation = words.index("source"), words.index("translation")
    assert words[:source] == ["She", "kissed", "him", "."]
    assert words[source + 1 : translation] == ["Sie", "küsste", "ihn", "."]
    assert "attention weight" in words


@pytest.mark.parametrize("word", ["$x^2$", "$", "a_b", "\\frac", "100%", "<eos>", "&amp;", "{", ""])
def test_words_are_not_taken_as_formulas(word: str) -> None:
    table = make_map([word, "x"], ["y"])
    assert {word, "x", "y"} <= {*words_of(render_attention(table, "svg")), ""}
    assert render_attention(table, "png").startswith(b"\x89PNG")


@pytest.mark.parametrize("image", ["png", "svg"])
def test_a_script_without_a_font_gives_one_line_in_the_log(
    image: Literal["png", "svg"], caplog: pytest.LogCaptureFixture
) -> None:
    cuneiform = make_map(["𒀀𒀁", "𒀂"], ["𒀃", "𒀄"])
    with caplog.at_level(logging.WARNING, logger="seq2seq_cli"):
        assert render_attention(cuneiform, image)
    assert len(caplog.records) <= 1


def test_the_picture_grows_with_the_sentence() -> None:
    height, width, _ = imread(io.BytesIO(render_attention(KISS, "png"))).shape
    forty = make_map(["source"] * 40, ["target"] * 40)
    tall, broad, _ = imread(io.BytesIO(render_attention(forty, "png"))).shape
    # At least 45 pixels per word: letters of 11 points at 150 dots per inch are 23 pixels high.
    assert broad - width >= 36 * 45
    assert tall - height >= 36 * 45


def test_nothing_is_cut_off_at_the_edges() -> None:
    long = make_map(["Donaudampfschifffahrt" * 2] * 3, ["incomprehensibilities" * 2] * 2)
    pixels = imread(io.BytesIO(render_attention(long, "png")))
    for edge in (pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]):
        assert (edge == 1).all()


@pytest.mark.parametrize("image", ["png", "svg"])
def test_the_same_attention_gives_the_same_file(image: Literal["png", "svg"]) -> None:
    assert render_attention(KISS, image) == render_attention(KISS, image)


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
    words = words_of(render_attention(make_map([word, "می\u200cخواهم"], ["x"]), "svg"))

    assert {shown, "می\u200cخواهم"} <= {*words}
